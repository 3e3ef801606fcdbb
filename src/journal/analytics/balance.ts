/** What the account held: the starting balance and the net P&L of all closed trades so far, for any request. */
import { Sum } from '../../money.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { toInstantText } from '../../time.ts';
import type { User } from '../journal.ts';
import { storedNumber, storedText } from '../stored-value.ts';
import { Where } from '../where.ts';
import { clamp } from './statistics.ts';

/** Trades summed per step. */
const STRIDE = 10_000;

const NET = `sum(round(gross_pnl - fees, 8) * iif(currency = ${TEXT}, 1, fx_rate)) AS net`;

/** @param at epoch milliseconds; null for the start @returns null without a starting balance */
export function* balanceBefore(reader: Reader, user: User, at: number | null): Generator<void, number | null> {
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
    const row = reader.get(`SELECT ${NET} FROM trades WHERE ${where.sql}`, user.base_currency, ...where.values);
    balance.add(storedNumber(row?.['net'] ?? 0));
    if (!end) return balance.value;
    last = storedText(end['closed_at']);
    yield;
  }
}
