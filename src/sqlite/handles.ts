/** Open handles on a SQLite file, for reading only: each is on the file that lay at the path when it was opened. */
import Database from 'better-sqlite3';
import { FileUnavailable } from './errors.ts';
import type { FileState } from './file-state.ts';
import { addFunctions } from './functions.ts';
import { Reader } from './reader.ts';

/** Handles kept open for the next read. One is enough while no pass is under way. */
const MAX_IDLE = 2;

export interface Handle {
  db: Database.Database;
  reader: Reader;
  /** How long SQLite waits for a lock, blocking the process. */
  busyTimeout: number;
  /** Of the file's state, when this was opened. What it keeps in memory may be wrong for any other. */
  generation: number;
}

export class Handles {
  readonly #state: FileState;
  #idle: Handle[] = [];
  #inUse = 0;
  #isClosed = false;

  constructor(state: FileState) {
    this.#state = state;
  }

  /** How many were taken and not given back. */
  get inUse(): number {
    return this.#inUse;
  }

  /**
   * @param busyTimeout milliseconds that SQLite may wait for a lock, blocking the process
   * @throws FileUnavailable where there is no file, or one whose log is another's; or what SQLite or the system say
   */
  take(busyTimeout: number): Handle {
    this.#state.look();
    if (this.#idle.some((handle) => this.#isStale(handle))) this.closeIdle();
    const handle = this.#idle.pop() ?? this.open();
    if (handle.busyTimeout !== busyTimeout) handle.db.pragma(`busy_timeout = ${busyTimeout}`);
    handle.busyTimeout = busyTimeout;
    this.#inUse++;
    return handle;
  }

  /** Takes back what was taken, its snapshot ended. */
  giveBack(handle: Handle): void {
    this.#inUse--;
    const { db, reader } = handle;
    if (db.inTransaction) db.exec('COMMIT');
    const isKept = !this.#isClosed && !this.#isStale(handle) && !reader.isFull && this.#idle.length < MAX_IDLE;
    if (isKept) this.#idle.push(handle);
    else db.close();
  }

  /** Takes back one that failed: its fault may be all the others', and new ones are cheap. */
  discard(handle: Handle): void {
    this.#inUse--;
    handle.db.close();
    this.closeIdle();
  }

  /** One that is the caller's to close, on the file that was there at the last look. */
  open(): Handle {
    if (this.#state.hasForeignLog) {
      throw new FileUnavailable(
        'the file was replaced, but the write-ahead log of the old one is still beside it; close the program that writes the log, or remove it',
      );
    }
    const { path, generation } = this.#state;
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      db.pragma('query_only = ON');
      db.pragma('trusted_schema = OFF');
      addFunctions(db);
    } catch (error) {
      db.close();
      throw error;
    }
    return { db, reader: new Reader(db), busyTimeout: 0, generation };
  }

  closeIdle(): void {
    for (const { db } of this.#idle.splice(0)) db.close();
  }

  /** Closes what is idle now, and each other once it is given back. */
  close(): void {
    this.#isClosed = true;
    this.closeIdle();
  }

  #isStale({ generation }: Handle): boolean {
    return generation !== this.#state.generation;
  }
}
