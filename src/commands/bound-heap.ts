/** Bounds the memory that V8 takes for the objects of a server. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * The space for new objects grows from 1 MB to 8, and stays there. With 1 MB, figures take up to 1.4 times as long, and so do uncached pages
 * for 16 clients; V8's own limit of 16 saves nothing more and takes 20 to 40 MB (bench/figures.ts, bench/compare.ts, bench/mixed-load.ts).
 */
const GROWTH = 8;

/** More objects than V8's first space holds. */
const ENOUGH = 100_000;

export function boundHeap(): void {
  // Old objects are collected once they grow by half: otherwise 30 MB of garbage pile up under load, and collecting it costs the same.
  setFlagsFromString('--heap-growing-percent=50');
  // V8 multiplies the size by the factor once as many objects as it holds have outlived a collection.
  setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`);
  const size = spaceForNew();
  const kept: object[] = [];
  while (spaceForNew() === size && kept.length < ENOUGH) {
    for (let i = 0; i < 1000; i++) kept.push([i]);
  }
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** In bytes. */
function spaceForNew(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_used_size ?? 0) + (space?.space_available_size ?? 0);
}
