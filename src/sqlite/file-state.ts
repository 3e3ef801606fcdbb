/**
 * State of the file at a path, read without SQLite: its identity, time of writing,
 * header, and the log next to it.
 */
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { FileUnavailable } from './errors.ts';

// SQLite's header: byte 18 is 2 if the file uses a write-ahead log; else bytes 24 to 27
// count its commits.
const HEADER_FROM = 18;
const HEADER_LENGTH = 10;
const USES_WAL = 2;

export class FileState {
  readonly path: string;
  readonly #header = Buffer.alloc(HEADER_LENGTH);
  #generation = 0;
  #file: Stats | undefined;
  #log: Stats | undefined;
  /**
   * The last file and log that belong together: they don't if the file was replaced and
   * the log stayed.
   */
  #pair: { file: Stats; log: Stats | undefined } | undefined;
  #isLogOfOther = false;
  /** Descriptor to read the file's header. */
  #descriptor: { fd: number; file: Stats } | undefined;
  readonly #oldDescriptors: number[] = [];

  constructor(path: string) {
    this.path = path;
  }

  /**
   * A number that changes when a check finds another file, a newer time of writing, or
   * another log.
   */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the file uses a write-ahead log, by the last header read. */
  get usesWal(): boolean {
    return this.#header[0] === USES_WAL;
  }

  /**
   * Number of commits to the file, by the last header read. Commits to a write-ahead log
   * don't count.
   */
  get commits(): number {
    return this.#header.readUInt32BE(6);
  }

  /**
   * Whether the log next to the file belongs to another file, so that reading both would
   * mix them.
   */
  get hasForeignLog(): boolean {
    return this.#isLogOfOther || (!this.usesWal && hasContent(this.#log));
  }

  /** Whether replaced files are still open. */
  get holdsOld(): boolean {
    return this.#oldDescriptors.length > 0;
  }

  /**
   * @throws FileUnavailable if the file is missing; the operating system's error if it
   * can't be checked
   */
  look(): void {
    const file = statOf(this.path);
    const log = statOf(`${this.path}-wal`);
    if (!sameContent(file, this.#file) || !sameFile(log, this.#log)) this.#generation++;
    this.#file = file;
    this.#log = log;
    if (!file) throw new FileUnavailable('the file is missing');

    this.#hold(file);
    this.readHeader();
    const before = this.#pair;

    this.#isLogOfOther =
      before !== undefined &&
      !sameFile(before.file, file) &&
      hasContent(log) &&
      sameFile(before.log, log);
    if (!this.#isLogOfOther) this.#pair = { file, log };
  }

  /** Reads the header of the file found by the last check. */
  readHeader(): void {
    if (!this.#descriptor) return this.look();
    const bytes = readSync(
      this.#descriptor.fd,
      this.#header,
      0,
      HEADER_LENGTH,
      HEADER_FROM,
    );
    if (bytes < HEADER_LENGTH) this.#header.fill(0);
  }

  /**
   * Closes replaced files. Never while they are read: closing any descriptor of a file
   * drops all locks of this process on it, including SQLite's.
   */
  closeOld(): void {
    for (const fd of this.#oldDescriptors.splice(0)) closeSync(fd);
  }

  /** Closes everything. Never during a read. */
  close(): void {
    if (this.#descriptor) this.#oldDescriptors.push(this.#descriptor.fd);
    this.#descriptor = undefined;
    this.closeOld();
  }

  #hold(file: Stats): void {
    if (sameFile(this.#descriptor?.file, file)) return;
    const fd = openSync(this.path, 'r');
    if (this.#descriptor) this.#oldDescriptors.push(this.#descriptor.fd);
    this.#descriptor = { fd, file };
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function hasContent(log: Stats | undefined): boolean {
  return log !== undefined && log.size > 0;
}

function sameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

function sameContent(a: Stats | undefined, b: Stats | undefined): boolean {
  // A copy may set back the time of writing; the time of the status change can't be set.
  return (
    sameFile(a, b) &&
    a?.size === b?.size &&
    a?.mtimeMs === b?.mtimeMs &&
    a?.ctimeMs === b?.ctimeMs
  );
}
