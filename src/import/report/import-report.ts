/** What an import reports: of each file, and of all. */
import type { Problem } from '../../journal-write/row-error.ts';
import type { FillReport } from './fill-report.ts';

export interface ImportReport {
  dry_run: boolean;
  journal: string;
  user: string;
  /** The user's. */
  timezone: string;
  files: FileReport[];
  ignored: { file: string; reason: string }[];
}

export interface FileReport {
  file: string;
  format: string;
  resource: string;
  /** Rows of data that it holds. */
  rows: number;
  /** Of records, and of trades that are made from fills. */
  added: number;
  changed: number;
  unchanged: number;
  /** When the same file was imported before, UTC text; null where it never was, or it brings something new. */
  imported_before: string | null;
  /** What a platform's file made; null of plain records. */
  platform: FillReport | null;
  /** What a file of rates made; null of all others. */
  rates: RateReport | null;
  /** Parts of notes that could not be taken. */
  problems: Problem[];
  skipped: { reason: string; count: number }[];
  /** What the person should know about how it was read: the zone, what the export lacks. */
  notes: string[];
}

/** Result of filling rates. */
export interface RateReport {
  /** Trades that got a rate. */
  filled: number;
  /** Closed trades that still have none, by currency, with the first and the last day of them. */
  missing: { currency: string; trades: number; first: string; last: string }[];
}
