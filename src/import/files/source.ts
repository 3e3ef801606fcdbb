/** The source of an import: a file, standard input, or notes already read. A long file is read in blocks. */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { messageOf, UserError } from '../../errors.ts';
import { encodingOf, type FilePlace, openFile } from '../parse/open-file.ts';
import type { Note } from '../table/format.ts';
import type { Job } from './job.ts';
import { blocksOf, bytesOf, textOf } from './text.ts';

const BLOCK = 1 << 16;

export class FileSource {
  readonly #place: FilePlace;
  /** The contents of a source that can be read only once. */
  readonly #bytes: Buffer | undefined;
  readonly #notes: readonly Note[] | undefined;
  #hash: Hash = createHash('sha256');
  #digest: string | undefined;
  /** Number of bytes read so far, and in total; 0 if unknown. */
  done = 0;
  size = 0;
  /** Whether it can be read again: a pipe can't. */
  isRepeatable = true;

  constructor({ file, noLinks, bytes, notes }: Pick<Job, 'file' | 'noLinks' | 'bytes' | 'notes'>) {
    this.#place = { file, noLinks };
    this.#bytes = bytes;
    this.#notes = notes;
  }

  /** All bytes at once. @throws UserError if it can't be read */
  bytes(): Buffer {
    const bytes = bytesOf({ ...this.#place, ...(this.#bytes && { bytes: this.#bytes }) });
    this.#digest = createHash('sha256').update(bytes).digest('hex');
    this.done = this.size = bytes.length;
    return bytes;
  }

  /** The notes of a folder, or a file's single note. @throws UserError if it can't be read */
  notes(fileName: string): readonly Note[] {
    const notes = this.#notes;
    if (!notes) {
      const text = textOf({ ...this.#place, bytes: this.bytes() });
      return [{ file: fileName, path: fileName || 'standard-input.md', text }];
    }
    const text = JSON.stringify(notes.map(({ path, text }) => [path, text]));
    this.#digest = createHash('sha256').update(text).digest('hex');
    this.done = this.size = text.length;
    return notes;
  }

  /**
   * The text from the beginning, in blocks that may end anywhere.
   * @throws UserError if it can't be read or isn't text
   */
  *blocks(): Generator<string> {
    this.#hash = createHash('sha256');
    this.#digest = undefined;
    this.done = 0;
    let decoder: TextDecoder | undefined;
    for (const block of this.#bytes ? slices(this.#bytes) : this.#read()) {
      decoder ??= new TextDecoder(encodingOf(block), { fatal: true });
      this.#hash.update(block);
      this.done += block.length;
      yield this.#decoded(decoder, block);
    }
    yield this.#decoded(decoder, undefined);
    this.#digest ??= this.#hash.digest('hex');
  }

  /** The hash of all bytes in hexadecimal, once they have been read. */
  get sha256(): string {
    if (this.#digest === undefined) throw new Error(`${this.#place.file} has not been read to its end`);
    return this.#digest;
  }

  #decoded(decoder: TextDecoder | undefined, block: Buffer | undefined): string {
    try {
      return decoder?.decode(block, { stream: block !== undefined }) ?? '';
    } catch {
      throw new UserError(`${this.#place.file}: not UTF-8 text; save it as UTF-8 and try again`);
    }
  }

  *#read(): Generator<Buffer> {
    const { file } = this.#place;
    let fd: number | undefined;
    try {
      fd = openFile(this.#place);
      const stats = fstatSync(fd);
      this.isRepeatable = stats.isFile();
      this.size = stats.size;
      yield* blocksOf(file, fd);
    } catch (error) {
      throw error instanceof UserError ? error : new UserError(`${file} can't be read: ${messageOf(error)}`);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}

/** The hash of a file's bytes, or of its notes, as imports keep it. */
export function hashOf({ file, notes }: Pick<Job, 'file' | 'notes'>): string {
  if (!notes) return createHash('sha256').update(readFileSync(file)).digest('hex');
  const source = new FileSource({ file, notes });
  source.notes('');
  return source.sha256;
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += BLOCK) yield bytes.subarray(at, at + BLOCK);
}
