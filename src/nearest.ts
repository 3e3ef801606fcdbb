import leven from 'leven';

/** The candidate closest to what was typed, where it is close enough to be what was meant. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const lower = typed.toLowerCase();
  const ranked = candidates
    .map((name) => ({ name, distance: leven(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, Math.ceil(best.name.length / 2)) ? best.name : undefined;
}
