/** Counts and sums of a set of trades, for totals and rows of breakdowns. */
import { moneyOrNull, ratioOrNull, roundMoney, Sum } from '../../money.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { Moments } from './moments.ts';

/** Counted fields of a trade. */
type Counted = Pick<ClosedTrade, 'net' | 'netSquare' | 'netSquareError' | 'outcome' | 'r'>;

export class Tally {
  trades = 0;
  wins = 0;
  losses = 0;
  breakevens = 0;
  /** Sums of net P&L by its sign, not by outcome: a breakeven of 0.10 is part of the gross profit. The gross loss is negative or 0. */
  readonly grossProfit = new Sum();
  readonly grossLoss = new Sum();
  readonly #squares = new Sum();
  readonly #r = new Sum();
  #rSample = 0;

  add({ net, netSquare, netSquareError, outcome, r }: Counted): void {
    this.trades++;
    if (outcome === 'win') this.wins++;
    else if (outcome === 'loss') this.losses++;
    else this.breakevens++;
    if (net > 0) this.grossProfit.add(net);
    else if (net < 0) this.grossLoss.add(net);
    this.#squares.add(netSquare);
    this.#squares.addLost(netSquareError);
    if (r !== null) {
      this.#r.add(r);
      this.#rSample++;
    }
  }

  /** An empty one of the same kind. */
  fresh(): Tally {
    return new Tally();
  }

  /** Adds the counts of another tally. */
  addAll(other: Tally): void {
    this.trades += other.trades;
    this.wins += other.wins;
    this.losses += other.losses;
    this.breakevens += other.breakevens;
    this.grossProfit.addSum(other.grossProfit);
    this.grossLoss.addSum(other.grossLoss);
    this.#squares.addSum(other.#squares);
    this.#r.addSum(other.#r);
    this.#rSample += other.#rSample;
  }

  /** Moments of the trades' net P&L. */
  get net(): Moments {
    return new Moments(this.trades, this.#netSum(), this.#squares);
  }

  #netSum(): Sum {
    const sum = new Sum();
    sum.addSum(this.grossProfit);
    sum.addSum(this.grossLoss);
    return sum;
  }

  get winRate(): number | null {
    return ratioOrNull(this.trades === 0 ? null : this.wins / this.trades);
  }

  get profitFactor(): number | null {
    const loss = this.grossLoss.value;
    return ratioOrNull(loss === 0 ? null : this.grossProfit.value / -loss);
  }

  get expectancy(): number | null {
    return moneyOrNull(this.net.mean);
  }

  get averageR(): number | null {
    return ratioOrNull(this.#rSample === 0 ? null : this.#r.value / this.#rSample);
  }

  get netPnl(): number {
    return roundMoney(this.#netSum().value);
  }
}

/** A tally with the further counts of a group's row. */
export class GroupTally extends Tally {
  readonly #gross = new Sum();
  readonly #fees = new Sum();
  /** Net in the trades' currency if rows are by currency; null if currencies differ. */
  #ownNet: Sum | null;

  constructor(isByCurrency: boolean) {
    super();
    this.#ownNet = isByCurrency ? new Sum() : null;
  }

  override add(trade: ClosedTrade): void {
    super.add(trade);
    this.#gross.add(trade.gross);
    this.#fees.add(trade.fees);
    if (this.#ownNet === null) return;
    if (trade.ownNet === null) this.#ownNet = null;
    else this.#ownNet.add(trade.ownNet);
  }

  /** For several rows with different currencies. */
  override fresh(): GroupTally {
    return new GroupTally(false);
  }

  override addAll(other: GroupTally): void {
    super.addAll(other);
    this.#gross.addSum(other.#gross);
    this.#fees.addSum(other.#fees);
    if (this.#ownNet && other.#ownNet) this.#ownNet.addSum(other.#ownNet);
  }

  get grossPnl(): number {
    return roundMoney(this.#gross.value);
  }

  get fees(): number {
    return roundMoney(this.#fees.value);
  }

  get ownNetPnl(): number | null {
    return this.#ownNet && roundMoney(this.#ownNet.value);
  }
}
