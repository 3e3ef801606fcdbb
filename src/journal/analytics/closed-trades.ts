/**
 * The closed trades or positions of a period, one by one in the order (closed_at, id), with their
 * money in the user's base currency: the source of every figure.
 */

import { Sum } from '../../money.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { toInstantText, ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber, storedText } from '../stored-value.ts';
import { type Range, Where } from '../where.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';
import { type Clause, Condition } from './condition.ts';
import { contextOf } from './context.ts';
import { clamp } from './period.ts';
import { COLUMNS_OF_LEGS, Positions, type WithoutRate } from './positions.ts';
import { CHUNK, sourceFor, type TradeRow, TradeRows } from './trade-rows.ts';

/** Unit to count: each trade, or the legs of a trade group together. */
export const UNITS = ['trade', 'position'] as const;

/**
 * Selection of trades: bounds of closed_at as UTC text, trade filters by name, and the unit to
 * count.
 */
export interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
  unit: (typeof UNITS)[number];
  /** Further condition on a trade, or on a position as a whole. */
  where?: Pick<Condition, 'columns' | 'matches'> | null;
}

/**
 * Passes the closed trades of a selection to accumulators in the order (closed_at, id).
 * @param addWithoutRate called instead for a trade without an exchange rate to the base currency,
 * excluded from figures
 * @returns number of trades passed
 */
export function visitClosedTrades(
  reader: Reader,
  user: User,
  selection: Selection,
  accumulators: readonly Accumulator[],
  addWithoutRate?: (trade: ClosedTrade, currencies: readonly string[]) => void,
): number {
  const { filters, unit, where = null } = selection;
  const columns = [
    ...accumulators.flatMap(({ columns }) => columns),
    ...(where?.columns ?? []),
    ...(unit === 'position' ? COLUMNS_OF_LEGS : []),
  ];
  const reading = new TradeRows(reader, user, columns);
  const positions = unit === 'position' ? new Positions(reader, user, reading, filters) : null;
  const addContext = contextOf(reader, user, unit, columns);
  let counted = 0;
  visitRows(reader, user, selection, reading, (rows) => {
    if (positions) positions.meet(rows);
    const trades: ClosedTrade[] = [];
    for (const row of rows) {
      const one =
        positions && row.group_id != null ? positions.closedBy(row) : reading.toTrade(row);
      if (one === undefined) continue;
      const isRated = one !== null && !isWithoutRate(one);
      const trade = isRated ? one : withoutRate(one, row, reading);
      addContext?.(trade);
      if (where && !where.matches(trade)) continue;
      if (isRated) trades.push(trade);
      else addWithoutRate?.(trade, one?.currencies ?? [row.currency]);
    }
    counted += trades.length;
    // Each figure counts the whole chunk in turn: trade by trade, V8 would look up the next
    // figure's method each time.
    for (const accumulator of accumulators) for (const trade of trades) accumulator.add(trade);
  });
  return counted;
}

/** A trade or position excluded from figures, as if its rate were 1. */
function withoutRate(one: WithoutRate | null, row: TradeRow, reading: TradeRows): ClosedTrade {
  return one === null ? (reading.toTrade(row, 1) as ClosedTrade) : one.asIfRated();
}

function isWithoutRate(one: ClosedTrade | WithoutRate): one is WithoutRate {
  return 'currencies' in one;
}

type Keyset = [closedAt: string, id: string];

/**
 * Visits the rows of a selection in the same order, a chunk at a time; all legs of positions,
 * because the closing leg may match no filter.
 */
export function visitRows(
  reader: Reader,
  user: User,
  { range, filters, unit }: Selection,
  reading: TradeRows,
  visit: (rows: readonly TradeRow[]) => void,
): void {
  const isFiltered = Object.keys(filters).length > 0;
  let last: Keyset | undefined;
  for (;;) {
    // A filter may match few trades or none, so the size of a chunk counts all trades read, not
    // only the matching ones.
    const end = isFiltered ? endOfChunk(reader, between(user, range, last, undefined)) : undefined;
    const where = between(user, range, last, end);
    if (unit === 'trade') where.filter(tradeFilters, filters, { byIndex: false });
    else if (isFiltered) addFilterOfSingles(where, user, filters);
    const { rows, isLast } = reading.read(sourceFor(filters), where, 'closed_at');
    visit(rows);
    const next = isLast ? end : closedKeyset(rows.at(-1) as TradeRow);
    if (!next) return;
    last = next;
  }
}

/**
 * A keyset replaces the bound on its side: with both, SQLite may use the bound and step through all
 * earlier or later chunks.
 */
function between(
  user: User,
  range: Range,
  last: Keyset | undefined,
  end: Keyset | undefined,
): Where {
  const where = new Where(user.id)
    .add('closed_at IS NOT NULL')
    .range('closed_at', { from: last ? null : range.from, to: end ? null : range.to });
  if (last) where.compare(['closed_at', 'id'], '>', last);
  if (end) where.compare(['closed_at', 'id'], '<=', end);
  return where;
}

function addFilterOfSingles(where: Where, user: User, filters: Selection['filters']): void {
  const ofSingles = new Where(user.id).filter(tradeFilters, filters, { byIndex: false });
  where.add(`(group_id IS NOT NULL OR ${ofSingles.sql})`, ...ofSingles.values);
}

/** The last trade of the next chunk; undefined if fewer remain. */
function endOfChunk(reader: Reader, where: Where): Keyset | undefined {
  const row = reader.get(
    `SELECT closed_at, id FROM trades AS t WHERE ${where.sql} ORDER BY closed_at, id LIMIT 1 OFFSET ${CHUNK - 1}`,
    ...where.values,
  );
  return row && closedKeyset(row as unknown as TradeRow);
}

function closedKeyset({ closed_at, id }: TradeRow): Keyset {
  return [closed_at, id];
}

/**
 * The closed trades that meet a condition on dimensions, for lists: those that a row of figures
 * counts.
 * @returns their ids
 */
export function matchingTrades(
  reader: Reader,
  user: User,
  clauses: readonly Clause[],
): Set<string> {
  const condition = new Condition(clauses, new ZoneClock(user.timezone));
  const ids = new Set<string>();
  // A condition sees trades without an exchange rate, too.
  const where = {
    columns: condition.columns,
    matches(trade: ClosedTrade) {
      if (condition.matches(trade)) ids.add(trade.id);
      return false;
    },
  };
  visitClosedTrades(
    reader,
    user,
    { range: { from: null, to: null }, filters: {}, unit: 'trade', where },
    [],
  );
  return ids;
}

/** Trades summed per step. */
const STRIDE = 10_000;

const NET = `sum(round(gross_pnl - fees, 8) * iif(currency = ${TEXT}, 1, fx_rate)) AS net`;

/**
 * What the account held: the starting balance and the net P&L of all closed trades so far, for any
 * request.
 * @param at epoch milliseconds; null for the start
 * @returns null without a starting balance
 */
export function balanceBefore(reader: Reader, user: User, at: number | null): number | null {
  if (user.starting_balance === null || at === null) return user.starting_balance;
  const balance = new Sum();
  balance.add(user.starting_balance);
  for (let last: string | undefined; ; ) {
    const where = new Where(user.id);
    where.add('closed_at IS NOT NULL');
    where.range('closed_at', { from: null, to: toInstantText(clamp(at)) });
    if (last !== undefined) where.add(`closed_at > ${TEXT}`, last);
    // Not by id, which a key that hides symbols would have to translate.
    const end = reader.get(
      `SELECT closed_at FROM trades WHERE ${where.sql} ORDER BY closed_at LIMIT 1 OFFSET ${STRIDE - 1}`,
      ...where.values,
    );
    if (end) where.add(`closed_at <= ${TEXT}`, storedText(end['closed_at']));
    const row = reader.get(
      `SELECT ${NET} FROM trades WHERE ${where.sql}`,
      user.base_currency,
      ...where.values,
    );
    balance.add(storedNumber(row?.['net'] ?? 0));
    if (!end) return balance.value;
    last = storedText(end['closed_at']);
  }
}
