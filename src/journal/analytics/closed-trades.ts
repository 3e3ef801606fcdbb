/**
 * The closed trades or positions of a period, one by one in the order (closed_at, id), with their money in the user's base currency:
 * the source of every figure.
 */
import type { Reader } from '../../sqlite/reader.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { type Range, Where } from '../where.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';
import type { Condition } from './condition.ts';
import { COLUMNS_OF_LEGS, Positions, type WithoutRate } from './positions.ts';
import { ContextReader } from './trade-context.ts';
import { CHUNK, sourceFor, type TradeRow, TradeRows } from './trade-rows.ts';

/** Unit to count: each trade, or the legs of a trade group together. */
export const UNITS = ['trade', 'position'] as const;

/** Selection of trades: bounds of closed_at as UTC text, trade filters by name, and the unit to count. */
export interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
  unit: (typeof UNITS)[number];
  /** Further condition on a trade, or on a position as a whole. */
  where?: Pick<Condition, 'columns' | 'matches'> | null;
}

/**
 * Passes the closed trades of a selection to accumulators in the order (closed_at, id), with pauses between chunks.
 * @param addWithoutRate called instead for a trade without an exchange rate to the base currency, excluded from figures
 * @returns number of trades passed
 */
export function* visitClosedTrades(
  reader: Reader,
  user: User,
  selection: Selection,
  accumulators: readonly Accumulator[],
  addWithoutRate?: (currencies: readonly string[]) => void,
): Generator<void, number> {
  const { filters, unit, where = null } = selection;
  const columns = [
    ...accumulators.flatMap(({ columns }) => columns),
    ...(where?.columns ?? []),
    ...(unit === 'position' ? COLUMNS_OF_LEGS : []),
  ];
  const reading = new TradeRows(reader, user, columns);
  const positions = unit === 'position' ? new Positions(reader, user, reading, filters) : null;
  const context = yield* ContextReader.open(reader, user, unit, columns);
  let counted = 0;
  for (const rows of chunks(reader, user, selection, reading)) {
    if (positions) yield* positions.meet(rows);
    const trades: ClosedTrade[] = [];
    for (const row of rows) {
      const one = positions && row.group_id != null ? yield* positions.closedBy(row) : reading.toTrade(row);
      if (one === undefined) continue;
      const trade = one !== null && !isWithoutRate(one) ? one : where && withoutRate(one, row, reading);
      if (trade && context) {
        if (!context.isReadyFor(trade)) yield* context.readFor(trade);
        context.addTo(trade);
      }
      if (where && !where.matches(trade as ClosedTrade)) continue;
      if (one === null) addWithoutRate?.([row.currency]);
      else if (isWithoutRate(one)) addWithoutRate?.(one.currencies);
      else trades.push(one);
    }
    counted += trades.length;
    // Each figure counts the whole chunk in turn: trade by trade, V8 would look up the next figure's method each time.
    for (const accumulator of accumulators) for (const trade of trades) accumulator.add(trade);
    yield;
  }
  return counted;
}

/** A trade or position excluded from figures, as a condition sees it. */
function withoutRate(one: WithoutRate | null, row: TradeRow, reading: TradeRows): ClosedTrade {
  return one === null ? (reading.toTrade(row, 1) as ClosedTrade) : one.asIfRated();
}

function isWithoutRate(one: ClosedTrade | WithoutRate): one is WithoutRate {
  return 'currencies' in one;
}

type Keyset = [closedAt: string, id: string];

/** The rows of a selection; all legs of positions, because the closing leg may match no filter. */
function* chunks(
  reader: Reader,
  user: User,
  { range, filters, unit }: Selection,
  reading: TradeRows,
): Generator<TradeRow[], void> {
  const isFiltered = Object.keys(filters).length > 0;
  let last: Keyset | undefined;
  for (;;) {
    // A filter may match few trades or none, so the size of a chunk counts all trades read, not only the matching ones.
    const end = isFiltered ? endOfChunk(reader, between(user, range, last, undefined)) : undefined;
    const where = between(user, range, last, end);
    if (unit === 'trade') where.filter(tradeFilters, filters, { byIndex: false });
    else if (isFiltered) addFilterOfSingles(where, user, filters);
    const { rows, isLast } = reading.read(sourceFor(filters), where, 'closed_at');
    yield rows;
    const next = isLast ? end : closedKeyset(rows.at(-1) as TradeRow);
    if (!next) return;
    last = next;
  }
}

/**
 * A keyset replaces the bound on its side: with both, SQLite may use the bound and step through all earlier or later chunks.
 */
function between(user: User, range: Range, last: Keyset | undefined, end: Keyset | undefined): Where {
  const where = new Where(user.id);
  where.add('closed_at IS NOT NULL');
  where.range('closed_at', { from: last ? null : range.from, to: end ? null : range.to });
  if (last) where.compare(['closed_at', 'id'], '>', last);
  if (end) where.compare(['closed_at', 'id'], '<=', end);
  return where;
}

function addFilterOfSingles(where: Where, user: User, filters: Selection['filters']): void {
  const ofSingles = new Where(user.id);
  ofSingles.filter(tradeFilters, filters, { byIndex: false });
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
