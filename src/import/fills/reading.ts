/**
 * A reading: the fills, records and totals of a file. Every format produces one, and the
 * journal is filled from it.
 */

import { hash } from 'node:crypto';
import { type Problem, RowError } from '../../errors.ts';
import type { FlowKind } from '../../journal/resources/cash-flows.ts';
import type { Values } from '../../journal-write/record.ts';
import type { NotedRecord, ReadBackOf, StatedRecord } from '../../notes/note.ts';
import type { Instrument } from '../../parse/instruments.ts';
import type { ReadDates } from '../../parse/times.ts';
import type { DailyRates } from '../../statements/exchange-rates.ts';
import type { ClosedLot, Fill, FillEffect } from '../../statements/fill-row.ts';

/**
 * One fill, or another event that opens, closes or changes a position, as a file states
 * it.
 */
export interface FileFill {
  line: number;
  /**
   * The platform's execution id, if unique within account, instrument and day. Null: the
   * identity is a hash of the row, and its ordinal among equal rows in the file.
   */
  executionId: string | null;
  /**
   * If a file states executions as pairs of buy and sell: the other end's execution id.
   * Parts of an execution add up.
   */
  pairedWith?: string;
  account: string | null;
  instrument: Instrument;
  /**
   * UTC text with milliseconds; until the whole file is read, as written (parse/times.ts)
   * if the file states no zone.
   */
  executedAt: string;
  /**
   * Date and time as written, without a zone; a date alone for a day; '' if the file
   * states the zone. Undefined until the file is read.
   */
  clock?: string;
  /** False: the date only. */
  hasTime?: boolean;
  kind: Fill['kind'];
  /** Null: closes the open position, as an expiration without a side does. */
  side: 'buy' | 'sell' | null;
  /**
   * Above 0; null: the open quantity. Of a split: units added or removed; without a side,
   * new units per old one (0.1 for a reverse 1:10).
   */
  quantity: number | null;
  /** 0 if it expired. */
  price: number;
  /** All costs in the instrument's currency, positive; negative for a rebate. */
  fees: number;
  /** False: the file states no fees. */
  feesStated?: boolean;
  /** The platform's order, if the file names it. */
  orderId?: string | null;
  /** A fee paid in the traded coin: reduces the position. */
  feeQuantity: number;
  /**
   * A fee in another currency without an exchange rate in the file: reported, but
   * excluded from figures.
   */
  otherFee: { amount: number; currency: string } | null;
  /** Whether it opens or closes, if the file states it. */
  effect: FillEffect | null;
  /**
   * The effect inferred from the rest of the file, if the row doesn't state it: no part
   * of the identity.
   */
  judged?: FillEffect;
  /**
   * Whether a sell without an open position opens a short (futures, forex, cfd, margin
   * shorts, "short sale"). False: it is kept as an unmatched fill until its opening fill
   * is imported.
   */
  mayShort: boolean;
  /**
   * The exchange rate from the instrument's currency to `base`, stated for this fill;
   * used if base is the user's.
   */
  rate: { base: string; value: number } | null;
  /**
   * P&L that the file states for this row, in the instrument's currency.
   */
  stated: { gross?: number; net?: number } | null;
  /** The lots that it closed, if the file states them. */
  lots?: ClosedLot[];
  /** The former symbol of a symbol_change. */
  formerSymbol?: string;
  /** Cancels a fill that differs only in its side, in this file or another. */
  cancels?: boolean;
  /** Of a cost: it belongs to what was held then, such as funding. */
  isDated?: true;
}

/** A cash flow, as a file states it. */
export interface FileFlow
  extends Pick<FileFill, 'line' | 'executedAt' | 'clock' | 'hasTime'> {
  /**
   * The platform's id, if unique on the platform. Null: the identity is what the row
   * states.
   */
  id: string | null;
  account: string | null;
  kind: FlowKind;
  /** Above 0: money in. */
  amount: number;
  currency: string;
  symbol: string | null;
  description: string | null;
  /** The exchange rate from the flow's currency to `base`, stated for this flow. */
  rate?: FileFill['rate'];
}

/** Ending cash of an account in a currency. */
export interface StatedCash {
  account: string | null;
  currency: string;
  amount: number;
  /** Day, or date and time, as the file writes it; null: it names none. */
  at: string | null;
}

/** Traits of a format that matter to its fills. */
export interface FormatTraits {
  /** As given to --format. */
  name: string;
  /** The name shared by a platform's formats, so that their fills are walked together. */
  platform?: string;
  /**
   * Whether execution ids are unique on the platform; else only within account,
   * instrument and day.
   */
  hasUniqueIds?: boolean;
  /**
   * Whether the reader makes ids of what a row states: a file saved again may have
   * others.
   */
  hasMadeIds?: boolean;
  /** Whether the platform's exports may state orders instead of their executions. */
  mayStateOrders?: boolean;
  /**
   * Whether its closed trades have the platform's tickets as ids, independent of the
   * account.
   */
  hasTickets?: boolean;
}

export interface FileRecord extends StatedRecord {
  /**
   * Of a closed trade: entry and exit as written, without a zone, joined by a slash; ''
   * if the file states the zone.
   */
  clock?: string;
  /** Digits of the file, in one number: of a closed trade. */
  digits?: number;
  /** The id in the journal of the same row, if it was read before. */
  storedId?: string;
  /**
   * What an id without one in the file is a hash of: times as written, and as read once
   * the file is.
   */
  hashed?: { prefix: string; facts: readonly unknown[] };
  /**
   * The account as the file or --account names it, if it has another name now; '': none.
   */
  formerAccount?: string;
  /**
   * Why it can't be read: the file isn't imported, and the rest is read only to find
   * further errors.
   */
  error?: RowError;
}

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

/**
 * A total that a file states, or the sum of what its rows state, compared with the
 * journal's own.
 */
export interface StatedTotal {
  /** Whether the file states it as one amount; else it is the sum of its rows. */
  isTotal?: true;
  /** position: open units, below 0 if short. */
  what: StatedSum | 'position';
  currency: string;
  /** Null: of all symbols. */
  symbol: string | null;
  /** Whether it includes options on the symbol. */
  withOptions?: boolean;
  amount: number;
  /** The reason for a difference, if the file shows it. */
  why?: string;
  /** What the file's rows add up to, if that isn't its total. */
  ofRows?: number;
  /** Whether it is realised only: without the costs of open positions. */
  isRealised?: boolean;
}

export interface Reading {
  /** Number of data rows; undefined: records, once read, plus skipped rows. */
  rows: number | undefined;
  /**
   * In the order they happened, as far as the file shows: newest-first files are
   * reversed.
   */
  fills: FileFill[];
  /**
   * Plain records, or closed trades of a platform without fills, each with the two
   * executions it implies.
   */
  records: Iterable<FileRecord>;
  flows: FileFlow[];
  /** Ending cash that the file states. */
  cash: StatedCash[];
  /** Number of skipped rows, by reason: "cancelled order", "total line". */
  skipped: Map<string, number>;
  /** Notes to the user on how the file was read: the zone used, missing fees. */
  notes: string[];
  stated: StatedTotal[];
  /** Of day notes: the parts that can't be read, and later those that can't be stored. */
  problems?: Problem[];
  /** The result of each day note, once its records were found. */
  readBack?: ReadBackOf;
  /** Of an edited day's note: its parts as printed. */
  printed?: readonly NotedRecord[];
  /** Exchange rates to the user's base currency, from a file of rates. */
  rates?: DailyRates;
  /** The order of day and month, if dates needed one and the format doesn't state it. */
  dates?: ReadDates | undefined;
}

/** A reading with all its records in memory. */
export type WholeReading = Reading & { records: FileRecord[] };

/**
 * A reading with the given parts, the others empty. Rows default to lines of fills,
 * records and skipped rows.
 */
export function reading(parts: Partial<WholeReading>): WholeReading {
  const {
    fills = [],
    records = [],
    flows = [],
    cash = [],
    skipped = new Map<string, number>(),
    notes = [],
    stated = [],
  } = parts;
  const rows =
    parts.rows ??
    new Set([...fills, ...flows].map(({ line }) => line)).size +
      records.length +
      sumOf(skipped);

  return {
    rows,
    fills,
    records,
    flows,
    cash,
    skipped,
    notes,
    stated,
    ...(parts.dates && { dates: parts.dates }),
  };
}

/** A reading whose records are read while they are iterated. */
export function streamed(
  records: () => Iterator<FileRecord>,
  skipped: Reading['skipped'] = new Map(),
): Reading {
  return {
    ...reading({ skipped }),
    rows: undefined,
    records: { [Symbol.iterator]: records },
  };
}

export function sumOf(skipped: ReadonlyMap<string, number>): number {
  return [...skipped.values()].reduce((sum, count) => sum + count, 0);
}

/** A fill with defaults: without costs, effect and shorts. */
export function fill(
  stated: Pick<
    FileFill,
    'line' | 'instrument' | 'executedAt' | 'side' | 'quantity' | 'price'
  > &
    Partial<FileFill>,
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

/** Of a row that states a cost of what was held at its time, such as funding. */
export const DATED = {
  kind: 'cost',
  isDated: true,
  side: null,
  quantity: null,
  price: 0,
  effect: null,
} as const;

/** Null for a long number that a spreadsheet cut to 8.95E+14. */
function idOrNull(id: string | null): string | null {
  return id !== null && isCutId(id) ? null : id;
}

/** Whether a spreadsheet cut a long number, to 8.95E+14. */
export function isCutId(id: string): boolean {
  return /^\d(?:[.,]\d+)?E\+?\d+$/i.test(id);
}

/**
 * Fills in file order, reversed if the file goes back in time more often than forward.
 */
export function oldestFirst(fills: readonly FileFill[]): FileFill[] {
  let steps = 0;
  fills.forEach(({ executedAt }, index) => {
    const before = fills[index - 1]?.executedAt ?? executedAt;
    if (executedAt !== before) steps += executedAt > before ? 1 : -1;
  });
  return steps < 0 ? fills.toReversed() : [...fills];
}

/** Compares fills by time. */
export function byTime(
  a: Pick<FileFill, 'executedAt'>,
  b: Pick<FileFill, 'executedAt'>,
): number {
  if (a.executedAt === b.executedAt) return 0;
  return a.executedAt < b.executedAt ? -1 : 1;
}

export function skip(skipped: Map<string, number>, reason: string, rows = 1): void {
  if (rows > 0) skipped.set(reason, (skipped.get(reason) ?? 0) + rows);
}

// Splits, exchanges and transfers of units, from rows that state incoming and outgoing
// units.

/**
 * The exchange of one instrument for another, or for other units of itself.
 * @param before the row of the outgoing units
 * @param after the row of the incoming units
 */
export function changeOf(before: FileFill, after: FileFill): FileFill[] {
  const stated = { ...after, side: null, effect: null, price: 0, fees: 0 };
  const formerSymbol = before.instrument.symbol;
  const isOther = after.instrument.symbol !== formerSymbol;
  const ratio = Number(after.quantity) / Number(before.quantity);
  const change: FileFill = {
    ...stated,
    kind: 'symbol_change',
    quantity: before.quantity,
    formerSymbol,
  };
  const split: FileFill = { ...stated, kind: 'split', quantity: ratio };

  return [...(isOther ? [change] : []), ...(ratio !== 1 || !isOther ? [split] : [])];
}

/** Rows of one day, each outgoing one with the incoming one that replaces it. */
export interface Pairs {
  pairs: { before: FileFill; after: FileFill }[];
  /** Rows without a clear counterpart. */
  rest: FileFill[];
}

/** Pairs outgoing with incoming rows: the only two, or the only two with equal units. */
export function pairsOf(rows: readonly FileFill[]): Pairs {
  const ends = (side: FileFill['side'], units?: number | null) =>
    rows.filter(
      (row) => row.side === side && (units === undefined || row.quantity === units),
    );
  const isOnly = ends('sell').length === 1 && ends('buy').length === 1;
  const pairs = ends('sell').flatMap((before) => {
    const units = isOnly ? undefined : before.quantity;
    const [befores, [after, ...others]] = [ends('sell', units), ends('buy', units)];
    return after && others.length === 0 && befores.length === 1
      ? [{ before, after }]
      : [];
  });
  const paired = new Set(pairs.flatMap(({ before, after }) => [before, after]));

  return { pairs, rest: rows.filter((row) => !paired.has(row)) };
}

/**
 * Units that came or went for a reason that the row doesn't state: later trades are
 * unsure.
 */
export function unclear(row: FileFill): FileFill {
  return {
    ...row,
    kind: 'unclear',
    side: null,
    quantity: null,
    effect: null,
    price: 0,
    fees: 0,
  };
}

// Cash flows.

/** Kind of a cash flow; funding: a deposit or a withdrawal, by the sign of its amount. */
type FlowMeaning = FlowKind | 'funding';

/** Meanings of reasons for skipping a row; the first that matches counts. */
export type FlowMeanings = readonly (readonly [reason: RegExp, meaning: FlowMeaning])[];

/** The kind of a cash flow by a reason; undefined if it moves no cash. */
export function flowKindOf(
  reason: string,
  meanings: FlowMeanings,
  amount: number,
): FlowKind | undefined {
  const meaning = meanings.find(([pattern]) => pattern.test(reason))?.[1];
  if (meaning !== 'funding') return meaning;
  return amount < 0 ? 'withdrawal' : 'deposit';
}

/** A note of a file. */
export const NO_FEES = 'this export has no fees; they are 0';

// Ids of rows that have none.

/** The part of an id that stands for the facts of a row without one. */
export function factsHash(facts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(facts)).slice(0, 24);
}

/** Equal rows of a file are separate: from the second on, their id has an ordinal. */
export function distinctIds(separator = '.'): (id: string, key?: string) => string {
  const counts = new Map<string, number>();
  return (id, key = id) => {
    const ordinal = (counts.get(key) ?? 0) + 1;
    counts.set(key, ordinal);
    return ordinal === 1 ? id : `${id}${separator}${ordinal}`;
  };
}
