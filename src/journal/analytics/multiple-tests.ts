/** Which of many chances are too small to be the smallest of so many by chance. Null where something couldn't be tested. */

const LEVEL = 0.05;

/** Of all that are marked, none is marked by chance in 95 % of journals (Holm 1979). */
export function holm(chances: readonly (number | null)[]): boolean[] {
  return marked(chances, (ranked) => {
    const end = ranked.findIndex((chance, rank) => chance > LEVEL / (ranked.length - rank));
    return end === -1 ? ranked.length : end;
  });
}

/** Of those that are marked, at most 5 % are by chance on average (Benjamini and Hochberg 1995). */
export function benjaminiHochberg(chances: readonly (number | null)[]): boolean[] {
  return marked(
    chances,
    (ranked) => 1 + ranked.findLastIndex((chance, rank) => chance <= ((rank + 1) * LEVEL) / ranked.length),
  );
}

/** @param countOf how many of the smallest count */
function marked(chances: readonly (number | null)[], countOf: (ranked: number[]) => number): boolean[] {
  const ranked = chances.filter((chance) => chance !== null).sort((a, b) => a - b);
  const most = ranked[countOf(ranked) - 1];
  return chances.map((chance) => chance !== null && most !== undefined && chance <= most);
}
