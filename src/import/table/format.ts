/** A file format: how its files are recognised, and how they become a reading. */
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import type { FormatTraits, Reading } from '../fills/reading.ts';
import type { ColumnNames } from '../parse/csv-rows.ts';

export interface ReadContext {
  /** What the file's records are. */
  resource: ListResource;
  user: User;
  /** The file's name without folders; empty for standard input. */
  fileName: string;
  /** The zone that times without an offset were written in, where the person said so. */
  timeZone: string | undefined;
  /** The day (2026-11-20) of an export that has times only, where the person said so. */
  date: string | undefined;
  /** The note of a day as it was printed: only what differs from it counts. */
  printed?: Note | undefined;
  /** Of a workbook: its sheets but the one that is read, as CSV. */
  otherSheets?: () => readonly string[];
}

/**
 * What a format was made and tried with: files that the platform wrote for somebody; samples, and rows that people published; descriptions
 * of the format only.
 */
type Evidence = 'real files' | 'samples' | 'documentation';

export interface FormatBase extends FormatTraits {
  /** For --formats. */
  description: string;
  /** Undefined: the journal's own records, which no other program writes. */
  evidence?: Evidence;
  /** The path of the resource that its files hold; undefined where the file's name or --as says so. */
  holds?: string;
  /**
   * @param start the beginning of the file, as text whatever it holds
   * @param fileName its name, without folders
   */
  looksLike(start: string, fileName: string): boolean;
  /** Columns that together no other header has, where that is how its files are recognised. */
  marks?: readonly ColumnNames[];
}

/** A file of records, however many: they are read while they are written. */
interface StreamFormat extends FormatBase {
  streamed: true;
  binary?: false;
  notes?: false;
  /**
   * @param blocks begins to read the text, in blocks that end anywhere
   * @returns records that read the file while they are gone through, and throw RowError where it can't be read
   */
  read(blocks: () => Iterable<string>, context: ReadContext): Reading;
}

interface TextFormat extends FormatBase {
  streamed?: false;
  binary?: false;
  notes?: false;
  /** @throws RowError where the text can't be read */
  read(text: string, context: ReadContext): Reading;
}

/** A workbook, a database. */
interface BinaryFormat extends FormatBase {
  streamed?: false;
  binary: true;
  notes?: false;
  /**
   * @param path where the bytes lie; null for standard input
   * @throws RowError where the bytes can't be read
   */
  read(bytes: Buffer, context: ReadContext & { path: string | null }): Reading;
}

/** A note in Markdown. */
export interface Note {
  /** As it is named in messages. */
  file: string;
  /** Within its vault. */
  path: string;
  text: string;
}

/** Notes, which are read together. */
interface NotesFormat extends FormatBase {
  streamed?: false;
  binary?: false;
  notes: true;
  /** @throws RowError that names the note, and what is wrong in it */
  read(notes: readonly Note[], context: ReadContext): Reading;
}

export type Format = TextFormat | StreamFormat | BinaryFormat | NotesFormat;

/** @param moved what came or went, and where the file says so */
export function movedNote(moved: readonly string[]): string {
  const more = moved.length > 5 ? ` and ${moved.length - 5} more` : '';
  return `shares that came or went without a trade (splits, mergers, transfers) make no fill, since the rows don't say what for: ${moved.slice(0, 5).join(', ')}${more}`;
}

const OWN_EXTENSION = /\.(jsonl|ndjson|json|csv)$/i;

/** Whether a file's name tells nothing about how it is written. */
export function hasNoKnownExtension(fileName: string): boolean {
  return !OWN_EXTENSION.test(fileName);
}
