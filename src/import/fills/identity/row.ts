/**
 * Rows of files and of the journal, as they are compared: fills with one end, closed
 * trades with two.
 */
import type { RowDigits } from './digits.ts';

/** The opening or closing of a row: a fill has one. */
export interface RowEnd {
  /** UTC text with milliseconds. */
  instant: string;
  /**
   * As written: date and time, or the date of a day; '' if the file states the zone; null
   * if unknown.
   */
  clock: string | null;
  hasTime: boolean;
  price: number;
}

export interface Row {
  /** Instrument, side and kind: equal for rows that can be the same. */
  key: string;
  /** What else the key is made of, for messages. */
  facts: Readonly<Record<string, unknown>>;
  symbol: string;
  /** The symbol in lower case, equal for all spellings of its platform's files. */
  instrument: string;
  account: string | null;
  /** The platform's id; null if none. */
  id: string | null;
  ends: readonly RowEnd[];
  quantity: number | null;
}

/** A row of the file. */
export interface FileRow extends Row {
  line: number;
}

/** What one import wrote of a stored row. */
interface RowStatement {
  importId: number;
  /** The zone in which its times without one were read. */
  zone: string | null;
  /** The clock of each end; null if unknown, from an earlier version. */
  clocks: readonly string[] | null;
  /** Undefined if unknown. */
  digits: RowDigits | undefined;
  /** The platform's id. */
  id: string | null;
}

/** A row of the journal. */
export interface StoredRow extends Row {
  /** Its id in the journal. */
  storedId: string;
  /** Whether no file names its account, so that a file that names another is right. */
  isInferred: boolean;
  statements: readonly RowStatement[];
}
