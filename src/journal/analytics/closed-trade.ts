/** The unit of figures, and what counts it. */

import { Sum } from '../../money.ts';
import type { User } from '../journal.ts';

// The results of trades and a seed made from them, for tests and simulations.

export class Results implements Accumulator {
  readonly columns = [];
  #nets = new Float64Array(64);
  #n = 0;
  #seed = 0x2545f491;
  readonly #sum = new Sum();

  add({ net, closedMs }: ClosedTrade): void {
    if (this.#n === this.#nets.length) {
      const longer = new Float64Array(2 * this.#n);
      longer.set(this.#nets);
      this.#nets = longer;
    }
    this.#nets[this.#n++] = net;
    this.#sum.add(net);
    // From times and signs only: if all amounts are multiplied by one factor, the same numbers are drawn.
    for (const part of [closedMs, closedMs / 2 ** 32, Math.sign(net)]) {
      this.#seed = Math.imul(this.#seed ^ part, 0x9e3779b1);
      this.#seed ^= this.#seed >>> 15;
    }
  }

  get n(): number {
    return this.#n;
  }

  /** In the order of closing; not a copy. */
  get nets(): Float64Array {
    return this.#nets.subarray(0, this.#n);
  }

  /** 0 if n = 0. */
  get mean(): number {
    return this.#n === 0 ? 0 : this.#sum.value / this.#n;
  }

  /** 32 bits. */
  get seed(): number {
    return this.#seed;
  }
}

// The user's base currency, the currency of all figures.

/** For descriptions of fields. */
export const IN_BASE = "in the user's base currency";

/** Value of one unit of a currency in the base currency; null if unknown. */
export function rateOf(user: User, currency: string, fxRate: number | null): number | null {
  return currency === user.base_currency ? 1 : fxRate;
}

/**
 * Unit of figures: a closed trade, or a closed position. Money is in the base currency, not rounded. Fields that aren't read are
 * undefined, null, NaN or empty.
 */
export interface ClosedTrade {
  /** For a position, the id of the leg that closed last. */
  readonly id: string;
  readonly groupId: string | null;
  readonly closedAt: string;
  /** Epoch milliseconds, like the next. */
  readonly closedMs: number;
  readonly enteredMs: number;
  readonly gross: number;
  readonly fees: number;
  readonly net: number;
  /** Net over risk; null without a risk. */
  readonly r: number | null;
  /** Null if R is null. */
  readonly risk: number | null;
  /** Worst open result with either sign, and best one, before fees; null for several legs. */
  readonly mae: number | null;
  readonly mfe: number | null;
  readonly outcome: 'win' | 'loss' | 'breakeven';
  /** Null, like the next four, if the legs of a position differ. */
  readonly symbol: string | null;
  readonly underlying: string | null;
  readonly side: string | null;
  readonly setup: string | null;
  readonly account: string | null;
  readonly market: string;
  readonly rating: number | null;
  /** Each label once, ignoring case. */
  readonly tags: readonly string[];
  /** Those of the trade and of its journal entries. */
  readonly mistakes: readonly string[];
  readonly hasStop: boolean;
  /** The rules of each of its journal entries; empty without an entry. */
  readonly journalRules: readonly (readonly RuleAnswer[])[];
  /** The trade's own currency, and its net in that currency; both null if legs have several. */
  readonly currency: string | null;
  readonly ownNet: number | null;
  /** Null for several legs. */
  readonly quantity: number | null;
  /** From its trade group. */
  readonly strategy: string | null;
  /** From its journal entries, each once. */
  readonly emotions: readonly string[];
  /** False if one of its journal entries has false; true if one has true and none false; else null. */
  readonly followedPlan: boolean | null;
  /** Context from other records: added by the pass as far as figures need it. */
  context: TradeContext;
}

/** A trade's context from other records: trades of its day or instrument, and sessions of its day of entry. */
export interface TradeContext {
  readonly sequence: Sequence | null;
  readonly session: SessionFacts | null;
  /** Its quantity over the median of its account and underlying; null for several legs. */
  readonly size: number | null;
}

/** Earlier trades on the day of entry, in the same account. */
export interface Sequence {
  /** Outcome of the last trade closed before the entry; losses for two or more losses in a row. */
  readonly after: 'none' | 'win' | 'breakeven' | 'loss' | 'losses';
  /** Milliseconds from the close of the latest loss to the entry; null without one. */
  readonly sinceLoss: number | null;
  /** 1 for the first entry of the day. */
  readonly tradeOfDay: number;
}

/** Facts from the sessions of a day: each from the first session with a value. */
export interface SessionFacts {
  readonly mood: string | null;
  readonly energy: number | null;
  readonly sleepHours: number | null;
  readonly followedPlan: boolean | null;
}

/** Counts closed trades, one by one. */
export interface Accumulator {
  /** Columns that it counts in addition to net P&L, fees and the time of closing. */
  readonly columns: readonly Column[];
  add: (trade: ClosedTrade) => void;
}

export interface RuleAnswer {
  rule: string;
  /** Null if unanswered. */
  followed: boolean | null;
}

/** What a figure counts of a trade and is read only for that. */
export type ReadColumn =
  | 'entered'
  | 'risk'
  | 'group'
  | 'symbol'
  | 'underlying'
  | 'side'
  | 'setup'
  | 'account'
  | 'market'
  | 'rating'
  | 'tags'
  | 'mistakes'
  | 'stop'
  | 'entries'
  | 'feelings'
  | 'quantity'
  | 'excursions'
  | 'strategy';

/** Input of a figure: a column, or a part of the context. */
export type Column = ReadColumn | keyof TradeContext;
