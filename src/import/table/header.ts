/** The header of a file, parsed once for all readers: which of them it has the marks of, and what it lacks of the nearest. */
import { type ColumnNames, plainName } from '../parse/csv-rows.ts';

type Names = ReadonlySet<string>;

/** Titles that people and programs put above a header are few. */
const MOST_TITLES = 20;

const DELIMITERS = [',', ';', '\t'];

let last: { start: string; headers: readonly Names[] } = { start: '', headers: [] };

/** What each of the first lines would name, if it were the header. */
function headersOf(start: string): readonly Names[] {
  if (last.start !== start) {
    const lines = start.split(/\r\n?|\n/, MOST_TITLES);
    last = { start, headers: lines.flatMap((line) => DELIMITERS.flatMap((mark) => namesIn(line, mark))) };
  }
  return last.headers;
}

function namesIn(line: string, delimiter: string): Names[] {
  const cells = line.split(delimiter);
  if (cells.length < 2) return [];
  // A spreadsheet may have put the whole line into quotes.
  return [new Set(cells.map((cell) => plainName(/[^"].*[^"]|[^"]/s.exec(cell.trim())?.[0] ?? '')))];
}

/** @param marks columns that no other header has together */
export function hasMarks(start: string, marks: readonly ColumnNames[]): boolean {
  return headersOf(start).some((names) => lackingIn(names, marks).length === 0);
}

/** The marks that a header lacks, if it has two thirds of them; undefined if it is of something else. */
export function lackingMarks(start: string, marks: readonly ColumnNames[]): string[] | undefined {
  const all = headersOf(start).map((names) => lackingIn(names, marks));
  const [fewest] = all.sort((a, b) => a.length - b.length);
  return fewest?.length && fewest.length * 3 <= marks.length ? fewest : undefined;
}

function lackingIn(names: Names, marks: readonly ColumnNames[]): string[] {
  return marks
    .filter((mark) => ![mark].flat().some((name) => names.has(plainName(name))))
    .map((mark) => [mark].flat().join(' or '));
}
