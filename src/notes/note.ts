/** What a note is, and what is read of it. */
import type { Problem } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import type { Values } from '../journal-write/record.ts';
import type { Figure } from '../parse/cells.ts';
import type { NotePictures } from './note-pictures.ts';

/** A note in Markdown. */
export interface Note {
  /** Its name in messages. */
  file: string;
  /** Path within its vault. */
  path: string;
  text: string;
  /** The pictures that it shows, once they are found. */
  pictures?: NotePictures;
}

export function isNoteName(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}

/** A record as it is written. */
export interface StatedRecord {
  /** Its own file, if not the one imported: a note in a folder. */
  file?: string;
  line: number;
  values: Values;
  /** Its own resource, if the file holds several. */
  resource?: ListResource;
  /** Values of a new record, which hold only if no line states others. */
  defaults?: Readonly<Values>;
  /**
   * The lines of its fields, if one that is invalid is reported and the others are
   * written: in a day's note.
   */
  lines?: Readonly<Record<string, number>>;
  /**
   * Of an edited day's note: its values as printed. What differs from them is written.
   */
  was?: Readonly<Values>;
  /** Whether its part was deleted in the editor. */
  isGone?: boolean;
}

/**
 * A part of a day's note: its session, a trade with its journal entry, or a missed trade.
 * Its record is still to be found. Values are by field: "review.lesson" is within an
 * object; null and [] clear a field.
 */
export interface NotedRecord extends StatedRecord {
  file: string;
  resource: ListResource;
  lines: Record<string, number>;
  /** The note's day. */
  date: string;
  /** Of a trade. */
  clues?: TradeClues;
  /**
   * Of a trade: its heading, bullet or row, which is text of the session unless the
   * journal has the trade; undefined for a whole note, which has no session.
   */
  heading?: string;
  misspelt?: readonly Misspelt[];
  /** Of a trade: its values that can't be read. */
  problems?: readonly Problem[];
  /** Of a session: its notes, if the trades' parts on these lines are text. */
  notesWith?: (lines: ReadonlySet<number>) => string | null;
  /** Of a session: lines that look like a field or a trade, and stayed text. */
  stayed?: readonly TextLine[];
  figures?: readonly NotedFigure[];
  /** Of a trade: its line with a field as written; undefined if it isn't known. */
  rawOf?: (field: string) => string | undefined;
  /** The #words of its text, which are its tags unless it names others. */
  textTags?: readonly string[];
  /** The kept pictures of its note, by their names as written. */
  pictures?: NotePictures['kept'];
  /** Pictures with web addresses. */
  attachments?: readonly { url: string; caption: string | null }[];
}

/** A name that the trader gave a field, and the field that has nearly that name. */
export interface Misspelt {
  name: string;
  meant: string;
}

/**
 * A line that looks like a field or a trade, and stayed text; the reason says what it
 * lacks.
 */
export interface StayedText {
  line: number;
  text: string;
  reason: string;
}

export interface TextLine extends StayedText {
  /**
   * It looks like a trade only if the journal has one in this symbol: for a heading, any;
   * for a line, one of the day.
   */
  symbol?: { name: string; of: 'journal' | 'day' } | undefined;
  /** How a trade of that symbol would begin: with a bullet or a heading. */
  mark?: '-' | '##' | undefined;
  /**
   * Why, if the journal has no trade in that symbol; undefined: it looks like text then.
   */
  otherwise?: string | undefined;
}

/** What is known of a trade; all are optional. */
export interface TradeClues {
  id?: string | undefined;
  /** Whether the id is that of a trade group. */
  isGroup?: boolean;
  symbol?: string | undefined;
  side?: string | undefined;
  /** When it was entered, epoch milliseconds. */
  at?: number | undefined;
  /** The local day of entry, used without a time. */
  day?: string | undefined;
  entryPrice?: Figure | undefined;
  /** Its position among the day's trades of its symbol, from 1. */
  number?: number | undefined;
  /** Whether the number may count all trades of the day. */
  countsAll?: boolean | undefined;
  /** The other words of its heading, such as iron condor. */
  words?: string | undefined;
}

/** The result of reading a day or week of a note. */
export interface ReadBack {
  file: string;
  /** The day, such as 2026-11-20; undefined for a week. */
  day?: string;
  /** 2026-W47 */
  week?: string;
  /** Those whose sections were found, with the names of their fields. */
  trades: { id: string; name: string; fields: readonly string[] }[];
  /** Names of the fields of the session or review. */
  fields: readonly string[];
  /** Number of missed trades. */
  missed: number;
  /** Number of words in texts, with those that stayed text. */
  words: number;
  /** Number of pictures that were kept. */
  pictures: number;
  /** Lines that look like a field or a trade, and stayed text. */
  stayed_text: readonly StayedText[];
}

/** @param problems those of fields, which then weren't stored */
export type ReadBackOf = (problems: readonly Problem[]) => ReadBack[];

/** A figure that the fills state as well. */
export interface NotedFigure {
  field: 'entry_price' | 'exit_price' | 'quantity' | 'net_pnl' | 'r_multiple';
  figure: Figure;
  line: number;
}

/** The comment in a heading that says which trade or group the section is about. */
export function markOfId(id: string, isGroup = false): string {
  return `<!-- ${isGroup ? 'g' : 't'}:${id} -->`;
}

// Where a record is in a note.

/**
 * In the place of a note's path: a record that its edit removed, by its line in the
 * printed note.
 */
export const REMOVED = '-';

/** The place of a record in a note. */
export function placeInNote(resource: string, path: string, line: number | null): string {
  return `${resource} ${path} ${line}`;
}

/**
 * The place of a part in its note; in the printed one, below 0, if it was deleted from
 * it.
 */
export function placeOf({ line, isGone }: Pick<StatedRecord, 'line' | 'isGone'>): number {
  return isGone === true ? -line : line;
}
