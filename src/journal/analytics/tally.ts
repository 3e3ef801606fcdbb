import { moneyOrNull, ratioOrNull, roundMoney, Sum } from '../../money.ts';
import type { ClosedTrade } from './closed-trades.ts';

/** Counts and sums of a set of trades: what a total and each row of a breakdown share. */
export class Tally {
  trades = 0;
  wins = 0;
  losses = 0;
  breakevens = 0;
  readonly net = new Sum();
  /** Sum of all positive net P&L, and of all negative: by sign, so that a breakeven of 0.10 counts among the gains. */
  readonly gains = new Sum();
  readonly losings = new Sum();
  readonly #r = new Sum();
  #rSample = 0;

  add({ net, outcome, r }: ClosedTrade): void {
    this.trades++;
    if (outcome === 'win') this.wins++;
    else if (outcome === 'loss') this.losses++;
    else this.breakevens++;
    this.net.add(net);
    if (net > 0) this.gains.add(net);
    else if (net < 0) this.losings.add(net);
    if (r !== null) {
      this.#r.add(r);
      this.#rSample++;
    }
  }

  get winRate(): number | null {
    return ratioOrNull(this.trades === 0 ? null : this.wins / this.trades);
  }

  get profitFactor(): number | null {
    const lost = this.losings.value;
    return ratioOrNull(lost === 0 ? null : this.gains.value / -lost);
  }

  get expectancy(): number | null {
    return moneyOrNull(this.trades === 0 ? null : this.net.value / this.trades);
  }

  get averageR(): number | null {
    return ratioOrNull(this.#rSample === 0 ? null : this.#r.value / this.#rSample);
  }

  get netPnl(): number {
    return roundMoney(this.net.value);
  }
}
