import type * as z from 'zod';
import { ratioOrNull, roundMoney, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import { type Accumulator, type ClosedTrade, IN_BASE } from './closed-trade.ts';
import type { Selection } from './closed-trades.ts';

/** Field for the kinds of journal entries that a section counts. */
const groupEntries = () =>
  f.flag('Whether journal entries of trade groups count in addition to those of trades: only with unit=position');

export const rulesRecord = f.record(() => ({
  followed: f.count('Rules answered as followed, in the journal entries of the trades'),
  broken: f.count('Rules answered as broken'),
  adherence: f.orNull(f.ratio('Followed over answered, 0 to 1; null if none is answered')),
  net_pnl_followed: f.money(`Net P&L of the trades whose answered rules were all followed, ${IN_BASE}`),
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
  trades_with_mistakes: f.count('Trades with at least one mistake, of the trade or of its journal entries'),
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
