/** Corrections for multiple tests: p-values that are too small for chance among so many tests. Null if untested. */

const LEVEL = 0.05;

/** In 95 % of journals, no row is marked by chance (Holm 1979). */
export function holm(chances: readonly (number | null)[]): boolean[] {
  return marked(chances, (ranked) => {
    const end = ranked.findIndex((chance, rank) => chance > LEVEL / (ranked.length - rank));
    return end === -1 ? ranked.length : end;
  });
}

/** On average, at most 5 % of the marked rows are marked by chance (Benjamini and Hochberg 1995). */
export function benjaminiHochberg(chances: readonly (number | null)[]): boolean[] {
  return marked(
    chances,
    (ranked) => 1 + ranked.findLastIndex((chance, rank) => chance <= ((rank + 1) * LEVEL) / ranked.length),
  );
}

/** @param countOf number of smallest p-values to mark */
function marked(chances: readonly (number | null)[], countOf: (ranked: number[]) => number): boolean[] {
  const ranked = chances.filter((chance) => chance !== null).sort((a, b) => a - b);
  const most = ranked[countOf(ranked) - 1];
  return chances.map((chance) => chance !== null && most !== undefined && chance <= most);
}
