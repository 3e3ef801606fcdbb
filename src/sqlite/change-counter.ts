/** Notices every change of a SQLite file, for what is cached of it. */
import type Database from 'better-sqlite3';
import type { FileState } from './file-state.ts';
import type { Handle, Handles } from './handles.ts';

/** How often it is looked whether another file lies at the path, or the same one was written without SQLite. */
const LOOK_AT_PATH_MS = 100;

const UNKNOWN = -1;

export class ChangeCounter {
  readonly #state: FileState;
  readonly #handles: Handles;
  #version = 0;
  #lookedAtPath = Number.NEGATIVE_INFINITY;
  #generation = UNKNOWN;
  #usedWal = false;
  #commits = UNKNOWN;
  /** Where there is a write-ahead log: a handle that is asked, and nothing else, what others have committed since. */
  #asked: { handle: Handle; dataVersion: Database.Statement } | undefined;

  constructor(state: FileState, handles: Handles) {
    this.#state = state;
    this.#handles = handles;
  }

  /**
   * A number that moves as soon as the file holds something else: at once after a commit, and within a tenth of a second after
   * the file was replaced, removed, or written without SQLite.
   */
  version(): number {
    try {
      if (this.#hasChanged()) this.#version++;
    } catch {
      // What can't be looked at is not what it was.
      this.#version++;
      this.forget();
    }
    return this.#version;
  }

  /** Closes what this holds of the file; the next version is another one. */
  forget(): void {
    this.#lookedAtPath = Number.NEGATIVE_INFINITY;
    this.#commits = UNKNOWN;
    this.#closeAsked();
  }

  #hasChanged(): boolean {
    const now = performance.now();
    // Each question to the system costs as much as the rest of an answer from the cache, so there is one a request.
    this.#state.readHeader();
    // A commit also changes when the file was written: seen together, the two are one change.
    const isCommitted = !this.#state.usesWal && this.#state.commits !== this.#commits;
    if (isCommitted || now - this.#lookedAtPath > LOOK_AT_PATH_MS) {
      this.#state.look();
      this.#lookedAtPath = now;
    }
    const { generation, usesWal } = this.#state;
    const isSame = generation === this.#generation && usesWal === this.#usedWal;
    if (!isSame) this.#closeAsked();
    const commits = usesWal ? this.#dataVersion() : this.#state.commits;
    const hasChanged = !isSame || commits !== this.#commits;
    this.#generation = generation;
    this.#usedWal = usesWal;
    this.#commits = commits;
    return hasChanged;
  }

  /** A number that moves with each commit of another handle. It says nothing to any handle but the one that is asked. */
  #dataVersion(): number {
    if (!this.#asked) {
      const handle = this.#handles.open();
      this.#asked = { handle, dataVersion: handle.db.prepare('PRAGMA data_version').pluck() };
      this.#commits = UNKNOWN;
    }
    return this.#asked.dataVersion.get() as number;
  }

  #closeAsked(): void {
    this.#asked?.handle.db.close();
    this.#asked = undefined;
  }
}
