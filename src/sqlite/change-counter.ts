/** Detects every change of a SQLite file, to invalidate caches. */
import type Database from 'better-sqlite3';
import type { FileState } from './file-state.ts';
import type { Handle, Handles } from './handles.ts';

/** Interval of checks for a replaced file, or one written without SQLite. */
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
  /** With a write-ahead log: a handle used only to ask for commits by others. */
  #asked: { handle: Handle; dataVersion: Database.Statement } | undefined;

  constructor(state: FileState, handles: Handles) {
    this.#state = state;
    this.#handles = handles;
  }

  /**
   * A number that changes with the file's contents: at once after a commit, and within a tenth of a second after the file was
   * replaced, removed, or written without SQLite.
   */
  version(): number {
    try {
      if (this.#hasChanged()) this.#version++;
    } catch {
      // An unreadable file counts as changed.
      this.#version++;
      this.forget();
    }
    return this.#version;
  }

  /** Closes all handles on the file; the next version differs. */
  forget(): void {
    this.#lookedAtPath = Number.NEGATIVE_INFINITY;
    this.#commits = UNKNOWN;
    this.#closeAsked();
  }

  #hasChanged(): boolean {
    const now = performance.now();
    // Each system call costs as much as the rest of a cached response, so there is one per request.
    this.#state.readHeader();
    // A commit also changes the time of writing: the two together are one change.
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

  /** A number that changes with each commit of another handle; only comparable on the same handle. */
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
