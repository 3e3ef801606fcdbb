import * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import { IN_BASE } from './base-currency.ts';
import type { Accumulator, ClosedTrade } from './trade-rows.ts';

export const mistakesRecord = z.strictObject({
  trades_with_mistakes: f.count('Trades with at least one mistake, their own or in one of their journal entries'),
  cost: f.money(
    `What they cost: net P&L of the trades without a mistake less the net of all, ${IN_BASE}; negative where they made money`,
  ),
  net_pnl_with_mistakes: f.money(`Net P&L of the trades with mistakes, ${IN_BASE}`),
  net_pnl_without_mistakes: f.money(`Net P&L of the trades without, ${IN_BASE}`),
});

/** What the trades with mistakes cost, beside what those without made. */
export class MistakeCost implements Accumulator {
  readonly columns = ['mistakes', 'entries'] as const;
  #trades = 0;
  readonly #net = { with: new Sum(), without: new Sum() };

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
    };
  }
}
