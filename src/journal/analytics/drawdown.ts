import { roundMoney, roundRatio, Sum } from '../../money.ts';
import { toInstantText } from '../../time.ts';
import * as f from '../fields.ts';

export const drawdownRecord = f.orNull(
  f.object(
    () => ({
      amount: f.money("The fall as a positive amount, in the user's base currency"),
      percent: f.orNull(
        f.ratio(
          'The amount over the balance at the peak: starting balance, net P&L of all trades closed before the period, and peak; 0 to 1 and beyond; null without a starting balance',
        ),
      ),
      peak_at: f.orNull(f.instant('Close of the trade at the peak; null if the peak is the start')),
      trough_at: f.instant('Close of the trade at the bottom'),
      recovered_at: f.orNull(f.instant('Close of the trade that reached the peak again; null until one does')),
    }),
    'Largest fall of cumulative net P&L from its running peak, trade by trade; the peak starts at 0; null without a fall',
  ),
);

export const currentDrawdownRecord = f.orNull(
  f.object(
    () => ({
      amount: f.money("The fall as a positive amount, in the user's base currency"),
      percent: f.orNull(f.ratio('As in max_drawdown')),
      since: f.orNull(f.instant('Close of the trade at the peak; null if the peak is the start')),
    }),
    'Fall of cumulative net P&L from its highest peak at the last trade; null at a peak',
  ),
);

/**
 * Follows the cumulative net, trade by trade, and keeps its largest fall from a peak. The peak starts at 0. Trades that close at one
 * instant are one step: which of them closed first is unknown.
 */
export class Drawdown {
  /** At the start; null if unknown. */
  readonly #balance: number | null;
  /** Net since the peak: a separate sum, because the difference of two large sums loses small amounts. */
  #sincePeak = new Sum();
  /** Instant of the current step, which further trades may join; null before the first. */
  #at: number | null = null;
  #cumulative = 0;
  #peak = 0;
  #peakAt: number | null = null;
  #deepest: {
    amount: number;
    peak: number;
    peakAt: number | null;
    troughAt: number;
    recoveredAt: number | null;
  } | null = null;

  constructor(balance: number | null) {
    this.#balance = balance;
  }

  add(net: number, cumulative: number, at: number): void {
    if (at !== this.#at) {
      this.#endStep();
      this.#at = at;
    }
    this.#sincePeak.add(net);
    this.#cumulative = cumulative;
  }

  #endStep(): void {
    const at = this.#at;
    if (at === null) return;
    // Sums that are equal in decimals may differ in their last bit.
    const noise = 1e-9 + Math.abs(this.#peak) * 1e-14;
    const fall = -this.#sincePeak.value;
    const deepest = this.#deepest;
    if (deepest && deepest.recoveredAt === null && deepest.peak === this.#peak && fall <= noise) {
      deepest.recoveredAt = at;
    }
    if (fall < -noise) {
      this.#peak = this.#cumulative;
      this.#peakAt = at;
      this.#sincePeak = new Sum();
    } else if (fall > (deepest?.amount ?? 0) + noise) {
      this.#deepest = { amount: fall, peak: this.#peak, peakAt: this.#peakAt, troughAt: at, recoveredAt: null };
    }
  }

  /** The amount isn't rounded: 0 if there was no fall. */
  get amount(): number {
    this.#endStep();
    return this.#deepest?.amount ?? 0;
  }

  #percentOf(amount: number, peak: number): number | null {
    return this.#balance === null ? null : roundRatio(amount / (this.#balance + peak));
  }

  /** The fall at the last step. */
  current() {
    this.#endStep();
    const amount = -this.#sincePeak.value;
    if (amount <= 1e-9 + Math.abs(this.#peak) * 1e-14) return null;
    return {
      amount: roundMoney(amount),
      percent: this.#percentOf(amount, this.#peak),
      since: textOrNull(this.#peakAt),
    };
  }

  result() {
    this.#endStep();
    const deepest = this.#deepest;
    if (!deepest) return null;
    return {
      amount: roundMoney(deepest.amount),
      percent: this.#percentOf(deepest.amount, deepest.peak),
      peak_at: textOrNull(deepest.peakAt),
      trough_at: toInstantText(deepest.troughAt),
      recovered_at: textOrNull(deepest.recoveredAt),
    };
  }
}

function textOrNull(at: number | null): string | null {
  return at === null ? null : toInstantText(at);
}
