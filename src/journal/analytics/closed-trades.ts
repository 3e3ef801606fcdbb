/**
 * The closed trades or positions of a period, one by one in the order (closed_at, id),
 * with their money in the user's base currency: the source of every figure.
 */

import { Sum } from '../../money.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { toInstantText, ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber, storedText } from '../stored-value.ts';
import { markedId, type Range, Where } from '../where.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';
import { type Clause, Condition, type Selection } from './condition.ts';
import { contextOf } from './context.ts';
import { type Found, isWithin, visitOthers } from './other-exits.ts';
import { clamp } from './period.ts';
import { COLUMNS_OF_LEGS, isWithoutRate, Positions } from './positions.ts';
import { CHUNK, sourceFor, type TradeRow, TradeRows } from './trade-rows.ts';

/**
 * Receives a trade excluded from figures: these currencies have no rate to the base
 * currency.
 */
type AddWithoutRate = (
  trade: ClosedTrade,
  currencies: readonly string[],
  /** False if it only has exits in the period. */
  isClosed: boolean,
) => void;

/**
 * Passes the closed trades of a selection to accumulators in the order (closed_at, id),
 * then those that only have exits in its period.
 * @returns number of closed trades passed
 */
export function visitClosedTrades(
  reader: Reader,
  user: User,
  selection: Selection,
  accumulators: readonly Accumulator[],
  addWithoutRate?: AddWithoutRate,
): number {
  const pass = new Pass(reader, user, selection, accumulators, addWithoutRate);
  const counted = pass.visitClosed();
  pass.visitOthers();
  return counted;
}

class Pass {
  readonly #reader: Reader;
  readonly #user: User;
  readonly #selection: Selection;
  readonly #accumulators: readonly Accumulator[];
  readonly #addWithoutRate: AddWithoutRate | undefined;
  readonly #reading: TradeRows;
  readonly #positions: Positions | null;
  readonly #addContext: ReturnType<typeof contextOf>;

  constructor(
    reader: Reader,
    user: User,
    selection: Selection,
    accumulators: readonly Accumulator[],
    addWithoutRate: AddWithoutRate | undefined,
  ) {
    const { filters, unit, where = null } = selection;
    const isByPosition = unit === 'position';
    const columns = [
      ...accumulators.flatMap((accumulator) => accumulator.columns),
      ...(where?.columns ?? []),
      ...(isByPosition ? COLUMNS_OF_LEGS : []),
    ];
    this.#reader = reader;
    this.#user = user;
    this.#selection = selection;
    this.#accumulators = accumulators;
    this.#addWithoutRate = addWithoutRate;
    this.#reading = new TradeRows(reader, user, columns);
    this.#positions = isByPosition
      ? new Positions(reader, user, this.#reading, filters)
      : null;
    this.#addContext = contextOf(reader, user, unit, columns);
  }

  visitClosed(): number {
    let counted = 0;
    visitRows(this.#reader, this.#user, this.#selection, this.#reading, (rows) => {
      const trades = this.#countedOf(rows);
      counted += trades.length;
      // Each figure counts the whole chunk in turn: trade by trade, V8 would look up the
      // next figure's method each time.
      for (const accumulator of this.#accumulators)
        for (const trade of trades) accumulator.add(trade);
    });
    return counted;
  }

  #countedOf(rows: readonly TradeRow[]): ClosedTrade[] {
    const positions = this.#positions;
    positions?.meet(rows);
    const trades: ClosedTrade[] = [];

    for (const row of rows) {
      const found =
        positions && row.group_id != null
          ? positions.closedBy(row)
          : this.#reading.toTrade(row);
      const trade = found === undefined ? undefined : this.#counted(found, row, true);
      if (trade) trades.push(trade);
    }

    return trades;
  }

  visitOthers(): void {
    if (!this.#accumulators.some(({ addExits }) => addExits)) return;

    const isInPeriod = isWithin(this.#selection.range);
    const [reader, user] = [this.#reader, this.#user];
    visitOthers(
      reader,
      user,
      this.#selection,
      this.#reading,
      this.#positions,
      (found, row) => {
        if (!this.#asIfRated(found, row).exits?.some(isInPeriod)) return;
        const trade = this.#counted(found, row, false);
        if (trade)
          for (const accumulator of this.#accumulators) accumulator.addExits?.(trade);
      },
    );
  }

  /** The trade if figures count it; undefined if it doesn't match, or has no rate. */
  #counted(
    found: Found,
    row: TradeRow | null,
    isClosed: boolean,
  ): ClosedTrade | undefined {
    const trade = this.#asIfRated(found, row);
    this.#addContext?.(trade);
    const { where } = this.#selection;
    if (where && !where.matches(trade)) return undefined;
    if (found !== null && !isWithoutRate(found)) return trade;

    const currencies = found === null ? [(row as TradeRow).currency] : found.currencies;
    this.#addWithoutRate?.(trade, currencies, isClosed);
    return undefined;
  }

  /** A trade or position without a rate as if its rate were 1. */
  #asIfRated(found: Found, row: TradeRow | null): ClosedTrade {
    if (found !== null) return isWithoutRate(found) ? found.asIfRated() : found;
    const one = row as TradeRow;
    const trade =
      one.closed_at === null
        ? this.#reading.toOpenTrade(one, 1)
        : this.#reading.toTrade(one, 1);
    return trade as ClosedTrade;
  }
}

type Keyset = [closedAt: string, id: string];

/**
 * Visits the rows of a selection in the same order, a chunk at a time; all legs of
 * positions, because the closing leg may match no filter.
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
    // A filter may match few trades or none, so the size of a chunk counts all trades
    // read, not only the matching ones.
    const end = isFiltered
      ? endOfChunk(reader, between(user, range, last, undefined))
      : undefined;
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
 * A keyset replaces the bound on its side: with both, SQLite may use the bound and step
 * through all earlier or later chunks.
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

function addFilterOfSingles(
  where: Where,
  user: User,
  filters: Selection['filters'],
): void {
  const ofSingles = new Where(user.id).filter(tradeFilters, filters, { byIndex: false });
  where.add(`(group_id IS NOT NULL OR ${ofSingles.sql})`, ...ofSingles.values);
}

/** The last trade of the next chunk; undefined if fewer remain. */
function endOfChunk(reader: Reader, where: Where): Keyset | undefined {
  const row = reader.get<Pick<TradeRow, 'closed_at' | 'id'>>(
    `SELECT closed_at, id FROM trades AS t WHERE ${where.sql} ORDER BY closed_at, id LIMIT 1 OFFSET ${CHUNK - 1}`,
    ...where.values,
  );
  return row && closedKeyset(row);
}

function closedKeyset({ closed_at, id }: Pick<TradeRow, 'closed_at' | 'id'>): Keyset {
  return [closed_at, id];
}

/**
 * The closed trades or positions that meet a condition on dimensions, for lists: those
 * that a row of figures counts.
 * @returns their ids; of trade groups, marked as such
 */
export function matchingIds(
  reader: Reader,
  user: User,
  unit: Selection['unit'],
  clauses: readonly Clause[],
): Set<string> {
  const condition = new Condition(clauses, new ZoneClock(user.timezone));
  const ids = new Set<string>();
  // A condition sees trades without an exchange rate, too.
  const where = {
    columns: condition.columns,
    matches(trade: ClosedTrade) {
      const { id, groupId } = trade;
      const isGroup = unit === 'position' && groupId !== null;
      if (condition.matches(trade)) ids.add(isGroup ? markedId(groupId) : id);
      return false;
    },
  };

  const range = { from: null, to: null };
  visitClosedTrades(reader, user, { range, filters: {}, unit, where }, []);
  return ids;
}

/** Trades summed per step. */
const STRIDE = 10_000;

const NET = `sum(round(gross_pnl - fees, 8) * iif(currency = ${TEXT}, 1, fx_rate)) AS net`;

/**
 * What the account held: the starting balance and the net P&L of all closed trades so
 * far, for any request.
 * @param at epoch milliseconds; null for the start
 * @returns null without a starting balance
 */
export function balanceBefore(
  reader: Reader,
  user: User,
  at: number | null,
): number | null {
  if (user.starting_balance === null || at === null) return user.starting_balance;

  const balance = new Sum();
  balance.add(user.starting_balance);
  const to = toInstantText(clamp(at));

  for (let last: string | undefined; ; ) {
    const after = () => {
      const where = new Where(user.id).add('closed_at IS NOT NULL');
      return last === undefined ? where : where.add(`closed_at > ${TEXT}`, last);
    };
    const rest = after().range('closed_at', { from: null, to });
    // Not by id, which a key that hides symbols would have to translate.
    const end = reader.get(
      `SELECT closed_at FROM trades WHERE ${rest.sql} ORDER BY closed_at LIMIT 1 OFFSET ${STRIDE - 1}`,
      ...rest.values,
    );
    // In place of the end of the period: with both bounds, SQLite steps through all that
    // follow.
    const where = end
      ? after().add(`closed_at <= ${TEXT}`, storedText(end['closed_at']))
      : rest;
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
