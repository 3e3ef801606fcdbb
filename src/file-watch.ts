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
      this.close();
      this.#version++;
    }
    return this.#version;
  }

  close(): void {
    // Closing it would drop the locks that SQLite holds for readers of the same file. It is closed once another file lies
    // there, or when all is over.
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#lookedAtPath = Number.NEGATIVE_INFINITY;
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
      this.close();
      this.#fd = openSync(this.#path, 'r');
      this.#version++;
    } else if (mtimeMs !== seenMtime || size !== seenSize) this.#version++;
    this.#seen = { dev, ino, mtimeMs, size };
  }
}
