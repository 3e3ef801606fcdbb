/**
 * The closed trades or positions of a window, one by one in the order (closed_at, id), with their money in the user's base currency:
 * what every figure is computed from.
 */
import type { Reader } from '../../sqlite/reader.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { type Range, Where } from '../where.ts';
import type { Condition } from './condition.ts';
import { COLUMNS_OF_LEGS, Positions, type WithoutRate } from './positions.ts';
import { ContextReader } from './trade-context.ts';
import { type Accumulator, CHUNK, type ClosedTrade, sourceFor, type TradeRow, TradeRows } from './trade-rows.ts';

/** What is counted as one: each trade, or the legs of a trade group together. */
export const UNITS = ['trade', 'position'] as const;

/** Which trades: bounds of closed_at as UTC text, trade filters by name, and what counts as one of them. */
export interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
  unit: (typeof UNITS)[number];
  /** What a trade, or a position as a whole, has to meet besides. */
  where?: Pick<Condition, 'columns' | 'matches'> | null;
}

/**
 * Hands the closed trades of a selection to accumulators, in the order (closed_at, id), pausing between chunks of them.
 * @param addWithoutRate is given instead one whose money can't be converted to the base currency: it is in no figure
 * @returns how many there were
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
      else {
        counted++;
        for (const accumulator of accumulators) accumulator.add(one);
      }
    }
    yield;
  }
  return counted;
}

/** One that is in no figure, as a condition sees it. */
function withoutRate(one: WithoutRate | null, row: TradeRow, reading: TradeRows): ClosedTrade {
  return one === null ? (reading.toTrade(row, 1) as ClosedTrade) : one.asIfRated();
}

function isWithoutRate(one: ClosedTrade | WithoutRate): one is WithoutRate {
  return 'currencies' in one;
}

type Keyset = [closedAt: string, id: string];

/** The rows of a selection; of positions all legs, since one that matches no filter may be the one that closes. */
function* chunks(
  reader: Reader,
  user: User,
  { range, filters, unit }: Selection,
  reading: TradeRows,
): Generator<TradeRow[], void> {
  const isFiltered = Object.keys(filters).length > 0;
  let last: Keyset | undefined;
  for (;;) {
    // A filter may match few trades or none, so a chunk is counted in the trades that are looked at, not in those that match.
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
 * A keyset takes the place of the bound on its side: given both, SQLite may go by the bound, and step over all earlier or later
 * chunks.
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

/** The last trade of the next chunk; undefined where fewer are left. */
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
