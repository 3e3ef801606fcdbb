/** Notices every change of a SQLite file, for what is remembered of it. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

// SQLite's header: byte 18 is 2 where the file uses a write-ahead log; bytes 24 to 27 count the commits of one that doesn't.
const FROM = 18;
const LENGTH = 10;
const USES_WAL = 2;

/** How often it is looked whether another file lies at the path, or the same one was written without SQLite. */
const LOOK_AT_PATH_MS = 100;

export class FileWatch {
  readonly #path: string;
  readonly #header = Buffer.alloc(LENGTH);
  #version = 0;
  #fd: number | undefined;
  readonly #old: number[] = [];
  #lookedAtPath = Number.NEGATIVE_INFINITY;
  #seen = { dev: -1, ino: -1, mtimeMs: -1, size: -1 };
  #commits = -1;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * A number that is another one as soon as the file holds something else: at once after a commit, and within a tenth of a
   * second after the file was replaced, removed, or written without SQLite.
   */
  version(): number {
    try {
      this.#look();
    } catch {
      // What can't be looked at is not what it was.
      this.#lookedAtPath = Number.NEGATIVE_INFINITY;
      this.#version++;
    }
    return this.#version;
  }

  /** Looks at the path at once, not only when that is due. */
  lookAgain(): void {
    this.#lookedAtPath = Number.NEGATIVE_INFINITY;
    this.version();
  }

  /** Whether the file keeps a write-ahead log, as it was at the last look. */
  get usesWal(): boolean {
    return this.#header[0] === USES_WAL;
  }

  /** Whether a file that lay here before is still held. */
  get holdsOld(): boolean {
    return this.#old.length > 0;
  }

  /**
   * Lets go of files that lay here before. Not while anybody reads them: to close any descriptor of a file drops all locks that
   * this process has on it, SQLite's own included.
   */
  closeOld(): void {
    for (const fd of this.#old.splice(0)) closeSync(fd);
  }

  close(): void {
    if (this.#fd !== undefined) this.#old.push(this.#fd);
    this.#fd = undefined;
    this.#lookedAtPath = Number.NEGATIVE_INFINITY;
    this.closeOld();
  }

  #look(): void {
    const now = performance.now();
    // Each question to the system costs as much as the rest of an answer that is remembered, so there is one a request.
    if (now - this.#lookedAtPath > LOOK_AT_PATH_MS) this.#lookAtPath(now);
    readSync(this.#fd as number, this.#header, 0, LENGTH, FROM);
    const commits = this.#header.readUInt32BE(6);
    // Commits to a log leave the file as it was: what is read beside one is not remembered.
    if (commits !== this.#commits || this.#header[0] === USES_WAL) this.#version++;
    this.#commits = commits;
  }

  #lookAtPath(now: number): void {
    this.#lookedAtPath = now;
    const { dev, ino, mtimeMs, size } = statSync(this.#path);
    const { dev: seenDev, ino: seenIno, mtimeMs: seenMtime, size: seenSize } = this.#seen;
    if (this.#fd === undefined || dev !== seenDev || ino !== seenIno) {
      const fd = openSync(this.#path, 'r');
      if (this.#fd !== undefined) this.#old.push(this.#fd);
      this.#fd = fd;
      this.#version++;
    } else if (mtimeMs !== seenMtime || size !== seenSize) this.#version++;
    this.#seen = { dev, ino, mtimeMs, size };
  }
}
