/** Size, prices, times and realised P&L of a trade, computed from its executions. */

import Database from 'better-sqlite3';
import * as z from 'zod';
import { UserError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { execution } from '../journal/resources/trades.ts';
import { asDecimal, difference, isNoise, roundMoney, Sum } from '../money.ts';
import { explainIssues } from './explain.ts';
import { normaliserOf, type Values } from './record.ts';

// Removes a record from the journal, unless others refer to it.

/** Columns that refer to trades and groups. */
const REFERENCES = [
  ['trade_journals', 'trade_id', 'trades'],
  ['weekly_reviews', 'best_trade_id', 'trades'],
  ['weekly_reviews', 'worst_trade_id', 'trades'],
  ['group_journals', 'group_id', 'trade_groups'],
  ['trades', 'group_id', 'trade_groups'],
] as const;

/** Number of referring records named in the error. */
const NAMED = 5;

/** @throws UserError that names the referring records */
export function deleteRecord(db: Database.Database, { table, title }: ListResource, userId: string, id: string): void {
  try {
    db.prepare(`DELETE FROM ${table} WHERE user_id = ? AND id = ?`).run(userId, id);
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT')) throw error;
    const mentions = REFERENCES.filter(([, , named]) => named === table).flatMap(([other, column]) => {
      const ids = db.prepare(`SELECT id FROM ${other} WHERE user_id = ? AND ${column} = ? LIMIT ${NAMED}`);
      return (ids.pluck().all(userId, id) as string[]).map((own) => `${own} (${other.replaceAll('_', ' ')})`);
    });
    throw new UserError(
      `can't remove ${id} (${title}), since other records refer to it: ${mentions.slice(0, NAMED).join(', ')}; remove those first`,
    );
  }
}

// Parts of a trade besides the fields of its record.

/** Executions, which are stored with their trade. */
export const executionList = z.array(execution);

/** Parts of other records in the API's trades: skipped, since those records are imported separately. */
export const SHOWN_OF_OTHERS: readonly string[] = ['group', 'journals', 'group_journals', 'withheld'];

const normalise = normaliserOf(executionList);

/**
 * The executions of a trade in a file, in the order they happened; undefined without any.
 * @param timeZone for times without an offset
 * @throws RowError that names the invalid one and its member
 */
export function executionsIn(row: Readonly<Values>, timeZone: string | undefined): Execution[] | undefined {
  if (row['executions'] === undefined) return undefined;
  const value = normalise?.(row['executions'], timeZone, 'executions');
  const parsed = executionList.safeParse(value);
  if (parsed.success) return inOrder(parsed.data);
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['executions', ...issue.path] }));
  throw explainIssues(issues, {}, { executions: value });
}

/** One fill. Times are instants in UTC, money is in the currency of the trade, fees are costs (negative for a rebate). */
export type Execution = z.infer<typeof execution>;

/** A trade by its executions: quantities in units, average prices, fees in the currency of the trade. */
interface Position {
  side: 'long' | 'short';
  status: 'open' | 'closed';
  executed_at: string;
  closed_at: string | null;
  quantity: number;
  open_quantity: number;
  entry_price: number;
  exit_price: number | null;
  fees: number;
}

/** Fills in the order they happened; for equal times, in the given order. */
export function inOrder(executions: readonly Execution[]): Execution[] {
  return [...executions].sort((a, b) => (a.executed_at < b.executed_at ? -1 : a.executed_at > b.executed_at ? 1 : 0));
}

/**
 * The position that the executions of one trade make.
 * @param executions in order, at least one
 * @returns undefined if they reverse the position, which no single trade does
 */
export function positionOf(executions: readonly Execution[]): Position | undefined {
  const first = executions[0] as Execution;
  const entry = { quantity: new Sum(), value: new Sum() };
  const exit = { quantity: new Sum(), value: new Sum() };
  const fees = new Sum();
  for (const fill of executions) {
    const leg = fill.side === first.side ? entry : exit;
    leg.quantity.add(fill.quantity);
    leg.value.add(fill.quantity * fill.price);
    fees.add(fill.fees);
    if (openOf(entry.quantity.value, exit.quantity.value) < 0) return undefined;
  }
  const quantity = entry.quantity.value;
  const open = openOf(quantity, exit.quantity.value);
  return {
    side: first.side === 'buy' ? 'long' : 'short',
    status: open === 0 ? 'closed' : 'open',
    executed_at: first.executed_at,
    closed_at: open === 0 ? (executions.at(-1) as Execution).executed_at : null,
    quantity: asDecimal(quantity),
    open_quantity: open,
    entry_price: asDecimal(entry.value.value / quantity),
    exit_price: exit.quantity.value > 0 ? asDecimal(exit.value.value / exit.quantity.value) : null,
    fees: roundIfFinite(fees.value),
  };
}

/**
 * Realised P&L of a trade's executions before fees; closes use the average price of the open position.
 * @param executions in order
 * @param multiplier money per point of price and unit of quantity
 * @returns money in the currency of the trade; undefined without executions, or if they reverse the position
 */
export function realisedBy(executions: readonly Execution[], multiplier: number): number | undefined {
  const position = executions.length > 0 ? positionOf(executions) : undefined;
  if (!position) return undefined;
  const realised = new Sum();
  if (position.status === 'closed') {
    // From flat to flat, proceeds minus cost is exact; averages aren't.
    for (const fill of executions) realised.add((fill.side === 'sell' ? 1 : -1) * fill.quantity * fill.price);
    return roundIfFinite(realised.value * multiplier);
  }
  const direction = position.side === 'long' ? 1 : -1;
  const opening = position.side === 'long' ? 'buy' : 'sell';
  let open = 0;
  let average = 0;
  for (const { side, quantity, price } of executions) {
    if (side === opening) {
      average = (average * open + price * quantity) / (open + quantity);
      open += quantity;
    } else {
      realised.add((price - average) * quantity * direction);
      open -= quantity;
    }
  }
  return roundIfFinite(realised.value * multiplier);
}

/** The open quantity, negative beyond flat; binary noise counts as 0. */
function openOf(opened: number, closed: number): number {
  return isNoise(opened - closed, opened) ? 0 : difference(opened, closed);
}

/** Rounded money; infinite values are rejected later, by the check of the record. */
export function roundIfFinite(value: number): number {
  return Number.isFinite(value) ? roundMoney(value) : value;
}
