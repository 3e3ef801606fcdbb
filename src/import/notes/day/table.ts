/** Markdown tables. */

export interface Table {
  header: readonly string[];
  rows: readonly { line: number; raw: string; cells: readonly string[] }[];
}

const MOST_COLUMNS = 50;

/** @returns undefined if the lines aren't a table */
export function tableIn(lines: readonly { number: number; raw: string }[]): Table | undefined {
  const [first, second, ...more] = lines;
  if (!first || !second || !cellsOf(second.raw).every((cell) => /^:?-{1,99}:?$/.test(cell))) return undefined;
  return {
    header: cellsOf(first.raw),
    rows: more.map(({ number, raw }) => ({ line: number, raw, cells: cellsOf(raw) })),
  };
}

function cellsOf(row: string): string[] {
  const bare = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return bare
    .split(/(?<!\\)\|/)
    .slice(0, MOST_COLUMNS)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export function isEmptyCell(cell: string): boolean {
  return /^[-–—]?$/.test(cell);
}

export function isTotal([first = '']: readonly string[]): boolean {
  return /^(?:totals?|sum|Σ)$/i.test(first.replaceAll(/[*_: ]/g, ''));
}
