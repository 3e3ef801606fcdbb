/** What the account held: the starting balance and the net P&L of all closed trades so far, for any request. */
import { Sum } from '../../money.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { toInstantText } from '../../time.ts';
import type { User } from '../journal.ts';
import { storedNumber } from '../stored-value.ts';
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
  for (let last: [string, string] | undefined; ; ) {
    const where = new Where(user.id);
    where.add('closed_at IS NOT NULL');
    where.range('closed_at', { from: null, to: toInstantText(clamp(at)) });
    if (last) where.compare(['closed_at', 'id'], '>', last);
    const order = 'ORDER BY closed_at, id LIMIT 1';
    const end = reader.get(
      `SELECT closed_at, id FROM trades WHERE ${where.sql} ${order} OFFSET ${STRIDE - 1}`,
      ...where.values,
    );
    const next = end && ([end['closed_at'], end['id']] as [string, string]);
    if (next) where.compare(['closed_at', 'id'], '<=', next);
    const row = reader.get(`SELECT ${NET} FROM trades WHERE ${where.sql}`, user.base_currency, ...where.values);
    balance.add(storedNumber(row?.['net'] ?? 0));
    if (!next) return balance.value;
    last = next;
    yield;
  }
}
