/**
 * The table of an unknown file, and what the cells of its columns are: numbers, days,
 * times, words.
 */
import { type CsvRow, isEmpty } from '../../../parse/csv-rows.ts';
import { shownOrder } from '../../../parse/times.ts';
import { type DateFormat, TIME_OF_DAY } from '../../tables/clock.ts';
import { columnNames } from '../table.ts';
import { isKnownName } from './names.ts';

export interface ColumnSeen {
  name: string;
  /** One per row, trimmed, empty ones too. */
  all: readonly string[];
  /** Those that aren't empty. */
  cells: readonly string[];
}

/** Most rows and characters of a cell that are read, and rows searched for the header. */
const MOST_ROWS = 5000;
const MOST_CHARACTERS = 200;
const SEARCHED = 60;

/** The sheet with the best header; undefined if none has rows below one. */
export function tableSeen(
  sheets: readonly (readonly CsvRow[])[],
): ColumnSeen[] | undefined {
  const found = sheets.map((rows) => {
    const scores = rows.slice(0, SEARCHED).map(({ cells }) => scoreOf(cells));
    const score = Math.max(0, ...scores);
    return { rows, score, at: scores.indexOf(score) };
  });
  const filled = found.filter(({ rows, at }) =>
    rows.slice(at + 1).some((row) => !isEmpty(row)),
  );
  const [best] = filled.sort((a, b) => b.score - a.score);
  if (!best) return undefined;

  const below = best.rows
    .slice(best.at + 1, best.at + 1 + MOST_ROWS)
    .filter((row) => !isEmpty(row));
  return columnNames(best.rows[best.at]?.cells ?? []).map((name, index) => {
    const all = below.map(({ cells }) =>
      (cells[index] ?? '').slice(0, MOST_CHARACTERS).trim(),
    );
    return { name, all, cells: all.filter((cell) => !NOTHING.test(cell)) };
  });
}

/** How much a row is like a header. */
function scoreOf(cells: readonly string[]): number {
  return (
    cells.filter(isKnownName).length * 1000 +
    cells.filter((cell) => /\p{L}/u.test(cell)).length
  );
}

const NOTHING = /^(-{0,2}|n\/a|nan|none|null)$/i;

const NUMBER =
  /^[-+−(]*\s*(?:[A-Z]{3}\s?|[$€£¥₹]\s*)?[-+−(]?\d[\d.,'’\s]*(?:e[-+]?\d+)?(?:\)\s*)?([$€£¥₹%]|[A-Z]{3,5})?\)?$/i;
const DAY =
  /^(?:\d\d?:\d\d(?::\d\d)? )?(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d{4}|\d\d)(?!\d)|(19|20)\d{6}(?!\d)|\d\d?[-/. ]+\p{L}{3,10}[-/., ]+\d{2,4}|\p{L}{3,10} \d\d?,? \d{4})/u;

function mostly(
  test: (cell: string) => boolean,
  share = 0.9,
): (column: ColumnSeen) => boolean {
  return ({ cells }) => cells.filter(test).length > cells.length * share;
}

const isUnix = mostly((cell) => /^1\d{9}(\d{3})?(\.\d+)?$/.test(cell));
const isWrittenDay = mostly((cell) => DAY.test(cell));
const isNumber = mostly((cell) => NUMBER.test(cell));

/** Days since 1900, as spreadsheets store them, of the years 1995 to 2064. */
const isSerial = mostly(
  (cell) =>
    /^\d{5}(\.\d+)?$/.test(cell) && Number(cell) >= 34_700 && Number(cell) < 60_000,
);

export const isClock = mostly((cell) => TIME_OF_DAY.test(cell));
export const isCode = mostly((cell) => /^[A-Z][A-Z0-9]{2,4}$/.test(cell), 0.99);
export const hasLetters = mostly((cell) => /\p{L}/u.test(cell) && cell.length <= 64);

/**
 * @param isNamed whether the column has a name of times: else 45000 and 1777626000 are numbers
 */
export function isDated(column: ColumnSeen, isNamed = false): boolean {
  return isWrittenDay(column) || (isNamed && (isUnix(column) || isSerial(column)));
}

export function isNumeric(column: ColumnSeen): boolean {
  return isNumber(column) && !isDated(column);
}

export const hasClock = mostly(
  (cell) => /\d\d?:\d\d|[T; ]\d{6}/.test(cell) || /^1\d{9}|^\d{5}\.\d/.test(cell),
  0.5,
);

/** The words of a column with their counts, the most frequent first. */
export function wordsOf({ all }: Pick<ColumnSeen, 'all'>): Record<string, number> {
  const groups = [...Map.groupBy(all, (word) => word)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  return Object.fromEntries(groups.map(([word, equal]) => [word, equal.length]));
}

export function isBelowZero(cell: string): boolean {
  return /^[^\d]*[-−(]/.test(cell) && /[1-9]/.test(cell);
}

/**
 * The decimal separator of numbers.
 * @returns "?" if they have both, or each mark may stand after thousands; undefined if
 * there are none
 */
export function decimalSeen(columns: readonly ColumnSeen[]): '.' | ',' | '?' | undefined {
  const cells = columns.flatMap((column) => column.cells);
  const seen = new Set(cells.map(decimalIn));
  const marks = (['.', ','] as const).filter((mark) => seen.has(mark));
  if (marks.length === 2) return '?';
  return marks[0] ?? (seen.has('?') ? '?' : undefined);
}

function decimalIn(cell: string): '.' | ',' | '?' | undefined {
  const [, mark, digits = ''] = /([.,])(\d+)\D*$/.exec(cell) ?? [];
  if (mark === undefined) return undefined;

  const before = cell.slice(0, cell.lastIndexOf(mark));
  const [repeats, hasOther] = [
    before.includes(mark),
    before.includes(mark === '.' ? ',' : '.'),
  ];
  const isOpen = digits.length === 3 && !hasOther && !repeats && !/^\D*0$/.test(before);
  if (isOpen) return '?';

  const isThousands = repeats && !hasOther;
  return (mark === '.') === isThousands ? ',' : '.';
}

/** A space or an apostrophe between thousands; undefined if it is a point or a comma. */
export function thousandsSeen(columns: readonly ColumnSeen[]): ' ' | "'" | undefined {
  const all = columns.flatMap(({ cells }) => cells).join('|');
  const mark = /\d([\s'’])\d{3}(?!\d)/.exec(all)?.[1];
  if (mark === undefined) return undefined;
  return mark.trim() === '' ? ' ' : "'";
}

/**
 * The formats of days.
 * @returns "?" if the order of day and month is open; undefined if the year comes first
 */
export function datesSeen(
  columns: readonly ColumnSeen[],
  typed?: 'dmy' | 'mdy',
): DateFormat | DateFormat[] | '?' | undefined {
  if (columns.length === 0) return undefined;
  if (columns.every(isUnix))
    return columns.some(({ cells }) => /^\d{13}/.test(cells[0] ?? ''))
      ? 'unix-ms'
      : 'unix';
  if (columns.every(isSerial)) return 'excel';
  if (columns.some((column) => isUnix(column) || isSerial(column))) return '?';

  const cells = columns.flatMap((column) => column.cells);
  const last = cells.filter((cell) => /^([\d:]+ )?\d\d?[-/.]\d\d?[-/.]\d/.test(cell));
  if (last.length === 0) return undefined;

  const order = shownOrder(last) ?? typed ?? '?';
  return last.length === cells.length || order === '?' ? order : ['ymd', order];
}
