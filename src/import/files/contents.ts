/**
 * The contents of a file, of standard input or of a folder's notes: their beginning, all
 * of them, or block by block.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { codeOf, messageOf, UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import type { Note } from '../../notes/note.ts';
import { SEPARATOR_LINE } from '../../parse/csv-rows.ts';
import {
  decode,
  decodeOlder,
  encodingOf,
  type FilePlace,
  isZip,
  MOST_BYTES,
  openFile,
} from '../../parse/open-file.ts';
import { ReadOnlyFile } from '../../sqlite/read-only-file.ts';
import type { ImportOptionsKept } from '../../statements/import-entry.ts';
import { compressed, PIECE } from '../../statements/imports.ts';
import type { Format } from '../tables/format.ts';

/**
 * A file to import, or a folder's notes of one kind. `file` is also the name in messages.
 */
export interface Job extends FilePlace {
  format: Format;
  resource: ListResource;
  /** The contents of a source that can be read only once. */
  bytes?: Buffer;
  /** The contents as the journal keeps them, if they aren't read from the file. */
  pieces?: (() => Iterable<Buffer>) | undefined;
  notes?: readonly Note[];
  /** How it is read, if its import was changed. */
  kept?: KeptOptions;
}

/** Options that an import keeps. */
export interface KeptOptions {
  options: ImportOptionsKept;
  /** Contents of the mapping's file. */
  mapping: string | null;
}

/** What makes up the contents of a job. */
type JobContents = FilePlace & Pick<Job, 'bytes' | 'pieces' | 'notes'>;

/** Whether its contents have no file to name: they are from standard input, or a pipe. */
export function isNameless({
  file,
  bytes,
  pieces,
}: Pick<Job, 'file' | 'bytes' | 'pieces'>): boolean {
  return bytes !== undefined || (pieces !== undefined && file === STANDARD_INPUT);
}

/** The name of what a file holds in lists: days hold records of several resources. */
export function contentsOf({
  format,
  resource,
}: Pick<Job, 'format' | 'resource'>): string {
  return format.holds ?? resource.path;
}

/** The name of standard input in messages and reports. */
export const STANDARD_INPUT = 'standard input';

export function statOf({ file, noLinks = false }: FilePlace): Stats {
  return readable(file, () => (noLinks ? lstatSync(file) : statSync(file)));
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Number of bytes used to detect a format. */
export const START = 4096;

export function startOf(place: FilePlace): string {
  return opened(place, (fd) => {
    const bytes = Buffer.alloc(START);
    return startOfBytes(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
  });
}

/**
 * Whether a path may lead to a workbook: true for what can be read only once, or not at
 * all.
 */
export function mayBeWorkbook(path: string): boolean {
  if (path === '-') return true;
  try {
    return !statSync(path).isFile() || opened({ file: path }, startsAsZip);
  } catch {
    return true;
  }
}

function startsAsZip(fd: number): boolean {
  const bytes = Buffer.alloc(4);
  readSync(fd, bytes, 0, bytes.length, 0);
  return isZip(bytes.toString('latin1'));
}

export function startOfBytes(bytes: Buffer): string {
  const start = decode(bytes.subarray(0, START), true) ?? '';
  return start.replace(SEPARATOR_LINE, '').trimStart();
}

/**
 * @param isForeign whether another program wrote it: then text that is neither UTF-8 nor
 * UTF-16 may be in an older encoding
 */
export function textOf(
  job: FilePlace & Pick<Job, 'bytes' | 'pieces'>,
  isForeign = false,
): string {
  const bytes = bytesOf(job);
  const text = isForeign ? decodeOlder(bytes) : decode(bytes);
  if (text === undefined) throw notText(job.file);
  return text;
}

/**
 * @param bytes the contents, if already read
 * @throws UserError if the file can't be read or is too long
 */
export function bytesOf({
  bytes,
  pieces,
  ...place
}: FilePlace & Pick<Job, 'bytes' | 'pieces'>): Buffer {
  if (pieces) return joined(place.file, pieces());
  return bytes ?? opened(place, (fd) => allOf(place.file, fd));
}

export function standardInput(): Buffer {
  return readable(STANDARD_INPUT, () => allOf(STANDARD_INPUT, STDIN));
}

/** @throws UserError that names the file if it can't be read */
function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): unknown {
  return error instanceof UserError
    ? error
    : new UserError(`${file} can't be read: ${messageOf(error)}`);
}

function opened<T>(place: FilePlace, read: (fd: number) => T): T {
  return readable(place.file, () => {
    const fd = openFile(place);
    try {
      return read(fd);
    } finally {
      closeSync(fd);
    }
  });
}

function allOf(name: string, fd: number): Buffer {
  const stats = fstatSync(fd);
  if (stats.isFile() && stats.size > MOST_BYTES) throw tooLong(name);
  if (stats.isFile() && fd !== STDIN) return readFileSync(fd);
  return joined(name, blocksOf(name, fd));
}

function joined(name: string, all: Iterable<Buffer>): Buffer {
  const blocks: Buffer[] = [];
  let length = 0;
  for (const block of all) {
    length += block.length;
    if (length > MOST_BYTES) throw tooLong(name);
    blocks.push(Buffer.from(block));
  }

  return Buffer.concat(blocks);
}

function tooLong(name: string): UserError {
  return new UserError(
    `${name} has more than ${MOST_BYTES / 1e6} MB; only files of records in CSV or JSON Lines may be longer`,
  );
}

const DATABASE = 'SQLite format 3\0';

/**
 * Whether it is a database: others may write to it, and part of it may be in a file
 * beside it.
 */
function isDatabase(place: FilePlace): boolean {
  return statOf(place).isFile() && startOf(place).startsWith(DATABASE);
}

/**
 * The bytes of one snapshot of a database, with its log.
 * @throws UserError if it can't be read
 */
function snapshotOf({ file }: FilePlace): Buffer {
  const database = new ReadOnlyFile(file, () => undefined);
  try {
    return database.snapshot(MOST_BYTES);
  } catch (error) {
    throw error instanceof RangeError ? tooLong(file) : unreadable(file, error);
  } finally {
    database.close();
  }
}

function notText(file: string): UserError {
  return new UserError(`${file}: not UTF-8 text; save it as UTF-8 and try again`);
}

const STDIN = 0;
const BLOCK = 1 << 18;
const PAUSE_MS = 10;
/** Maximum wait for a pipe's writer. */
const PATIENCE_MS = 5000;

/**
 * The contents of a file, pipe or standard input, in blocks that are valid until the next
 * one. Gives up on a pipe without a writer.
 * @param fd stays open
 * @throws UserError for such a pipe; the system's error if it can't be read
 */
function* blocksOf(name: string, fd: number): Generator<Buffer> {
  const room = Buffer.allocUnsafe(BLOCK);
  for (let waited = 0, hasBegun = !fstatSync(fd).isFIFO() || fd === STDIN; ; ) {
    const block = readBlock(fd, room);
    hasBegun ||= block?.length !== 0;
    if (block && block.length > 0) yield block;
    else if (block && hasBegun) return;
    else {
      if (!hasBegun && waited > PATIENCE_MS)
        throw new UserError(
          `${name} is a pipe without a writer; start the program that writes to it first`,
        );
      waited += PAUSE_MS;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** Undefined if the writer has written nothing yet; empty at the end. */
function readBlock(fd: number, block: Buffer): Buffer | undefined {
  try {
    return block.subarray(0, readSync(fd, block));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EAGAIN') return undefined;
    if (code === 'EOF') return block.subarray(0, 0);
    throw error;
  }
}

/** Most compressed bytes of a file that the journal keeps. */
export const MOST_KEPT = 64_000_000;

/** Most bytes of a file that are held as they are: a longer one is read a second time. */
const MOST_HELD = 4_000_000;

/**
 * Holds the bytes of a source while it is read: those of a small file, and compressed
 * those that can't be read again.
 */
class HeldBytes {
  readonly #isRepeatable: boolean;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(isRepeatable: boolean) {
    this.#isRepeatable = isRepeatable;
  }

  /** @param all blocks, which pass through */
  *holding(all: Iterable<Buffer>): Generator<Buffer> {
    for (const piece of inPieces(all)) {
      this.#add(piece);
      yield piece;
    }
  }

  /** Compressed; undefined if the file has to be read again. */
  get pieces(): Iterable<Buffer> | undefined {
    if (!this.#isRepeatable) return this.#pieces;
    return this.#size > MOST_HELD
      ? undefined
      : this.#pieces.map((piece) => compressed(piece));
  }

  #add(piece: Buffer): void {
    const most = this.#isRepeatable ? MOST_HELD : MOST_KEPT;
    // One that compressed is longer isn't kept.
    if (this.#size > most) return;
    const held = this.#isRepeatable ? piece : compressed(piece);
    this.#size += held.length;
    this.#pieces.push(held);
    if (this.#isRepeatable && this.#size > most) this.#pieces.length = 0;
  }
}

/** The source of a job, which is read once and hashed. */
export class FileSource {
  readonly #job: JobContents;
  readonly #holds: boolean;
  #hash: Hash = createHash('sha256');
  #digest: string | undefined;
  /** Number of bytes read so far, and in total; 0 if unknown. */
  done = 0;
  size = 0;
  /** Whether it can be read again: a pipe can't. */
  isRepeatable = true;
  #held: HeldBytes | undefined;

  /** @param holds whether its bytes are wanted after it is read */
  constructor(job: JobContents, holds = false) {
    this.#job = job;
    this.#holds = holds;
  }

  /** All bytes at once. @throws UserError if it can't be read */
  bytes(): Buffer {
    const job = this.#job;
    const isHere = job.bytes !== undefined || job.pieces !== undefined;
    const isCopied = !isHere && isDatabase(job);
    const bytes = isCopied ? snapshotOf(job) : bytesOf(job);
    if (!isHere) this.#hold(bytes, !isCopied && statOf(job).isFile());
    this.#digest = hash('sha256', bytes);
    this.done = this.size = bytes.length;

    return bytes;
  }

  /**
   * The notes of a folder, or a file's single note.
   * @throws UserError if it can't be read
   */
  notes(fileName: string): readonly Note[] {
    const { notes } = this.#job;
    if (!notes) {
      const { file } = this.#job;
      const text = textOf({ file, bytes: this.bytes() });
      return [{ file: fileName, path: fileName || 'standard-input.md', text }];
    }

    const text = JSON.stringify(notes.map(({ path, text }) => [path, text]));
    this.#digest = hash('sha256', text);
    this.done = this.size = text.length;

    return notes;
  }

  /**
   * The text from the beginning, in blocks that may end anywhere.
   * @throws UserError if it can't be read or isn't text
   */
  *blocks(): Generator<string> {
    let decoder: TextDecoder | undefined;
    for (const block of this.raw()) {
      decoder ??= new TextDecoder(encodingOf(block), { fatal: true });
      yield this.#decoded(decoder, block);
    }
    yield this.#decoded(decoder, undefined);
  }

  /**
   * The bytes from the beginning, in blocks that are valid until the next one.
   * @throws UserError if it can't be read
   */
  *raw(): Generator<Buffer> {
    const { bytes, pieces } = this.#job;
    this.#hash = createHash('sha256');
    this.#digest = undefined;
    this.done = 0;

    const here = bytes ? slices(bytes) : pieces?.();
    for (const block of here ?? this.#read()) {
      this.#hash.update(block);
      this.done += block.length;
      yield block;
    }

    this.#digest ??= this.#hash.digest('hex');
  }

  /** The hash of all bytes in hexadecimal, once they have been read. */
  get sha256(): string {
    if (this.#digest === undefined)
      throw new Error(`${this.#job.file} has not been read to its end`);
    return this.#digest;
  }

  /**
   * All bytes once read, in compressed pieces; undefined if they have to be read again.
   */
  get held(): Iterable<Buffer> | undefined {
    return this.#held?.pieces;
  }

  #decoded(decoder: TextDecoder | undefined, block: Buffer | undefined): string {
    try {
      return decoder?.decode(block, { stream: block !== undefined }) ?? '';
    } catch {
      throw notText(this.#job.file);
    }
  }

  *#read(): Generator<Buffer> {
    const { file } = this.#job;
    let fd: number | undefined;
    try {
      fd = openFile(this.#job);
      const stats = fstatSync(fd);
      this.isRepeatable = stats.isFile();
      this.size = stats.size;
      const blocks = blocksOf(file, fd);
      yield* this.#holds ? this.#holding(blocks, this.isRepeatable) : blocks;
    } catch (error) {
      throw unreadable(file, error);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  #hold(bytes: Buffer, isRepeatable: boolean): void {
    // A long file is read again.
    if (!this.#holds || (isRepeatable && bytes.length > MOST_HELD)) return;
    for (const _ of this.#holding([bytes], isRepeatable));
  }

  #holding(all: Iterable<Buffer>, isRepeatable: boolean): Iterable<Buffer> {
    this.#held = new HeldBytes(isRepeatable);
    return this.#held.holding(all);
  }
}

/** The hash of a file's bytes, or of its notes, as imports keep it. */
export function hashOf(job: Pick<Job, 'file' | 'noLinks' | 'notes'>): string {
  const source = new FileSource(job);
  if (job.notes) source.notes('');
  else if (isDatabase(job)) source.bytes();
  else for (const _ of source.raw());
  return source.sha256;
}

/**
 * The same bytes, in pieces as the journal keeps them; one that is empty if there are
 * none.
 */
export function* inPieces(all: Iterable<Buffer>): Generator<Buffer> {
  let [blocks, length, count]: [Buffer[], number, number] = [[], 0, 0];
  const taken = () => {
    const piece = Buffer.concat(blocks);
    [blocks, length] = [[], 0];
    count++;
    return piece;
  };

  for (const block of all) {
    for (const part of slices(block)) {
      blocks.push(Buffer.from(part));
      length += part.length;
      if (length >= PIECE) yield taken();
    }
  }

  if (length > 0 || count === 0) yield taken();
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += BLOCK) yield bytes.subarray(at, at + BLOCK);
}

/** What the journal keeps of an import's file. */
export interface KeptContents {
  file: string;
  /** Without folders; empty for standard input. */
  name: string;
  pieces?: () => Iterable<Buffer>;
  notes?: readonly Note[];
  printed: Note | undefined;
}
