import { roundMoney, roundRatio, Sum } from '../../money.ts';
import { toInstantText } from '../../time.ts';
import * as f from '../fields.ts';

export const drawdownRecord = f.orNull(
  f.object(
    {
      amount: f.money("How far it fell, as a positive amount in the user's base currency"),
      percent: f.orNull(
        f.ratio('The amount over starting balance plus peak, 0 to 1 and beyond; null without a starting balance'),
      ),
      peak_at: f.orNull(f.instant('Close of the trade at the peak; null where the peak is the start')),
      trough_at: f.instant('Close of the trade at the bottom'),
      recovered_at: f.orNull(f.instant('Close of the trade that regained the peak; null while none has')),
    },
    'Largest fall of cumulative net P&L from its running peak, trade by trade, the peak starting at 0; null where it never fell',
  ),
);

/**
 * Follows the cumulative net, trade by trade, and keeps its largest fall from a peak. The peak starts at 0. Trades that close at one instant
 * are one step: in which of them the money was made first is not known.
 */
export class Drawdown {
  readonly #startingBalance: number | null;
  /** Net since the peak: summed on its own, since the difference of two large sums loses what is small. */
  #sincePeak = new Sum();
  /** The step that the last trade belongs to, which others may yet join; null before the first. */
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

  constructor(startingBalance: number | null) {
    this.#startingBalance = startingBalance;
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

  result() {
    this.#endStep();
    const deepest = this.#deepest;
    if (!deepest) return null;
    const base = this.#startingBalance === null ? null : this.#startingBalance + deepest.peak;
    return {
      amount: roundMoney(deepest.amount),
      percent: base === null ? null : roundRatio(deepest.amount / base),
      peak_at: textOrNull(deepest.peakAt),
      trough_at: toInstantText(deepest.troughAt),
      recovered_at: textOrNull(deepest.recoveredAt),
    };
  }
}

function textOrNull(at: number | null): string | null {
  return at === null ? null : toInstantText(at);
}
