/**
 * The order in which fills happened. For equal times, the orders of all files are merged, independent of the order of import
 * and of overlaps. If no file decides, the ids do.
 */
import type { PlacedFill } from '../../journal-write/fill-row.ts';

export function inOrderOfTime(placed: readonly PlacedFill[]): PlacedFill[] {
  const sorted = [...placed].sort((a, b) => compare(a.fill.executed_at, b.fill.executed_at));
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (to < sorted.length && sorted[to]?.fill.executed_at === sorted[from]?.fill.executed_at) to++;
    if (to - from > 1) sorted.splice(from, to - from, ...inOrderOfFiles(sorted.slice(from, to)));
    from = to;
  }
  return sorted;
}

/** Orders fills of one instant: each after those that precede it in any file. */
function inOrderOfFiles(fills: readonly PlacedFill[]): PlacedFill[] {
  const byId = [...fills].sort((a, b) => compareIds(a.fill.execution_id, b.fill.execution_id));
  const files = new Map<number, PlacedFill[]>();
  for (const placed of byId) {
    for (const file of placed.places.keys()) {
      const own = files.get(file);
      if (own) own.push(placed);
      else files.set(file, [placed]);
    }
  }
  for (const [file, own] of files) own.sort((a, b) => Number(a.places.get(file)) - Number(b.places.get(file)));
  const whole = files.size === 1 ? [...files.values()][0] : undefined;
  if (whole?.length === fills.length) return whole;

  const waiting = new Map(byId.map((placed) => [placed, 0]));
  const followers = new Map<PlacedFill, PlacedFill[]>(byId.map((placed) => [placed, []]));
  for (const own of files.values()) {
    own.forEach((placed, index) => {
      const before = own[index - 1];
      if (!before) return;
      followers.get(before)?.push(placed);
      waiting.set(placed, Number(waiting.get(placed)) + 1);
    });
  }
  const ordered: PlacedFill[] = [];
  while (waiting.size > 0) {
    // If files contradict each other, every fill waits: then the smallest id goes first.
    const next = (byId.find((placed) => waiting.get(placed) === 0) ??
      byId.find((placed) => waiting.has(placed))) as PlacedFill;
    waiting.delete(next);
    ordered.push(next);
    for (const follower of followers.get(next) ?? []) {
      if (waiting.has(follower)) waiting.set(follower, Number(waiting.get(follower)) - 1);
    }
  }
  return ordered;
}

/** Numbers at the end of ids rise with time, so a longer id is later. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || compare(a, b);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
