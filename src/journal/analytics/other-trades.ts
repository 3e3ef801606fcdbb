/** Open trades, which no other figure counts. */
import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import { STILL_WANTED } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { lastExpired } from '../derivatives.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber } from '../stored-value.ts';
import { Where } from '../where.ts';
import { IN_BASE, rateOf } from './closed-trade.ts';
import type { Selection } from './condition.ts';
import { filtersIgnored, ignoring } from './condition.ts';
import { ExitRows } from './exit-rows.ts';
import { matchingGroups } from './positions.ts';

export const openRecord = f
  .record(() => ({
    trades: f.count(
      'Open trades entered before the end of the period; for positions, those with an open leg',
    ),
    realised_pnl: f.money(
      `Sum of their exits after costs, ${IN_BASE}; for positions, closed legs included; without those in a currency without an exchange rate`,
    ),
    filters_ignored: filtersIgnored(),
  }))
  .meta({
    description: 'Open trades, excluded from all other figures',
  });

interface OpenRow {
  id: string;
  currency: string;
  fx_rate: number | null;
  realised_pnl: number;
  executed_at: string;
  /** Of an open option; else null. */
  expiration: string | null;
}

const COLUMNS = `id, currency, fx_rate, executed_at,
  (SELECT realised_pnl FROM trade_records AS r WHERE r.user_id = t.user_id AND r.id = t.id) AS realised_pnl,
  CASE WHEN status = 'open' AND market = 'option'
    AND NOT EXISTS (SELECT 1 FROM json_each(tags) WHERE value = 'unsure') THEN expiration END AS expiration`;
// Nearly all trades are closed, so SQLite's statistics may reject the index, which finds
// the few open ones.
const openIn = ({ overlay }: Reader) =>
  overlay ? 'trades AS t' : 'trades AS t INDEXED BY trades_status';

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
  const exits = new ExitRows(reader, user);
  const lastDay = lastExpired(now);
  let [trades, expired] = [0, 0];

  const count = (rows: readonly OpenRow[]) => {
    for (const { expiration } of rows)
      if (expiration !== null && expiration <= lastDay) expired++;
    const money = rows.map((row) => realisedInBase(row, user, exits));
    trades++;
    if (money.includes(null)) return;

    for (const amount of money) if (amount !== null) realised.add(amount);
  };

  for (const row of openSingles(reader, user, selection)) count([row]);
  if (selection.unit === 'position')
    for (const legs of openGroups(reader, user, selection)) count(legs);

  return {
    open: { trades, realised_pnl: roundMoney(realised.value), ...ignoring(ignored) },
    expired,
  };
}

/**
 * The exits of an open trade at the rates of their days, else at its own; null without a
 * rate.
 */
function realisedInBase(
  { id, currency, fx_rate, realised_pnl }: OpenRow,
  user: User,
  rows: ExitRows,
): number | null {
  const rate = rateOf(user, currency, fx_rate);
  const exits = currency === user.base_currency ? null : rows.of([{ id }]).get(id);
  if (!exits?.some((exit) => exit.fx_rate !== null))
    return rate === null ? null : storedNumber(realised_pnl * rate);

  const amounts = exits.map((exit) => [exit.net, exit.fx_rate ?? rate] as const);
  if (amounts.some(([, of]) => of === null)) return null;

  const sum = new Sum();
  for (const [net, of] of amounts) sum.add(storedNumber(net * (of as number)));
  return sum.value;
}

function openSingles(
  reader: Reader,
  user: User,
  { range, filters, unit }: Selection,
): OpenRow[] {
  // An open trade has no outcome yet.
  if (filters['outcome'] !== undefined) return [];

  const where = new Where(user.id);
  where.filter(tradeFilters, filters, { byIndex: false });
  where.add("status = 'open'");
  where.range('executed_at', { from: null, to: range.to });
  if (unit === 'position') where.add('group_id IS NULL');
  // No index has the open ones that a key with a lens sees.
  if (reader.overlay) where.add(STILL_WANTED);

  return rowsOf(reader, openIn(reader), where);
}

/** All legs of each open group that passes the filters. */
function openGroups(
  reader: Reader,
  user: User,
  { range, filters }: Selection,
): OpenRow[][] {
  const groups = reader.all<{ group_id: string }>(
    `SELECT DISTINCT group_id FROM ${openIn(reader)} WHERE user_id = ${TEXT} AND status = 'open' AND group_id IS NOT NULL AND ${STILL_WANTED}`,
    user.id,
  );
  const ids = groups.map((row) => row.group_id);
  const matching = matchingGroups(reader, user, ids, filters);

  return ids
    .filter((group_id) => matching.has(group_id))
    .map((group_id) =>
      rowsOf(
        reader,
        'trades AS t',
        new Where(user.id).add(`group_id = ${TEXT}`, group_id),
      ),
    )
    .filter((legs) =>
      legs.some(({ executed_at }) => range.to === null || executed_at < range.to),
    );
}

function rowsOf(reader: Reader, source: string, where: Where): OpenRow[] {
  return reader.all<OpenRow>(
    `SELECT ${COLUMNS} FROM ${source} WHERE ${where.sql}`,
    ...where.values,
  );
}
