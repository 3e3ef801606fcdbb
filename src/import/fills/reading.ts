/** A reading: the fills, records and totals that a file states. What every format makes and the journal is filled from. */
import type { Fill, FillEffect } from '../../journal-write/fills.ts';
import type { Values } from '../../journal-write/record.ts';
import { RowError } from '../../journal-write/row-error.ts';
import type { Instrument } from '../parse/instruments.ts';
import type { DailyRates } from './daily-rates.ts';
import type { NotedDays } from './noted-day.ts';

/** One fill, or another event that opens, closes or changes a position, as a file states it. */
export interface FileFill {
  line: number;
  /**
   * The platform's own execution id, where it is unique within account, instrument and day. Null: identity is a hash of
   * what the row says, and its ordinal among equals in the file.
   */
  executionId: string | null;
  /**
   * Where a file states an execution in pairs of a buy and a sell: the execution id of the other end. The parts of an
   * execution add up.
   */
  pairedWith?: string;
  /** As the file names it. */
  account: string | null;
  instrument: Instrument;
  /** UTC text with milliseconds; where the file has days only, the day's start in the zone. */
  executedAt: string;
  /** False: a day only. */
  hasTime?: boolean;
  kind: Fill['kind'];
  /** Null: closes whatever is open, as an expiration without a side does. */
  side: 'buy' | 'sell' | null;
  /** Above 0; null: all that is open. Of a split: units that come or go, without a side new units for one old (0.1 for a reverse 1:10). */
  quantity: number | null;
  /** 0 where it expired. */
  price: number;
  /** All costs in the instrument's currency, as a positive number; negative for a rebate. */
  fees: number;
  /** False: the file states no fees. */
  feesStated?: boolean;
  /** The platform's order, if the file names it. */
  orderId?: string | null;
  /** A fee paid in the traded coin: makes the position smaller. */
  feeQuantity: number;
  /** A fee in another currency that the file has no rate for: reported, and in no figure. */
  otherFee: { amount: number; currency: string } | null;
  /** Whether it opens or closes, where the file states it. */
  effect: FillEffect | null;
  /** The effect by the rest of the file, where the row doesn't state it: no part of what makes a fill the same. */
  judged?: FillEffect;
  /**
   * Whether a sell with nothing open is a short (futures, forex, cfd, margin shorts, "short sale"). False: it is kept as
   * an unmatched fill until its opening comes.
   */
  mayShort: boolean;
  /** What one unit of the instrument's currency is in `base`, stated for this fill; used where base is the user's own. */
  rate: { base: string; value: number } | null;
  /** P&L that the file states for this row, in the instrument's currency: compared, never taken over. */
  stated: { gross?: number; net?: number } | null;
  /** Of a symbol_change: the symbol before. */
  formerSymbol?: string;
  /** Takes back a fill that says the same but for the side: in this file, or in another. */
  cancels?: boolean;
}

/** What fills need to know of the format that states them. */
export interface FormatTraits {
  /** As it is given to --format. */
  name: string;
  /** Where a platform has several formats: the name that they share, so that their fills are walked together. */
  platform?: string;
  /** Whether the platform uses an execution id once; else it need be unique only within account, instrument and day. */
  hasUniqueIds?: boolean;
  /** Whether the platform's exports have orders where others have the executions of them. */
  mayStateOrders?: boolean;
  /** Whether the ids of its closed trades are the platform's tickets, the same whether or not a file names the account. */
  hasTickets?: boolean;
}

/** One record as a file has it, with the line it begins on. */
export interface FileRecord {
  /** Where the file is not the one that was named: a note of a folder. */
  file?: string;
  line: number;
  values: Values;
  /** What is wrong with it, where it can't be read: the file can't be imported, and the rest is read for its errors. */
  error?: RowError;
}

/** A record, or what is wrong with it. */
export function recordOn(line: number, read: () => Values, file?: string): FileRecord {
  const where = file === undefined ? { line } : { file, line };
  try {
    return { ...where, values: read() };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return { ...where, values: {}, error };
  }
}

/** A sum of money over trades. */
export type StatedSum = 'gross' | 'net' | 'fees';

/** A total that a file states, to be shown beside the journal's own. */
export interface StatedTotal {
  /** position: units that are open, below 0 if short. */
  what: StatedSum | 'position';
  currency: string;
  /** Null: of all symbols. */
  symbol: string | null;
  /** Whether options on the symbol are in it. */
  withOptions?: boolean;
  amount: number;
  /** What a difference comes from, where the file itself tells. */
  why?: string;
  /** Whether it is what closes realised: costs of what is open aren't in it yet. */
  isRealised?: boolean;
}

export interface Reading {
  /** Rows of data that the file holds; undefined: as many as records, once those were gone through, and rows left out. */
  rows: number | undefined;
  /** In the order they happened, as far as the file tells: newest-first files are turned round. */
  fills: FileFill[];
  /** Plain records, or the closed trades of a platform that states no fills, with the two executions each implies. */
  records: Iterable<FileRecord>;
  /** How many rows were left out, by reason: "cancelled order", "total line". */
  skipped: Map<string, number>;
  /** What the person should know about how the file was read: the zone used, fees that this export lacks. */
  notes: string[];
  stated: StatedTotal[];
  /** Of notes of days: what they state. */
  days?: NotedDays;
  /** Of a file of rates: those to the user's base currency. */
  rates?: DailyRates;
}

/** A reading whose records are all there. */
export type WholeReading = Reading & { records: FileRecord[] };

/** A reading of what is given: of the rest there is nothing. Rows are the fills, records and rows left out, unless given. */
export function reading(parts: Partial<WholeReading>): WholeReading {
  const { fills = [], records = [], skipped = new Map<string, number>(), notes = [], stated = [] } = parts;
  const rows = parts.rows ?? fills.length + records.length + sumOf(skipped);
  return { rows, fills, records, skipped, notes, stated };
}

/** The same of records that are read while they are gone through. */
export function streamed(records: () => Iterator<FileRecord>, skipped: Reading['skipped'] = new Map()): Reading {
  return { ...reading({ skipped }), rows: undefined, records: { [Symbol.iterator]: records } };
}

/** How many rows were left out. */
export function sumOf(skipped: ReadonlyMap<string, number>): number {
  return [...skipped.values()].reduce((sum, count) => sum + count, 0);
}

/** A fill of what a file states: one at no cost that says neither whether it opens, nor that it may open a short. */
export function fill(
  stated: Pick<FileFill, 'line' | 'instrument' | 'executedAt' | 'side' | 'quantity' | 'price'> & Partial<FileFill>,
): FileFill {
  const { executionId = null } = stated;
  return {
    account: null,
    kind: 'trade',
    fees: 0,
    feeQuantity: 0,
    otherFee: null,
    effect: null,
    mayShort: false,
    rate: null,
    stated: null,
    ...stated,
    executionId: idOrNull(executionId),
    orderId: idOrNull(stated.orderId ?? null),
  };
}

/** A spreadsheet leaves 8.95E+14 of a long number, which is no id. */
function idOrNull(id: string | null): string | null {
  return id !== null && /^\d(?:[.,]\d+)?E\+?\d+$/i.test(id) ? null : id;
}

/** Fills in the order of the file, or where that goes back in time more often than on, turned round. */
export function oldestFirst(fills: readonly FileFill[]): FileFill[] {
  let steps = 0;
  fills.forEach(({ executedAt }, index) => {
    const before = fills[index - 1]?.executedAt ?? executedAt;
    if (executedAt !== before) steps += executedAt > before ? 1 : -1;
  });
  return steps < 0 ? fills.toReversed() : [...fills];
}

/** Sorts fills by time; those of one time keep their order. */
export function byTime(a: Pick<FileFill, 'executedAt'>, b: Pick<FileFill, 'executedAt'>): number {
  return a.executedAt < b.executedAt ? -1 : a.executedAt > b.executedAt ? 1 : 0;
}

/** Counts rows that are skipped, by reason. */
export function skip(skipped: Map<string, number>, reason: string, rows = 1): void {
  if (rows > 0) skipped.set(reason, (skipped.get(reason) ?? 0) + rows);
}
