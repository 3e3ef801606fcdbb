/** Open trades or positions, excluded from all other figures. */

import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { lastExpired } from '../expirations.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber } from '../stored-value.ts';
import { Where } from '../where.ts';
import { type Accumulator, type ClosedTrade, IN_BASE, rateOf } from './closed-trade.ts';
import type { Selection } from './closed-trades.ts';
import { filtersIgnored, ignoring } from './condition.ts';
import { groupsWithMatchingLeg } from './positions.ts';

export const dataQualityRecord = f.record(() => ({
  without_stop: f.count('Closed trades without a stop price; like the next two, those without an fx_rate count too'),
  without_journal: f.count(
    'Closed trades without a journal entry; with unit=position, an entry of any leg or of the trade group counts',
  ),
  without_risk: f.count('Closed trades without a risk, so without R'),
  without_rate: f.count('Closed trades excluded from figures: in another currency without an fx_rate'),
  currencies_left_out: f.strings('The currencies of these trades, sorted', 'nothing'),
  expired_open: f.count(
    'Options still open after their expiration, entered before the end of the period: the owner closes them with "journal-api expire"',
  ),
}));

/** Counts missing data of closed trades, including those excluded from figures. */
export class DataQuality implements Accumulator {
  readonly columns = ['stop', 'entries', 'risk'] as const;
  #withoutRate = 0;
  readonly #currencies = new Set<string>();
  #withoutStop = 0;
  #withoutJournal = 0;
  #withoutRisk = 0;

  add({ hasStop, journalRules, r }: ClosedTrade): void {
    if (!hasStop) this.#withoutStop++;
    if (journalRules.length === 0) this.#withoutJournal++;
    if (r === null) this.#withoutRisk++;
  }

  /** @param currencies all currencies without an exchange rate of one trade or position */
  addWithoutRate(trade: ClosedTrade, currencies: readonly string[]): void {
    this.add(trade);
    this.#withoutRate++;
    for (const currency of currencies) this.#currencies.add(currency);
  }

  /** @param expired number of options that are open after their expiration */
  result(expired: number): z.infer<typeof dataQualityRecord> {
    return {
      without_stop: this.#withoutStop,
      without_journal: this.#withoutJournal,
      without_risk: this.#withoutRisk,
      without_rate: this.#withoutRate,
      currencies_left_out: [...this.#currencies].sort(),
      expired_open: expired,
    };
  }
}

export const openRecord = f
  .record(() => ({
    trades: f.count('Open trades entered before the end of the period; for positions, those with an open leg'),
    realised_pnl: f.money(
      `Their realised P&L after fees, ${IN_BASE}; for positions, closed legs included; without those in a currency without an exchange rate`,
    ),
    filters_ignored: filtersIgnored(),
  }))
  .meta({
    description: 'Open trades, excluded from all other figures',
  });

interface OpenRow {
  currency: string;
  fx_rate: number | null;
  net_pnl: number;
  executed_at: string;
  /** Of an open option; else null. */
  expiration: string | null;
}

const COLUMNS = `currency, fx_rate, net_pnl, executed_at,
  CASE WHEN status = 'open' AND market = 'option' THEN expiration END AS expiration`;
// Nearly all trades are closed, so SQLite's statistics may reject the index, which finds the few open ones.
const openIn = ({ overlay }: Reader) => (overlay ? 'trades AS t' : 'trades AS t INDEXED BY trades_status');

/**
 * Open trades have no closing day; those entered before the end of the period count.
 * @param now epoch milliseconds, for options that have expired
 * @param ignored parameters of the request that don't apply
 */
export function openTrades(
  reader: Reader,
  user: User,
  selection: Selection,
  now: number,
  ignored: readonly string[] = [],
): { open: z.infer<typeof openRecord>; expired: number } {
  const realised = new Sum();
  const lastDay = lastExpired(now);
  let [trades, expired] = [0, 0];
  const count = (rows: readonly OpenRow[]) => {
    for (const { expiration } of rows) if (expiration !== null && expiration <= lastDay) expired++;
    const money = rows.map(({ currency, fx_rate, net_pnl }) => {
      const rate = rateOf(user, currency, fx_rate);
      return rate === null ? null : storedNumber(net_pnl * rate);
    });
    trades++;
    if (money.includes(null)) return;
    for (const amount of money as number[]) realised.add(amount);
  };
  for (const row of openSingles(reader, user, selection)) count([row]);
  if (selection.unit === 'position') for (const legs of openGroups(reader, user, selection)) count(legs);
  return { open: { trades, realised_pnl: roundMoney(realised.value), ...ignoring(ignored) }, expired };
}

function openSingles(reader: Reader, user: User, { range, filters, unit }: Selection): OpenRow[] {
  // An open trade has no outcome yet.
  if (filters['outcome'] !== undefined) return [];
  const where = new Where(user.id);
  where.filter(tradeFilters, filters, { byIndex: false });
  where.add("status = 'open'");
  where.range('executed_at', { from: null, to: range.to });
  if (unit === 'position') where.add('group_id IS NULL');
  return rowsOf(reader, openIn(reader), where);
}

/** All legs of each open group that passes the filters. */
function* openGroups(reader: Reader, user: User, { range, filters }: Selection): Generator<OpenRow[]> {
  const groups = reader.all(
    `SELECT DISTINCT group_id FROM ${openIn(reader)} WHERE user_id = ${TEXT} AND status = 'open' AND group_id IS NOT NULL`,
    user.id,
  );
  const ids = groups.map((row) => row['group_id'] as string);
  const matching = groupsWithMatchingLeg(reader, user, ids, filters);
  for (const group_id of ids) {
    if (!matching.has(group_id)) continue;
    const where = new Where(user.id);
    where.add(`group_id = ${TEXT}`, group_id);
    const legs = rowsOf(reader, 'trades', where);
    if (legs.some(({ executed_at }) => range.to === null || executed_at < range.to)) yield legs;
  }
}

function rowsOf(reader: Reader, source: string, where: Where): OpenRow[] {
  return reader.all(`SELECT ${COLUMNS} FROM ${source} WHERE ${where.sql}`, ...where.values) as unknown as OpenRow[];
}
