/** Bounds the memory that V8 takes for the objects of a server. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Bytes of the space for new objects. With 1 MB, V8's first size, figures take up to 1.4 times as long, and so do uncached pages for 16
 * clients; V8's own limit of 16 MB saves at most a tenth and takes 20 to 40 MB (bench/figures.ts, bench/compare.ts, bench/mixed-load.ts).
 */
const NEW_OBJECTS = 8 * 2 ** 20;

/** More objects than the space holds before it grows. */
const ENOUGH = 200_000;

const STAY = '--semi-space-growth-factor=1';

/** V8 shrinks the space when few objects are created. */
const CHECK_MS = 1000;

/** @returns a function that ends the checks */
export function boundHeap(): () => void {
  // Old objects are collected once they grow by half: otherwise 30 MB of garbage pile up under load, and collecting it costs the same.
  setFlagsFromString('--heap-growing-percent=50');
  let wanted = NEW_OBJECTS;
  const keep = () => {
    if (spaceForNew() >= wanted) return;
    grow(wanted);
    // The user may have set a lower limit.
    wanted = Math.min(wanted, spaceForNew());
  };
  // It grows after a second, so as not to delay the start.
  setFlagsFromString(STAY);
  const checks = setInterval(keep, CHECK_MS).unref();
  return () => clearInterval(checks);
}

/** V8 multiplies the size by a factor once as many objects as it holds have outlived a collection. */
function grow(bytes: number): void {
  const before = spaceForNew();
  setFlagsFromString(`--semi-space-growth-factor=${Math.round(bytes / before)}`);
  const kept: object[] = [];
  while (spaceForNew() === before && kept.length < ENOUGH) {
    for (let i = 0; i < 1000; i++) kept.push([i]);
  }
  setFlagsFromString(STAY);
}

function spaceForNew(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_used_size ?? 0) + (space?.space_available_size ?? 0);
}
