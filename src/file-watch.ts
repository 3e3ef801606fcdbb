/** Notices every change of a SQLite file, for what is remembered of it. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

// SQLite's header: byte 18 is 2 where the file uses a write-ahead log; bytes 24 to 27 count the commits of one that doesn't.
const FROM = 18;
const LENGTH = 10;
const USES_WAL = 2;

export class FileWatch {
  readonly #path: string;
  readonly #lookEvery: number;
  readonly #header = Buffer.alloc(LENGTH);
  #version = 0;
  #fd: number | undefined;
  #lookedAtPath = Number.NEGATIVE_INFINITY;
  #seen = { dev: -1, ino: -1, mtimeMs: -1, size: -1, commits: -1 };

  /**
   * @param lookEvery milliseconds after which it is looked again whether another file lies at the path while the old one still
   *   is somewhere, by another name; a file that was renamed over or removed is noticed at once
   */
  constructor(path: string, lookEvery: number) {
    this.#path = path;
    this.#lookEvery = lookEvery;
  }

  /** A number that is another one as soon as the file may hold something else. */
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
  }

  #look(): void {
    const now = performance.now();
    if (this.#fd === undefined || now - this.#lookedAtPath >= this.#lookEvery) this.#lookAtPath(now);
    let { mtimeMs, size, nlink } = fstatSync(this.#fd as number);
    if (nlink === 0) {
      // Renamed over or removed: asking the handle notices that at once, and takes half the time of asking by path.
      this.#lookAtPath(now);
      ({ mtimeMs, size, nlink } = fstatSync(this.#fd as number));
    }
    readSync(this.#fd as number, this.#header, 0, LENGTH, FROM);
    const commits = this.#header.readUInt32BE(6);
    const seen = this.#seen;
    if (commits !== seen.commits || mtimeMs !== seen.mtimeMs || size !== seen.size) {
      this.#seen = { ...seen, mtimeMs, size, commits };
      this.#version++;
    }
    // Commits to a log leave the file as it was; what is read beside one is not remembered.
    if (this.#header[0] === USES_WAL) this.#version++;
  }

  #lookAtPath(now: number): void {
    this.#lookedAtPath = now;
    const { dev, ino } = statSync(this.#path);
    if (this.#fd !== undefined && dev === this.#seen.dev && ino === this.#seen.ino) return;
    this.close();
    this.#fd = openSync(this.#path, 'r');
    this.#seen = { dev, ino, mtimeMs: -1, size: -1, commits: -1 };
  }
}
