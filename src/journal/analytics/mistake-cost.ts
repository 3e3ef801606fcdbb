import * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import { IN_BASE } from './base-currency.ts';
import type { ClosedTrade } from './closed-trades.ts';

export const mistakesRecord = z.strictObject({
  trades_with_mistakes: f.count('Trades that carry at least one mistake'),
  cost: f.money(
    `What they cost: net P&L of the trades without a mistake less the net of all, ${IN_BASE}; negative where they made money`,
  ),
});

/** What the trades with mistakes cost. */
export class MistakeCost {
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
