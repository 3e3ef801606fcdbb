/** A file format: recognises its files and reads them. */

import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import type { Note } from '../../notes/note.ts';
import type { Cell } from '../../parse/cells.ts';
import { type ColumnNames, plainName } from '../../parse/csv-rows.ts';
import type { KnownDates } from '../../parse/times.ts';
import {
  type FormatTraits,
  type Reading,
  skip,
  type WholeReading,
} from '../fills/reading.ts';

// The header of a file, parsed once for all formats: their marks that it has, and missing
// marks of the nearest.

type Names = ReadonlySet<string>;

/** Maximum number of lines searched for a header below titles. */
const MOST_TITLES = 20;

const DELIMITERS = [',', ';', '\t'];

let last: { start: string; headers: readonly Names[] } = { start: '', headers: [] };

/** The columns that each of the first lines would name as a header. */
function headersOf(start: string): readonly Names[] {
  if (last.start !== start) {
    const lines = start.split(/\r\n?|\n/, MOST_TITLES);
    last = {
      start,
      headers: lines.flatMap((line) => DELIMITERS.flatMap((mark) => namesIn(line, mark))),
    };
  }
  return last.headers;
}

function namesIn(line: string, delimiter: string): Names[] {
  const cells = line.split(delimiter);
  if (cells.length < 2) return [];
  // A spreadsheet may have quoted the whole line.
  return [
    new Set(
      cells.map((cell) => plainName(/[^"].*[^"]|[^"]/s.exec(cell.trim())?.[0] ?? '')),
    ),
  ];
}

/** @param marks columns that no other header has together */
export function hasMarks(start: string, marks: readonly ColumnNames[]): boolean {
  return headersOf(start).some((names) => marks.every((mark) => isIn(names, mark)));
}

/**
 * Marks missing from a header that has two thirds of them; undefined for other headers.
 */
export function lackingMarks(
  start: string,
  marks: readonly ColumnNames[],
): string[] | undefined {
  const all = headersOf(start).map((names) => lackingIn(names, marks));
  const [fewest] = all.sort((a, b) => a.length - b.length);
  return fewest?.length && fewest.length * 3 <= marks.length ? fewest : undefined;
}

function lackingIn(names: Names, marks: readonly ColumnNames[]): string[] {
  return marks
    .filter((mark) => !isIn(names, mark))
    .map((mark) => [mark].flat().join(' or '));
}

function isIn(names: Names, mark: ColumnNames): boolean {
  return [mark].flat().some((name) => names.has(plainName(name)));
}

export interface ReadContext {
  /** Resource of the file's records. */
  resource: ListResource;
  user: User;
  /** Without folders; empty for standard input. */
  fileName: string;
  /** The zone of times without an offset, if the user stated it. */
  timeZone: string | undefined;
  /** What is known of the order of day and month in its dates. */
  dates?: KnownDates | undefined;
  /** The day (2026-11-20) of an export with times only, if the user stated it. */
  date: string | undefined;
  /** The symbol of an export that names none, if the user stated it. */
  symbol?: string | undefined;
  /** The note of a day as printed: only differences from it are imported. */
  printed?: Note | undefined;
  /** Other sheets of a workbook, as CSV. */
  otherSheets?: () => readonly string[];
}

/**
 * Basis of a format's tests: files that the platform exported; samples and published
 * rows; descriptions of the format only.
 */
type Evidence = 'real files' | 'samples' | 'documentation';

export interface FormatBase extends FormatTraits {
  /** For --formats. */
  description: string;
  /** Undefined: the journal's own records, which no other program writes. */
  evidence?: Evidence;
  /**
   * Path of the resource in its files; undefined if the file's name or --as states it.
   */
  holds?: string;
  /**
   * @param start the beginning of the file as text, even if it is binary
   * @param fileName its name, without folders
   */
  looksLike(start: string, fileName: string): boolean;
  /** Whether its files may state their ending cash. */
  mayStateCash?: true;
  /** Columns that no other header has together, if they recognise its files. */
  marks?: readonly ColumnNames[];
  /**
   * Of its reader, 1 by default: raised with each version that reads some file
   * differently.
   */
  revision?: number;
}

export function revisionOf({ revision = 1 }: Pick<FormatBase, 'revision'>): number {
  return revision;
}

/**
 * Of the reader of tables and notes by a mapping: raised with each version that reads
 * some file differently.
 */
export const MAPPED_REVISION = 1;

/** A file of any number of records, read while they are written. */
export interface StreamFormat extends FormatBase {
  streamed: true;
  binary?: false;
  notes?: false;
  /**
   * @param blocks starts reading the text, in blocks that may end anywhere
   * @returns records that read the file while they are consumed, and throw RowError if it
   * can't be read
   */
  read(blocks: () => Iterable<string>, context: ReadContext): Reading;
}

interface TextFormat extends FormatBase {
  streamed?: false;
  binary?: false;
  notes?: false;
  /** @throws RowError if the text can't be read */
  read(text: string, context: ReadContext): Reading;
}

/** A format that a declaration makes: it keeps its records in memory. */
export interface TableFormat extends TextFormat {
  read(text: string, context: ReadContext): WholeReading;
}

/** A workbook, a database. */
export interface BinaryFormat extends FormatBase {
  streamed?: false;
  binary: true;
  notes?: false;
  /**
   * Whether a workbook has rows of the format: its beginning doesn't show it.
   * @throws RowError if it is damaged
   */
  hasRows?: (bytes: Buffer) => boolean;
  /**
   * @param path of the file; null for standard input
   * @throws RowError if the bytes can't be read
   */
  read(bytes: Buffer, context: ReadContext & { path: string | null }): Reading;
}

/** Notes, read together. */
interface NotesFormat extends FormatBase {
  streamed?: false;
  binary?: false;
  notes: true;
  /** @throws RowError that names the note and the problem */
  read(notes: readonly Note[], context: ReadContext): Reading;
}

export type Format = TextFormat | StreamFormat | BinaryFormat | NotesFormat;

/** Note for the user on a file without a currency. */
export function baseCurrencyNote({ user }: Pick<ReadContext, 'user'>): string {
  return `no currency in this file; using ${user.base_currency}, the base currency`;
}

/** Rows of a file that make no fill. */
export interface OtherRows {
  /** Number of skipped rows by reason. */
  skipped: Map<string, number>;
  /** Counts a skipped row. */
  skip(reason: string, rows?: number): void;
  /** Reports units of a symbol added or removed without a trade. */
  moved(symbol: Pick<Cell, 'text' | 'line'>): void;
  /** Notes for the user on moved units, once all rows are read. */
  movedNotes(): string[];
}

export function otherRows(): OtherRows {
  const skipped = new Map<string, number>();
  const moved: string[] = [];

  return {
    skipped,
    skip: (reason, rows) => skip(skipped, reason, rows),
    moved: ({ text, line }) => moved.push(`${text} on line ${line}`),
    movedNotes() {
      if (moved.length === 0) return [];
      const more = moved.length > 5 ? ` and ${moved.length - 5} more` : '';
      return [
        `shares added or removed without a trade (split, merger, transfer) make no fill because the rows don't state the reason: ${moved.slice(0, 5).join(', ')}${more}`,
      ];
    },
  };
}

const OWN_EXTENSION = /\.(jsonl|ndjson|json|csv)$/i;

/** Whether a file's name doesn't reveal its format. */
export function hasNoKnownExtension(fileName: string): boolean {
  return !OWN_EXTENSION.test(fileName);
}
