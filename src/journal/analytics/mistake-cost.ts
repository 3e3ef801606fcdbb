import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import { IN_BASE } from './base-currency.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';
import type { Selection } from './closed-trades.ts';
import { groupEntries } from './rule-adherence.ts';

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
