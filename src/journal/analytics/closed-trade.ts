/** The unit of figures, and what counts it. */

import type { User } from '../journal.ts';
import type { Outcome } from '../resource.ts';
import type { TraderValue } from '../trader-fields.ts';

// The user's base currency, the currency of all figures.

/** For descriptions of fields. */
export const IN_BASE = "in the user's base currency";

/** Value of one unit of a currency in the base currency; null if unknown. */
export function rateOf(
  user: User,
  currency: string,
  fxRate: number | null,
): number | null {
  return currency === user.base_currency ? 1 : fxRate;
}

/** What one exit of a trade realised, in the base currency. */
export interface RealisedExit {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly gross: number;
  readonly fees: number;
  readonly net: number;
  /** Whether it is a cost with a day of its own: no exit. */
  readonly isCost?: boolean;
}

/**
 * Unit of figures: a closed trade, or a closed position. Money is in the base currency,
 * not rounded. Fields that aren't read are undefined, null, NaN or empty.
 */
export interface ClosedTrade {
  /** For a position, the id of the leg that closed last. */
  readonly id: string;
  readonly groupId: string | null;
  /** Id of the record that counts: of the trade, or of the group of a position. */
  readonly unitId: string;
  readonly closedAt: string;
  /** Epoch milliseconds, like the next; NaN while open, when only exits count. */
  readonly closedMs: number;
  readonly enteredMs: number;
  /** Number of the day of closing, in the user's time zone. */
  readonly day: number;
  readonly gross: number;
  readonly fees: number;
  readonly net: number;
  /** Its exits in their order; null if it realises all at its close. */
  readonly exits: readonly RealisedExit[] | null;
  /** Net over risk; null without a risk. */
  readonly r: number | null;
  /** Null if R is null. */
  readonly risk: number | null;
  /**
   * Worst open result with either sign, and best one, before fees; null for several legs.
   */
  readonly mae: number | null;
  readonly mfe: number | null;
  /** If they are from candles: the bounds that the trade did not go beyond. */
  readonly maeBound: number | null;
  readonly mfeBound: number | null;
  readonly outcome: Outcome;
  /** Null, like the next four, if the legs of a position differ. */
  readonly symbol: string | null;
  readonly underlying: string | null;
  /** `credit` or `debit` for a position with options. */
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
  /**
   * The trade's own currency, and its net in that currency; both null if legs have
   * several.
   */
  readonly currency: string | null;
  readonly nativeNet: number | null;
  /** Null for several legs. */
  readonly quantity: number | null;
  /** The quantities of all legs together. */
  readonly allQuantity: number;
  /** Option and future contracts of all legs, and their fees; 0 without any. */
  readonly contracts: number;
  readonly contractFees: number;
  readonly timeframe: string | null;
  /** From its trade group. */
  readonly strategy: string | null;
  /** From its journal entries, each once. */
  readonly emotions: readonly string[];
  readonly confidence: readonly number[];
  /**
   * False if one of its journal entries has false; true if one has true and none false;
   * else null.
   */
  readonly followedPlan: boolean | null;
  /**
   * Named by the trader: its own, else those of its group; null if the legs of a position
   * differ.
   */
  readonly fields: NamedValues;
  /** Context from other records: added by the pass as far as figures need it. */
  context: TradeContext;
}

/**
 * A trade's context from other records: trades of its day or instrument, and sessions of
 * its day of entry.
 */
export interface TradeContext {
  readonly sequence: Sequence | null;
  readonly session: SessionFacts | null;
  /**
   * Its quantity over the median of its account and underlying; null for several legs.
   */
  readonly size: number | null;
  /**
   * By name of a field of the trader's: the bounds between the quarters of its many
   * numbers.
   */
  readonly quartiles: ReadonlyMap<string, readonly number[]> | null;
}

/** Values by names of the trader's. */
export type NamedValues = Readonly<Record<string, TraderValue | null>>;

/** The net of a day so far; first if no trade had closed. */
export const DAY_RESULTS = ['first', 'red', 'flat', 'green'] as const;

/**
 * Trades of the same account that closed on the day of entry, before it unless stated
 * otherwise.
 */
export interface Sequence {
  /**
   * The last wins in a row, or losses as a negative number; 0 after a breakeven, NaN if
   * none had closed.
   */
  readonly run: number;
  readonly losses: number;
  /**
   * Milliseconds from the close of the latest loss to the entry; Infinity without one.
   */
  readonly sinceLoss: number;
  /** Their net P&L. */
  readonly dayResult: (typeof DAY_RESULTS)[number];
  /** 1 for the first entry of the day. */
  readonly tradeOfDay: number;
  /** All entries of the day, later ones included. */
  readonly tradesThatDay: number;
  /**
   * Outcome of the first trade closed on the day, before the entry or later; null without
   * any.
   */
  readonly first: ClosedTrade['outcome'] | null;
  /** Sign of the net of the previous day with a closed trade. */
  readonly dayBefore: 'green' | 'red' | 'flat' | 'none';
  /**
   * All trades of the journal, with the places of this one and of the state at its entry.
   */
  readonly all: AllSequences;
  readonly place: number;
  readonly state: number;
}

/** Wins are 1, losses -1, breakevens 0. */
export type Signs = Int8Array;

/**
 * What had closed so far on each day of each account: before the first close, and after
 * each.
 */
export interface States {
  /**
   * Places of the run and of the losses: LOSSES.length times the first, plus the second.
   */
  code: Uint8Array;
  /** Close of the last loss; -Infinity without one. */
  lastLossMs: Float64Array;
  /** Place of the net so far in DAY_RESULTS. */
  result: Uint8Array;
}

/**
 * All trades of the journal in their sequences. Signs and nets are copies, by their
 * places.
 */
export interface AllSequences {
  readonly signs: Signs;
  readonly nets: Float64Array;
  /**
   * The states if the trades had these outcomes and results.
   * @param into states to overwrite
   */
  statesFor: (signs: Signs, nets: Float64Array, into?: States) => States;
}

/** Facts from the sessions of a day: each from the first session with a value. */
export interface SessionFacts {
  readonly mood: string | null;
  readonly energy: number | null;
  readonly sleepHours: number | null;
  readonly followedPlan: boolean | null;
  readonly condition: string | null;
  readonly bias: string | null;
  readonly fields: NamedValues;
}

/** Counts closed trades, one by one. */
export interface Accumulator {
  /** Columns that it counts in addition to net P&L, fees and the time of closing. */
  readonly columns: readonly Column[];
  add: (trade: ClosedTrade) => void;
  /** Counts a trade that has exits in the period, but is open or closes later. */
  addExits?: (trade: ClosedTrade) => void;
}

export interface RuleAnswer {
  rule: string;
  /** Null if unanswered. */
  followed: boolean | null;
}

/** Columns that are read only for figures that count them. */
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
  | 'quantity'
  | 'timeframe'
  | 'excursions'
  | 'exits'
  | 'fields'
  | 'strategy';

/** A field that the trader named, as a dimension. */
export type TraderDimension = `field:${string}`;

/** Input of a figure: a column, or a part of the context. */
export type Column = ReadColumn | keyof TradeContext | TraderDimension;
