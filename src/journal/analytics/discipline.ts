/** Rules, mistakes and missing data of closed trades. */
import type * as z from 'zod';
import { ratioOrNull, roundMoney, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import type { Lacks } from './balances.ts';
import {
  type Accumulator,
  type ClosedTrade,
  type Column,
  IN_BASE,
} from './closed-trade.ts';
import type { Selection } from './condition.ts';
import { COLUMNS_OF_EXITS } from './other-exits.ts';
import { type StatedTotals, statedTotalsRecord } from './stated-totals.ts';
import { unmatchedRecord } from './unmatched.ts';

/** Field for the kinds of journal entries that a section counts. */
const groupEntries = () =>
  f.flag(
    'Whether journal entries of trade groups count in addition to those of trades: only with unit=position',
  );

export const rulesRecord = f.record(() => ({
  followed: f.count('Rules answered as followed, in the journal entries of the trades'),
  broken: f.count('Rules answered as broken'),
  adherence: f.orNull(
    f.ratio('Followed over answered, 0 to 1; null if none is answered'),
  ),
  net_pnl_followed: f.money(
    `Net P&L of the trades whose answered rules were all followed, ${IN_BASE}`,
  ),
  net_pnl_broken: f.money(`Net P&L of the trades with a broken rule, ${IN_BASE}`),
  group_entries: groupEntries(),
}));

/** Answers to rules in the trades' journal entries, and the net P&L of these trades. */
export class RuleAdherence implements Accumulator {
  readonly columns = ['entries'] as const;
  #followed = 0;
  #broken = 0;
  readonly #netFollowed = new Sum();
  readonly #netBroken = new Sum();
  readonly #unit: Selection['unit'];

  constructor(unit: Selection['unit']) {
    this.#unit = unit;
  }

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
      group_entries: this.#unit === 'position',
    };
  }
}

export const mistakesRecord = f.record(() => ({
  trades_with_mistakes: f.count(
    'Trades with at least one mistake, of the trade or of its journal entries',
  ),
  cost: f.money(
    `Net P&L of the trades with mistakes, with the opposite sign, ${IN_BASE}: positive for a loss, negative for a profit`,
  ),
  net_pnl_with_mistakes: f.money(`Net P&L of the trades with mistakes, ${IN_BASE}`),
  net_pnl_without_mistakes: f.money(`Net P&L of the trades without mistakes, ${IN_BASE}`),
  group_entries: groupEntries(),
}));

/** Net P&L of the trades with mistakes and of those without. */
export class MistakeCost implements Accumulator {
  readonly columns = ['mistakes', 'entries'] as const;
  #trades = 0;
  readonly #unit: Selection['unit'];
  readonly #net = { with: new Sum(), without: new Sum() };

  constructor(unit: Selection['unit']) {
    this.#unit = unit;
  }

  add(trade: ClosedTrade): void {
    if (trade.mistakes.length === 0) return this.#net.without.add(trade.net);
    this.#trades++;
    this.#net.with.add(trade.net);
  }

  result(): z.infer<typeof mistakesRecord> {
    return {
      trades_with_mistakes: this.#trades,
      cost: roundMoney(-this.#net.with.value),
      net_pnl_with_mistakes: roundMoney(this.#net.with.value),
      net_pnl_without_mistakes: roundMoney(this.#net.without.value),
      group_entries: this.#unit === 'position',
    };
  }
}

export const dataQualityRecord = f.record(() => ({
  without_stop: f.count(
    'Closed trades without a stop price; like the next two, those without an fx_rate count too',
  ),
  without_journal: f.count(
    'Closed trades without a journal entry; with unit=position, an entry of any leg or of the trade group counts',
  ),
  without_risk: f.count('Closed trades without a risk, so without R'),
  without_rate: f.count(
    'Trades excluded from figures: in another currency without an fx_rate; closed in the period, or with exits in it',
  ),
  currencies_left_out: f.strings('The currencies of these trades, sorted', 'nothing'),
  expired_open: f.count(
    'Options still open after their expiration, entered before the end of the period: the owner closes them with "journal-api expire"',
  ),
  unmatched: unmatchedRecord.meta({
    description:
      'Closes of positions that were opened before the files begin: in no trade. Filters but account, symbol, underlying and market leave them out',
  }),
  stated_totals: statedTotalsRecord.meta({
    description:
      'Totals that imported files state, and that differ for no known reason. Filters but account leave them out',
  }),
  cash: f.optional(
    f.object(
      {
        unknown_starts: f.list(
          f.orNull(f.label('Account')),
          'Accounts without a known starting balance, at most five: "journal-api account set main --starting-balance 25000" sets it. Until then, balances, returns and percentages are null',
        ),
        flows_without_rate: f.count('Cash flows in another currency without an fx_rate'),
        currencies: f.strings(
          'Their currencies, and those of starting balances without an exchange rate, sorted',
          'nothing',
        ),
      },
      'What balances and returns lack; absent if nothing',
    ),
  ),
}));

/** What has no trade, or isn't explained by trades. */
export interface NotReconciled {
  unmatched: z.infer<typeof unmatchedRecord>;
  stated_totals: StatedTotals;
  cash: Lacks | undefined;
}

/** Accounts that are named. */
const MOST_NAMED = 5;

/** Counts missing data of closed trades, including those excluded from figures. */
export class DataQuality implements Accumulator {
  readonly columns: readonly Column[] = ['stop', 'entries', 'risk', ...COLUMNS_OF_EXITS];
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

  /** Only those without a rate count: see addWithoutRate. */
  addExits(): void {}

  /**
   * @param currencies all currencies without an exchange rate of one trade or position
   * @param isClosed false if it only has exits in the period
   */
  addWithoutRate(
    trade: ClosedTrade,
    currencies: readonly string[],
    isClosed: boolean,
  ): void {
    if (isClosed) this.add(trade);
    this.#withoutRate++;
    for (const currency of currencies) this.#currencies.add(currency);
  }

  /** @param expired number of options that are open after their expiration */
  result(
    expired: number,
    { unmatched, stated_totals, cash }: NotReconciled,
  ): z.infer<typeof dataQualityRecord> {
    return {
      without_stop: this.#withoutStop,
      without_journal: this.#withoutJournal,
      without_risk: this.#withoutRisk,
      without_rate: this.#withoutRate,
      currencies_left_out: [...this.#currencies].sort(),
      expired_open: expired,
      unmatched,
      stated_totals,
      ...(cash && {
        cash: {
          unknown_starts: cash.accounts.slice(0, MOST_NAMED),
          flows_without_rate: cash.flows,
          currencies: cash.currencies,
        },
      }),
    };
  }
}
