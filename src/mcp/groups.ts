/**
 * Rows of groups in few tokens: a ranking may be cut and then has a note; a series is
 * never cut in the middle.
 */

import type { Column } from '../journal/analytics/closed-trade.ts';
import { type Dimension, factsOfDimension } from '../journal/analytics/dimensions.ts';
import { periodOf } from '../journal/analytics/period.ts';
import { LEAST_TRADES } from '../journal/analytics/sample.ts';
import { roundMoney, roundRatio } from '../money.ts';
import { WEEKDAYS, weekName, type ZoneClock } from '../time.ts';
import { NO_KEY } from './arguments.ts';
import { type Compacting, compact, pick, type Row, rowOf, table } from './compact.ts';

/** Fields not shown, because the others imply them. */
const LEFT_OUT = new Set(['by', 'wins', 'losses', 'breakevens', 'gross_pnl', 'quantity']);
/** A series with more rows has these figures alone. */
const LONG_SERIES = 40;
const OF_LONG_SERIES = ['trades', 'net_pnl', 'win_rate', 'stands_out'];

/** For keys that hide money. */
const OF_LONG_SERIES_IN_R = ['trades', 'total_r', 'r_sample', 'win_rate', 'stands_out'];

export const MOST_GROUPS = 50;
const FEW_GROUPS = 12;
/** Two dimensions together have more relevant rows. */
const FEW_PAIRS = 20;

export interface Grouping {
  by: readonly Dimension[];
  sort: 'best' | 'worst' | undefined;
  top: number | undefined;
  /** Whether rows have no net P&L, so that the number of trades ranks them. */
  hidesMoney: boolean;
  clock: ZoneClock;
  /** The current day in the user's zone. */
  today: string;
}

/** The groups as part of an answer. */
export function groupsShown(
  rows: readonly Row[],
  grouping: Grouping,
  how: Compacting,
): Row {
  const { by, sort } = grouping;
  const [dimension, ...others] = by;
  const isOrdered =
    dimension !== undefined && factsOfDimension(dimension).isOrdered === true;
  const isSeries = isOrdered && others.length === 0 && sort === undefined;
  const shown = isSeries ? series(rows, grouping, how) : ranking(rows, grouping, how);
  const stands_out = meaningOfStandsOut(rows, by);
  const marks = Object.entries(MARKS).filter(([name]) => rows.some((row) => name in row));

  return {
    ...shown,
    ...(stands_out !== undefined && { stands_out }),
    ...Object.fromEntries(marks),
  };
}

/** What columns say that few rows have. */
const MARKS: Readonly<Record<string, string>> = {
  by_definition: 'the label may state the result: leaving it out is no advice',
  same_trades_as: 'rows with nine tenths of the same trades',
  largest_share: 'of one trade in net_pnl',
};

/** What the column says; or in place of one that would be empty, why it is. */
function meaningOfStandsOut(
  rows: readonly Row[],
  by: Grouping['by'],
): string | undefined {
  if (rows.length < 2) return undefined;
  if (rows.some(({ stands_out }) => stands_out === true))
    return 'true: differs from all other trades beyond chance';

  const named = by.find((name) => factsOfDimension(name).isOfItself);
  if (named) return `not tested: ${named} is known only at the end`;

  const isTested = rows.some(({ trades }) => Number(trades) >= LEAST_TRADES);
  return isTested
    ? 'none: no row differs from all other trades beyond chance'
    : `not tested: no row has ${LEAST_TRADES} trades`;
}

/**
 * In its order and complete; a very long one shows the latest rows and a total of the
 * earlier ones. A period that isn't over is named.
 */
function series(rows: readonly Row[], grouping: Grouping, how: Compacting): Row {
  const { top, today, hidesMoney } = grouping;
  const isLong = rows.length > LONG_SERIES;
  const most = isLong ? how.rows * 5 : Math.max(how.rows, 24);
  const from = Math.max(0, rows.length - most);
  const figures = hidesMoney ? OF_LONG_SERIES_IN_R : OF_LONG_SERIES;
  const shown = rows
    .slice(from)
    .map((row) => (isLong ? only(figures, row) : figuresOf(row, grouping)));

  return {
    groups: table(shown, how, shown.length) as never,
    ...(from > 0 && {
      earlier: compact(summedUp(rows.slice(0, from), grouping), how) as Row,
    }),
    ...(isNotOver(rows.at(-1), grouping) && { last_row: `isn't over: up to ${today}` }),
    ...(top !== undefined && {
      top_ignored: 'rows of time are complete; sort=best or worst ranks them',
    }),
  };
}

/** Whether the last row of a series is a week, month, quarter or year that isn't over. */
function isNotOver(
  row: Row | undefined,
  { by: [dimension], clock, today }: Grouping,
): boolean {
  if (!row || dimension === undefined) return false;
  if (factsOfDimension(dimension).time !== 'closing') return false;

  const name = String(keysOf(row)[dimension]);
  const last = periodOf(clock, name, today, null)?.span.last;
  return typeof last === 'string' && last >= today;
}

/**
 * All rows in the API's order if they fit, else those with the largest net P&L, won or
 * lost.
 */
function ranking(rows: readonly Row[], grouping: Grouping, how: Compacting): Row {
  const { by, sort, top } = grouping;
  const most = Math.min(top ?? (by.length > 1 ? FEW_PAIRS : FEW_GROUPS), how.rows);
  const measure = measureOf(rows, grouping);
  const ranked = rows.toSorted(orderBy(measure, sort));
  if (rows.length <= most)
    return { groups: rowsShown(sort ? ranked : rows, grouping, how) };

  const chosen = ranked.slice(0, most);
  const shown = sort ? chosen : chosen.toSorted(orderBy(measure, 'worst'));

  const isFull = most === how.rows;
  const more = isFull
    ? 'no more fit; a shorter period or where shows all'
    : `top=${MOST_GROUPS} shows more`;
  const remedy = isFull || top === undefined ? `; ${more}` : '';
  const count = `${chosen.length} of ${rows.length} groups`;

  return {
    ranking: `${sort ?? measure.largest}: ${count}${remedy}`,
    groups: rowsShown(shown, grouping, how),
    groups_left_out: compact(summedUp(ranked.slice(most), grouping), how) as Row,
  };
}

/** What ranks the rows. */
interface Measure {
  field: 'net_pnl' | 'total_r' | 'trades';
  /** The rows that it ranks first, in words. */
  largest: string;
}

function measureOf(rows: readonly Row[], { hidesMoney }: Grouping): Measure {
  if (!hidesMoney)
    return { field: 'net_pnl', largest: 'the largest by absolute net P&L, worst first' };
  if (rows.some(({ total_r }) => total_r !== null))
    return { field: 'total_r', largest: 'the largest by absolute R, worst first' };
  return { field: 'trades', largest: 'those with most trades' };
}

/** The order of a ranking: by default the largest values first, won or lost. */
function orderBy({ field }: Measure, sort: Grouping['sort']): (a: Row, b: Row) => number {
  const value = (row: Row) => Number(row[field] ?? 0);
  if (sort === 'worst') return (a, b) => value(a) - value(b);
  if (sort === 'best') return (a, b) => value(b) - value(a);
  return (a, b) => Math.abs(value(b)) - Math.abs(value(a));
}

function rowsShown(
  rows: readonly Row[],
  grouping: Grouping,
  how: Compacting,
): Row[string] {
  const shown = rows.map((row) => figuresOf(row, grouping));
  return table(shown, how, shown.length) as never;
}

function summedUp(rows: readonly Row[], { hidesMoney }: Grouping): Row {
  const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
  const r = { total_r: roundRatio(sum('total_r')), r_sample: sum('r_sample') };
  return {
    groups: rows.length,
    trades: sum('trades'),
    ...(hidesMoney ? r.r_sample > 0 && r : { net_pnl: roundMoney(sum('net_pnl')) }),
  };
}

/**
 * The sum of R follows from its mean, but is all that a key without money has of a row's
 * result.
 */
function figuresOf(row: Row, { hidesMoney }: Grouping): Row {
  const shown = Object.entries(row).filter(
    ([name]) => !LEFT_OUT.has(name) && (hidesMoney || name !== 'total_r'),
  );
  return { ...keysOf(row), ...Object.fromEntries(shown) };
}

/** The keys of a row and some of its figures. */
export function only(names: readonly string[], row: Row): Row {
  return { ...keysOf(row), ...pick(names, row) };
}

/** The keys of a row as an answer shows them. */
function keysOf({ by = null }: Row): Row {
  return Object.fromEntries(
    Object.entries(rowOf(by)).map(([name, key]) => [name, keyShown(name, key)]),
  );
}

function keyShown(dimension: string, key: Row[string]): Row[string] {
  if (key === null) return NO_KEY;
  if (dimension === 'week') return weekName(key as string);
  return dimension === 'weekday' ? (WEEKDAYS[Number(key) - 1] ?? '').slice(0, 3) : key;
}

/**
 * Names the keys of a row in one text, such as "weekday Fri, hour 14", for rows of
 * different dimensions.
 */
export function withNamedKeys(row: Row): Row {
  const keys = Object.entries(keysOf(row)).map(([name, key]) => `${name} ${String(key)}`);
  return { ...row, by: keys.join(', ') };
}

/**
 * The time zone of the dimensions, and whether they use entry or closing; undefined for
 * those without a time.
 */
export function timesOf(
  names: readonly Dimension[],
  timezone: string,
): string | undefined {
  const parts = (['entry', 'closing'] as const).flatMap((time) => {
    const those = names.filter((name) => factsOfDimension(name).time === time);
    return those.length === 0 ? [] : [`${those.join(', ')} by ${time}`];
  });
  return parts.length === 0 ? undefined : `${parts.join('; ')}, in ${timezone}`;
}

/** Columns of dimensions whose names don't say how their keys are found. */
const DERIVED_FROM: readonly Column[] = ['sequence', 'size', 'session'];

/** The dimensions among these whose keys need a definition, with it. */
export function meaningsOf(names: readonly Dimension[]): Row {
  const derived = names.filter((name) =>
    factsOfDimension(name).columns?.some((column) => DERIVED_FROM.includes(column)),
  );
  return Object.fromEntries(
    derived.map((name) => [name, factsOfDimension(name).by.replaceAll('null', NO_KEY)]),
  );
}
