/** The header of a file, parsed once for all formats: their marks that it has, and missing marks of the nearest. */
import { type ColumnNames, plainName } from '../parse/csv-rows.ts';

type Names = ReadonlySet<string>;

/** Maximum number of lines searched for a header below titles. */
const MOST_TITLES = 20;

const DELIMITERS = [',', ';', '\t'];

let last: { start: string; headers: readonly Names[] } = { start: '', headers: [] };

/** The columns that each of the first lines would name as a header. */
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
  // A spreadsheet may have quoted the whole line.
  return [new Set(cells.map((cell) => plainName(/[^"].*[^"]|[^"]/s.exec(cell.trim())?.[0] ?? '')))];
}

/** @param marks columns that no other header has together */
export function hasMarks(start: string, marks: readonly ColumnNames[]): boolean {
  return headersOf(start).some((names) => lackingIn(names, marks).length === 0);
}

/** Marks missing from a header that has two thirds of them; undefined for other headers. */
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
