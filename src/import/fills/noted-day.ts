/** Contents of a day note: the session, trades to find, and missed trades. Values are those of records, by field. */
import type { Values } from '../../journal-write/record.ts';
import type { Problem } from '../../journal-write/row-error.ts';
import type { Figure } from '../parse/figures.ts';

/** Fields of a part of a note: "review.lesson" is within an object. null and [] clear a field. */
export interface NotedFields {
  values: Values;
  lines: Readonly<Record<string, number>>;
}

/** A trade as a note names it, not looked up yet. */
export interface NotedClues {
  id: string | undefined;
  symbol: string | undefined;
  side: string | undefined;
  /** Epoch milliseconds. */
  at: number | undefined;
  day: string | undefined;
  entryPrice: Figure | undefined;
  number: number | undefined;
}

/** A figure that the fills state as well. */
export interface NotedFigure {
  field: 'entry_price' | 'exit_price' | 'quantity' | 'net_pnl' | 'r_multiple';
  figure: Figure;
  line: number;
}

export interface NotedTrade extends NotedFields {
  line: number;
  clues: NotedClues;
  figures: readonly NotedFigure[];
  /** Pictures with web addresses. */
  attachments: readonly { url: string; caption: string | null }[];
}

export interface NotedMissed extends NotedFields {
  line: number;
  missedAt: string;
  symbol: string;
  side: string;
}

export interface NotedDay extends NotedFields {
  file: string;
  line: number;
  date: string;
  trades: readonly NotedTrade[];
  missed: readonly NotedMissed[];
}

/** The notes of a folder, or one. */
export interface NotedDays {
  days: readonly NotedDay[];
  problems: readonly Problem[];
  /** Number of skipped rows and parts, by reason. */
  skipped: ReadonlyMap<string, number>;
}
