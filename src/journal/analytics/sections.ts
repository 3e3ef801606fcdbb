/** The parts of the analytics that are not the performance of closed trades: open trades, rules, missed trades, gaps in the data. */
import * as z from 'zod';
import { ratioOrNull, roundMoney, roundRatio, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { Where } from '../where.ts';
import { type ClosedTrade, rateOf, type Selection } from './closed-trades.ts';

const BASE = "in the user's base currency";

export const openRecord = z.strictObject({
  trades: f.count('Open trades that were opened before the end of the window'),
  realised_pnl: f.money(`What they have realised so far after fees, ${BASE}`),
});

/** Open trades belong to no day; those opened before the window's end count. */
export function openTrades(reader: Reader, user: User, { range, filters }: Selection): z.infer<typeof openRecord> {
  // An open trade has no outcome yet.
  if (filters['outcome'] !== undefined) return { trades: 0, realised_pnl: 0 };
  const where = new Where(user.id);
  where.filter(tradeFilters, filters, { byIndex: false });
  where.add("status = 'open'");
  where.range('executed_at', { from: null, to: range.to });
  // Told to use the index: SQLite's figures may say that nearly all trades have the same status, and they have, but not this one.
  const rows = reader.rows(
    `SELECT currency, fx_rate, net_pnl FROM trades INDEXED BY trades_status WHERE ${where.sql}`,
    ...where.values,
  );
  const realised = new Sum();
  let trades = 0;
  for (const [currency, fxRate, net] of rows as [string, number | null, number][]) {
    const rate = rateOf(user, currency, fxRate);
    if (rate === null) continue;
    trades++;
    realised.add(net * rate);
  }
  return { trades, realised_pnl: roundMoney(realised.value) };
}

export const rulesRecord = z.strictObject({
  followed: f.count('Rules answered as followed, in the journal entries of the trades'),
  broken: f.count('Rules answered as broken'),
  adherence: f.orNull(f.ratio('Followed over answered, 0 to 1; null where none is answered')),
  net_pnl_followed: f.money(`Net P&L of the trades whose answered rules were all followed, ${BASE}`),
  net_pnl_broken: f.money(`Net P&L of the trades with a broken rule, ${BASE}`),
});

/** Whether the rules of the trades' journal entries were followed, and what that made. */
export class RulesPass {
  #followed = 0;
  #broken = 0;
  readonly #netFollowed = new Sum();
  readonly #netBroken = new Sum();

  add({ journalRules, net }: ClosedTrade): void {
    let followed = 0;
    let broken = 0;
    for (const rules of journalRules) {
      for (const rule of rules) {
        if (rule.followed === true) followed++;
        if (rule.followed === false) broken++;
      }
    }
    this.#followed += followed;
    this.#broken += broken;
    if (broken > 0) this.#netBroken.add(net);
    else if (followed > 0) this.#netFollowed.add(net);
  }

  result(): z.infer<typeof rulesRecord> {
    const answered = this.#followed + this.#broken;
    return {
      followed: this.#followed,
      broken: this.#broken,
      adherence: ratioOrNull(answered === 0 ? null : this.#followed / answered),
      net_pnl_followed: roundMoney(this.#netFollowed.value),
      net_pnl_broken: roundMoney(this.#netBroken.value),
    };
  }
}

export const missedRecord = z.strictObject({
  count: f.count(
    'Missed trades of the window; the filters that a missed trade has (market, symbol, side, setup, tag) apply',
  ),
  hypothetical_r: f.ratio('Sum of the R they would have made'),
  hypothetical_pnl: f.money(`Sum of what they would have made, of those ${BASE}`),
  forgone_gain: f.money(`Of that, what winners would have made, ${BASE}`),
  avoided_loss: f.money(`And what losers would have cost, as a positive amount ${BASE}`),
  unknown: f.count('How many have an unknown outcome'),
});

const MISSED_FILTERS = ['market', 'symbol', 'side', 'setup', 'tag'] as const;

export function missed(reader: Reader, user: User, { range, filters }: Selection): z.infer<typeof missedRecord> {
  const where = new Where(user.id);
  for (const name of MISSED_FILTERS) {
    const value = filters[name];
    if (value !== undefined) where.filter(tradeFilters, { [name]: value }, { byIndex: false });
  }
  where.range('missed_at', range);
  const rows = reader.rows(
    `SELECT hypothetical_outcome, hypothetical_r, hypothetical_pnl, currency FROM missed_trades WHERE ${where.sql}`,
    ...where.values,
  ) as [string, number | null, number | null, string][];
  const r = new Sum();
  const gain = new Sum();
  const loss = new Sum();
  let unknown = 0;
  for (const [outcome, hypotheticalR, pnl, currency] of rows) {
    if (outcome === 'unknown') unknown++;
    if (hypotheticalR !== null) r.add(hypotheticalR);
    if (pnl !== null && currency === user.base_currency) (pnl > 0 ? gain : loss).add(pnl);
  }
  return {
    count: rows.length,
    hypothetical_r: roundRatio(r.value),
    hypothetical_pnl: roundMoney(gain.value + loss.value),
    forgone_gain: roundMoney(gain.value),
    avoided_loss: roundMoney(-loss.value),
    unknown,
  };
}

export const mistakesRecord = z.strictObject({
  trades_with_mistakes: f.count('Trades that carry at least one mistake'),
  cost: f.money(
    `What they cost: net P&L of the trades without a mistake less the net of all, ${BASE}; negative where they made money`,
  ),
});

export class MistakePass {
  #trades = 0;
  readonly #net = new Sum();

  add(trade: ClosedTrade): void {
    if (trade.mistakes.length === 0) return;
    this.#trades++;
    this.#net.add(trade.net);
  }

  result(): z.infer<typeof mistakesRecord> {
    return { trades_with_mistakes: this.#trades, cost: roundMoney(-this.#net.value) };
  }
}

export const dataQualityRecord = z.strictObject({
  without_stop: f.count('Trades in the figures without a stop price'),
  without_journal: f.count('Trades in the figures without a journal entry'),
  without_rate: f.count('Closed trades left out of all figures: in another currency and without an fx_rate'),
  currencies_left_out: f.strings('The currencies of those, sorted'),
});

/** Counts what the trades in the figures lack. */
export class QualityPass {
  #withoutRate = 0;
  readonly #currencies = new Set<string>();
  #withoutStop = 0;
  #withoutJournal = 0;

  add({ hasStop, journalRules }: ClosedTrade): void {
    if (!hasStop) this.#withoutStop++;
    if (journalRules.length === 0) this.#withoutJournal++;
  }

  addWithoutRate(currency: string): void {
    this.#withoutRate++;
    this.#currencies.add(currency);
  }

  result(): z.infer<typeof dataQualityRecord> {
    return {
      without_stop: this.#withoutStop,
      without_journal: this.#withoutJournal,
      without_rate: this.#withoutRate,
      currencies_left_out: [...this.#currencies].sort(),
    };
  }
}
