/** What opening positions took from cash. Formulas: docs/analytics.md. */
import { Sum } from '../../money.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { toInstantText } from '../../time.ts';
import type { User } from '../journal.ts';
import type { Trade } from '../resources/trades.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber } from '../stored-value.ts';
import type { Exit, ExitFill } from '../trade-exits.ts';
import { isOneOf, Where } from '../where.ts';
import { ExitRows } from './exit-rows.ts';
import type { Ledger, Ledgers, OfAccount } from './ledgers.ts';
import { clamp } from './period.ts';

/** Markets in which opening a position moves no cash but its costs. */
const WITHOUT_CASH: readonly Trade['market'][] = ['future', 'cfd', 'forex'];

export interface OpenCost {
  cost: Sum;
  /** Whether futures are open: the stated cash has their daily settlement. */
  hasFutures: boolean;
}

interface OpenRow
  extends Pick<
    Trade,
    | 'id'
    | 'account'
    | 'currency'
    | 'market'
    | 'side'
    | 'quantity'
    | 'open_quantity'
    | 'entry_price'
    | 'multiplier'
    | 'fees'
  > {
  closed_at: string | null;
}

/** @param at epoch milliseconds: of the positions open then */
export function openCostsAt(
  reader: Reader,
  user: User,
  filters: OfAccount,
  { at, ledgers }: { at: number; ledgers: Ledgers },
): Map<Ledger, OpenCost> {
  const before = toInstantText(clamp(at));
  const where = new Where(user.id)
    .filter(tradeFilters, filters, { byIndex: false })
    .range('executed_at', { from: null, to: before })
    .add(`(closed_at IS NULL OR closed_at >= ${TEXT})`, before);
  const rows = reader.all<OpenRow>(
    `SELECT id, account, currency, market, side, quantity, open_quantity, entry_price, multiplier,
       fees, closed_at
     FROM trades AS t WHERE ${where.sql}`,
    ...where.values,
  );

  const exits = new ExitRows(reader, user).of(rows);
  const fills = fillsOf(reader, user, rows);
  const costs = new Map<Ledger, OpenCost>();

  for (const row of rows) {
    const ledger = ledgers.of(row.account, row.currency);
    const open = costs.get(ledger) ?? { cost: new Sum(), hasFutures: false };
    costs.set(ledger, open);
    open.hasFutures ||= row.market === 'future';
    const ofRow = { exits: exits.get(row.id) ?? null, fills: fills.get(row.id) ?? [] };
    open.cost.add(storedNumber(costOf(row, ofRow, before)));
  }

  return costs;
}

type Fill = Pick<ExitFill, 'executed_at' | 'side' | 'quantity' | 'price' | 'fees'>;

function fillsOf(
  reader: Reader,
  user: User,
  rows: readonly OpenRow[],
): Map<string, Fill[]> {
  if (rows.length === 0) return new Map();
  const fills = reader.all<Fill & { trade_id: string }>(
    `SELECT trade_id, executed_at, side, quantity, price, fees FROM executions
     WHERE user_id = ${TEXT} AND ${isOneOf('trade_id')} ORDER BY trade_id, executed_at, position`,
    user.id,
    JSON.stringify(rows.map(({ id }) => id)),
  );
  return Map.groupBy(fills, ({ trade_id }) => trade_id);
}

/**
 * What its fills took from cash, and its exits haven't brought back: whatever exits are
 * by first in, first out, or by average prices, both together are the cash.
 * @param before UTC text
 */
function costOf(
  row: OpenRow,
  { exits, fills }: { exits: readonly Exit[] | null; fills: readonly Fill[] },
  before: string,
): number {
  const { market, closed_at } = row;
  const movesCash = !WITHOUT_CASH.includes(market);
  if (exits === null || fills.length === 0) return costWithoutFills(row, movesCash);

  const taken = fills.filter(({ executed_at }) => executed_at < before);
  const cost = sumOf(taken.map(({ fees }) => fees));
  if (movesCash) for (const fill of taken) cost.add(priceOf(fill) * row.multiplier);
  const closing = exits.filter(({ isCost }) => !isCost);
  for (const exit of closing)
    if (exit.executed_at < before) cost.add(movesCash ? exit.net : -exit.fees);

  // Costs that no fill carries; those with days of their own are realised.
  const dated = exits.filter(({ isCost }) => isCost);
  const known = sumOf([...fills, ...dated].map(({ fees }) => fees));
  if (closed_at === null) cost.add(row.fees - known.value);
  return cost.value;
}

const priceOf = ({ side, price, quantity }: Fill) =>
  (side === 'buy' ? 1 : -1) * price * quantity;

function sumOf(values: readonly number[]): Sum {
  const sum = new Sum();
  for (const value of values) sum.add(value);
  return sum;
}

/**
 * All of it was opened at the entry; when its costs were paid is unknown once it is
 * closed.
 */
function costWithoutFills(row: OpenRow, movesCash: boolean): number {
  const { side, quantity, open_quantity, entry_price, multiplier, fees, closed_at } = row;
  const held = closed_at === null ? open_quantity || quantity : quantity;
  const sign = side === 'long' ? 1 : -1;
  const paid = movesCash ? sign * (entry_price ?? 0) * held * multiplier : 0;
  return paid + (closed_at === null ? fees : 0);
}
