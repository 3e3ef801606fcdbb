/** The report of an import and of each of its files. */
import type { Problem } from '../../errors.ts';
import type { FillReport } from './fill-report.ts';
import type { Notice } from './notices.ts';

export interface ImportReport {
  dry_run: boolean;
  journal: string;
  user: string;
  timezone: string;
  files: FileReport[];
  /** Files of a folder that hold nothing to import. */
  ignored: { file: string; reason: string }[];
  /** Files that weren't imported because of an error; the others were. */
  failed: { file: string; message: string }[];
  /** What looks like a mistake, each with the command that mends it. */
  notices: Notice[];
}

export interface FileReport {
  file: string;
  format: string;
  resource: string;
  /** Every row is used, or skipped for a reason: read is the sum of both. */
  rows: { read: number; used: number; skipped: Record<string, number> };
  /** Numbers of records, and of trades made from fills. */
  added: number;
  changed: number;
  unchanged: number;
  /** When the same file was imported before, UTC text; null if never, or if it has anything new. */
  imported_before: string | null;
  /** Report of a platform's file; null for plain records. */
  platform: FillReport | null;
  /** Result of a file of rates; null for others. */
  rates: RateReport | null;
  problems: Problem[];
  skipped: { reason: string; count: number }[];
  /** Notes to the user on how it was read: the zone, missing data. */
  notes: string[];
}

/** Result of filling rates. */
interface RateReport {
  /** Number of trades that got a rate. */
  filled: number;
  /** Closed trades still without one, by currency, with their first and last day. */
  missing: { currency: string; trades: number; first: string; last: string }[];
}
