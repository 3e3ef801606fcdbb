/** What a file format is: how its files are recognised, and how their text becomes records. */
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import type { Values } from '../../journal-write/record-writer.ts';

/** One record as a file has it, with the line it begins on. */
export interface FileRecord {
  line: number;
  values: Values;
}

export interface Reading {
  records: FileRecord[];
  /** How many rows were left out, by reason. */
  skipped: Map<string, number>;
  /** What the person should know about how the file was read. */
  notes: string[];
}

interface ReadContext {
  /** What the file's records are. */
  resource: ListResource;
  user: User;
  /** The zone that times without an offset were written in, where the person said so. */
  timeZone: string | undefined;
}

export interface Format {
  /** As it is given to --format. */
  name: string;
  /** For --help. */
  description: string;
  /** The path of the resource that its files hold; undefined where the file's name or --as says so. */
  holds?: string;
  /**
   * @param start the beginning of the file's text
   * @param fileName its name, without folders
   */
  looksLike(start: string, fileName: string): boolean;
  /** @throws RowError where the text can't be read */
  read(text: string, context: ReadContext): Reading;
}

export function reading(records: FileRecord[], notes: string[] = []): Reading {
  return { records, skipped: new Map(), notes };
}

const OWN_EXTENSION = /\.(jsonl|ndjson|json|csv)$/i;

/** Whether a file's name tells nothing about how it is written. */
export function hasNoKnownExtension(fileName: string): boolean {
  return !OWN_EXTENSION.test(fileName);
}
