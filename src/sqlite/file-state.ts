/** What lies at the path of a SQLite file, seen past SQLite: which file it is, when it was written, its header, the log beside it. */
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { FileUnavailable } from './errors.ts';

// SQLite's header: byte 18 is 2 where the file uses a write-ahead log; bytes 24 to 27 count the commits of one that doesn't.
const HEADER_FROM = 18;
const HEADER_LENGTH = 10;
const USES_WAL = 2;

export class FileState {
  readonly path: string;
  readonly #header = Buffer.alloc(HEADER_LENGTH);
  #generation = 0;
  #file: Stats | undefined;
  #log: Stats | undefined;
  /** The last file and the log beside it that belong together: where the file is replaced and the log stays, they don't. */
  #pair: { file: Stats; log: Stats | undefined } | undefined;
  #isLogOfOther = false;
  /** Open on the file, to read its header with. */
  #descriptor: { fd: number; file: Stats } | undefined;
  readonly #oldDescriptors: number[] = [];

  constructor(path: string) {
    this.path = path;
  }

  /** A number that moves where a look finds another file at the path, or the same one written to, or another log beside it. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the file keeps a write-ahead log, by the header last read. */
  get usesWal(): boolean {
    return this.#header[0] === USES_WAL;
  }

  /** How often was committed to the file by the header last read. Commits to a write-ahead log don't count. */
  get commits(): number {
    return this.#header.readUInt32BE(6);
  }

  /** Whether the log beside the file belongs to another one, so that reading both would mix the two. */
  get hasForeignLog(): boolean {
    return this.#isLogOfOther || (!this.usesWal && hasContent(this.#log));
  }

  /** Whether files that lay here before are still held open. */
  get holdsOld(): boolean {
    return this.#oldDescriptors.length > 0;
  }

  /** @throws FileUnavailable where there is no file; what the operating system says where it can't be looked at */
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
      before !== undefined && !sameFile(before.file, file) && hasContent(log) && sameFile(before.log, log);
    if (!this.#isLogOfOther) this.#pair = { file, log };
  }

  /** Reads the header of the file that was there at the last look. */
  readHeader(): void {
    if (!this.#descriptor) return this.look();
    const bytes = readSync(this.#descriptor.fd, this.#header, 0, HEADER_LENGTH, HEADER_FROM);
    if (bytes < HEADER_LENGTH) this.#header.fill(0);
  }

  /**
   * Lets go of files that lay here before. Not while anybody reads them: to close any descriptor of a file drops all locks that
   * this process has on it, SQLite's own included.
   */
  closeOld(): void {
    for (const fd of this.#oldDescriptors.splice(0)) closeSync(fd);
  }

  /** Lets go of everything. Not while anybody reads. */
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
  // A copy may set the time of writing back; nothing sets that of the change of status.
  return sameFile(a, b) && a?.size === b?.size && a?.mtimeMs === b?.mtimeMs && a?.ctimeMs === b?.ctimeMs;
}
