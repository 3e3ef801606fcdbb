/**
 * Closes whose opening no file states: no trade has them. What their rows state that they
 * realised counts on their day.
 */
import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { fromInstantText } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber } from '../stored-value.ts';
import { type Range, Where } from '../where.ts';
import { IN_BASE, type RealisedExit, rateOf } from './closed-trade.ts';

/** Symbols, and currencies, that are named. */
const MOST_NAMED = 5;

export const unmatchedRecord = f.record(() => ({
  closes: f.count('Unmatched closes of the period: no file states their opening'),
  symbols: f.strings(
    'Their symbols, at most five, those with most closes first',
    'symbol',
  ),
  distinct: f.count('Number of their symbols'),
  realised_stated: f.money(`P&L after costs that their rows state, ${IN_BASE}`),
  without_rate: f.list(
    f.item({
      currency: f.currency('Currency without an exchange rate'),
      amount: f.money('P&L that rows in this currency state'),
    }),
    'Stated P&L that no figure includes, at most five currencies',
  ),
  without_statement: f.count('Those whose row states no P&L'),
}));

/** Filters that apply to a close; any other chooses trades. */
const OF_CLOSES: readonly string[] = ['account', 'symbol', 'underlying', 'market'];

interface UnmatchedSelection {
  range: Range;
  filters: Readonly<Record<string, string>>;
}

/** An unmatched close; money in its currency. */
export interface UnmatchedRow {
  account: string | null;
  symbol: string;
  currency: string;
  /** UTC text. */
  closed_at: string;
  fees: number;
  /** Null: its row states none. */
  net_pnl: number | null;
  fx_rate: number | null;
}

/** The unmatched closes of a period, oldest first; none if a filter chooses trades. */
export function unmatchedCloses(
  reader: Reader,
  user: User,
  { range, filters }: UnmatchedSelection,
): UnmatchedRow[] {
  if (Object.keys(filters).some((name) => !OF_CLOSES.includes(name))) return [];

  const where = new Where(user.id)
    .filter(tradeFilters, filters, { byIndex: false })
    .range('closed_at', range);
  const sql = `SELECT account, symbol, currency, closed_at, fees, net_pnl, fx_rate
    FROM unmatched_closes AS t WHERE ${where.sql} ORDER BY closed_at`;
  return reader.all<UnmatchedRow>(sql, ...where.values);
}

/** What closes realised by what their rows state, if there is a rate. */
export function unmatchedExits(
  user: User,
  closes: readonly UnmatchedRow[],
): RealisedExit[] {
  return closes.flatMap(({ currency, closed_at, fees, net_pnl, fx_rate }) => {
    const rate = rateOf(user, currency, fx_rate);
    if (net_pnl === null || rate === null) return [];

    const [net, costs] = [storedNumber(net_pnl * rate), storedNumber(fees * rate)];
    return [{ at: fromInstantText(closed_at), gross: net + costs, fees: costs, net }];
  });
}

export function unmatchedFigures(
  user: User,
  closes: readonly UnmatchedRow[],
): z.infer<typeof unmatchedRecord> {
  const realised = new Sum();
  const unrated = new Map<string, Sum>();
  let unstated = 0;

  for (const { currency, net_pnl, fx_rate } of closes) {
    if (net_pnl === null) {
      unstated++;
      continue;
    }

    const rate = rateOf(user, currency, fx_rate);
    if (rate !== null) {
      realised.add(storedNumber(net_pnl * rate));
      continue;
    }

    const sum = unrated.get(currency) ?? new Sum();
    sum.add(net_pnl);
    unrated.set(currency, sum);
  }

  const symbols = [...Map.groupBy(closes, ({ symbol }) => symbol)]
    .map(([symbol, { length }]) => ({ symbol, length }))
    .sort((a, b) => b.length - a.length || (a.symbol < b.symbol ? -1 : 1));
  const amounts = [...unrated]
    .map(([currency, sum]) => ({ currency, amount: roundMoney(sum.value) }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));

  return {
    closes: closes.length,
    symbols: symbols.slice(0, MOST_NAMED).map(({ symbol }) => symbol),
    distinct: symbols.length,
    realised_stated: roundMoney(realised.value),
    without_rate: amounts.slice(0, MOST_NAMED),
    without_statement: unstated,
  };
}
