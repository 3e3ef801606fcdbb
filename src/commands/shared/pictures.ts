/**
 * Pictures for a terminal: the equity curve and a calendar. Signs repeat the meaning of
 * colours.
 */
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { addDays, dayNumber, startOfUnit, weekdayOf } from '../../time.ts';
import { type Formats, toneOf } from '../../web/format.ts';
import type { Daily } from '../../web/types.ts';

/** Colours a text by its tone: gain, loss or muted; unchanged if colours are off. */
export type Painter = (tone: string, text: string) => string;

const STYLES = {
  gain: 'green',
  loss: 'red',
  muted: 'gray',
  'strong gain': ['black', 'bgGreen'],
  'strong loss': ['black', 'bgRed'],
} as const;

/** In colour if the terminal has colours and NO_COLOR isn't set. */
export function painterFor(stream: WriteStream): Painter {
  const hasColours = stream.isTTY && stream.hasColors();
  return (tone, text) => {
    const style = STYLES[tone as keyof typeof STYLES];
    if (!hasColours || style === undefined) return text;
    return styleText(style, text, {
      validateStream: false,
    });
  };
}

/** A day by its exits, or by the trades closed on it. */
type DayOfResults = Pick<Daily, 'date' | 'net_pnl' | 'cumulative_net_pnl'> &
  Partial<Pick<Daily, 'total_r'>>;

/** The results of days, in money, or in R if the key hides money. */
interface Results {
  days: { date: string; result: number; total: number }[];
  write: (value: number) => string;
}

/** Days without R are left out if the key hides money. */
export function resultsOf(daily: readonly DayOfResults[], format: Formats): Results {
  const isInR = daily.some((day) => day.net_pnl === undefined);
  if (!isInR) {
    const days = daily.map((day) => ({
      date: day.date,
      result: day.net_pnl,
      total: day.cumulative_net_pnl,
    }));
    return { days, write: (value) => format.shortGain(value) };
  }

  let total = 0;
  const days = daily.flatMap(({ date, total_r = null }) => {
    if (total_r === null) return [];
    total += total_r;
    return [{ date, result: total_r, total }];
  });
  return { days, write: format.r };
}

const BLOCKS = ' ▁▂▃▄▅▆▇█';
const CURVE_ROWS = 5;

/**
 * Cumulative results as columns of blocks, labelled with the highest and lowest values.
 */
export function curveLines(
  { days, write }: Results,
  columns: number,
  paint: Painter,
): string[] {
  const values = [0, ...days.map(({ total }) => total)];
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  const labels = [most, least].map(write);
  const labelsByRow = new Map([
    [0, labels[0]],
    [CURVE_ROWS - 1, labels[1]],
  ]);
  const margin = Math.max(...labels.map((label) => label.length)) + 1;
  const sampled = resampled(values, Math.max(10, Math.min(columns - margin - 1, 100)));

  return Array.from({ length: CURVE_ROWS }, (_, row) => {
    const floor = CURVE_ROWS - 1 - row;
    const isLowest = row === CURVE_ROWS - 1;
    const blocks = sampled.map((value) => {
      const height = ((value - least) / (most - least || 1)) * CURVE_ROWS * 8;
      return BLOCKS[
        Math.round(Math.min(Math.max(height - floor * 8, isLowest ? 1 : 0), 8))
      ];
    });
    const label = labelsByRow.get(row) ?? '';
    const curve = paint(toneOf(values.at(-1)), blocks.join(''));

    return `${paint('muted', label.padStart(margin - 1))} ${curve}`.trimEnd();
  });
}

/** A given number of values, evenly spaced over the series. */
function resampled(values: readonly number[], count: number): number[] {
  return Array.from(
    { length: count },
    (_, i) => values[Math.round((i * (values.length - 1)) / (count - 1))] as number,
  );
}

const CELL = 4;
const GAP = '   ';

/** As many months side by side as fit; weeks start on Monday. */
export function calendarLines(
  results: Results,
  columns: number,
  format: Formats,
  paint: Painter,
): string[] {
  const days = new Map(results.days.map(({ date, result }) => [date, result]));
  const strong = strongFrom(results);
  const months = monthsOf(results).map((first) =>
    monthLines(first, days, { strong, write: results.write }, format, paint),
  );
  const width = 7 * CELL;
  const across = Math.max(1, Math.floor((columns + GAP.length) / (width + GAP.length)));
  const lines: string[] = [];

  for (let at = 0; at < months.length; at += across) {
    const row = months.slice(at, at + across);
    const height = Math.max(...row.map((month) => month.length));
    lines.push('');

    for (let i = 0; i < height; i++)
      lines.push(
        row
          .map((month) => month[i] ?? ' '.repeat(width))
          .join(GAP)
          .trimEnd(),
      );
  }

  return lines;
}

function monthLines(
  first: string,
  days: ReadonlyMap<string, number>,
  { strong, write }: { strong: number } & Pick<Results, 'write'>,
  format: Formats,
  paint: Painter,
): string[] {
  const traded = [...days].filter(([date]) => date.startsWith(first.slice(0, 7)));
  const sum = traded.reduce((total, [, result]) => total + result, 0);
  const [name, result] = [format.monthAndYear(first), write(sum)];
  const weekdays = Array.from({ length: 7 }, (_, i) =>
    format
      .weekday(i + 1)
      .slice(0, 3)
      .padStart(CELL - 1),
  );
  const next = startOfUnit(first, 'month', 1);
  const blank = ' '.repeat(CELL);
  const cells = Array.from({ length: weekdayOf(dayNumber(first)) - 1 }, () => blank);
  for (let date = first; date < next; date = addDays(date, 1)) {
    cells.push(`${cell(date, days.get(date), strong, paint)} `);
  }

  while (cells.length % 7 > 0) cells.push(blank);
  return [
    `${name}${paint(toneOf(sum), result.padStart(7 * CELL - 1 - name.length))} `,
    `${paint('muted', weekdays.join(' '))} `,
    ...Array.from({ length: cells.length / 7 }, (_, week) =>
      cells.slice(7 * week, 7 * week + 7).join(''),
    ),
  ];
}

/** "+12", " 12" without trades. */
function cell(
  date: string,
  result: number | undefined,
  strong: number,
  paint: Painter,
): string {
  const number = String(Number(date.slice(8)));
  if (result === undefined) return paint('muted', number.padStart(CELL - 1));

  const tone = toneOf(result);
  const sign = { gain: '+', loss: '-', even: '=' }[tone];

  return paint(
    Math.abs(result) >= strong ? `strong ${tone}` : tone,
    sign + number.padStart(CELL - 2),
  );
}

/** The median size of days: days of this size or more are strong. */
function strongFrom({ days }: Results): number {
  const sizes = days.map(({ result }) => Math.abs(result)).sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? 0;
}

/** First days of the months from the first day to the last. */
function monthsOf({ days }: Results): string[] {
  const months: string[] = [];
  const last = days.at(-1)?.date ?? '';
  for (
    let first = `${days[0]?.date.slice(0, 7)}-01`;
    first <= last;
    first = startOfUnit(first, 'month', 1)
  )
    months.push(first);

  return months;
}
