/** Open handles on a SQLite file, for reading only: each is on the file that lay at the path when it was opened. */
import Database from 'better-sqlite3';
import { FileUnavailable } from './errors.ts';
import type { FileState } from './file-state.ts';
import { addFunctions } from './functions.ts';
import { Reader } from './reader.ts';

/** Handles kept open for the next read. One is enough while no pass is under way. */
const MAX_IDLE = 2;
/** Of all overlays together. */
const MAX_IDLE_IN_ALL = 16;

type Begin = (reader: Reader) => Generator<void> | undefined;

/** What a handle shows in place of its file's tables. */
export interface Overlay {
  /** Handles with overlays of one name are the same. */
  name: string;
  /**
   * Puts temporary views over the tables of a new handle.
   * @returns what is done at the beginning of each snapshot, with pauses if it may take long
   */
  lay: (db: Database.Database) => Begin;
}

export interface Handle {
  db: Database.Database;
  reader: Reader;
  /** How long SQLite waits for a lock, blocking the process. */
  busyTimeout: number;
  /** Of the file's state, when this was opened. What it keeps in memory may be wrong for any other. */
  generation: number;
  /** Name of its overlay; undefined for the file as it is. */
  overlay: string | undefined;
  begin: Begin;
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
   * @param overlay what is shown; undefined for the file as it is
   * @throws FileUnavailable where there is no file, or one whose log is another's; or what SQLite or the system say
   */
  take(busyTimeout: number, overlay?: Overlay): Handle {
    this.#state.look();
    if (this.#idle.some((handle) => this.#isStale(handle))) this.closeIdle();
    const idle = this.#idle.findLastIndex((handle) => handle.overlay === overlay?.name);
    const [handle = this.open(overlay)] = idle === -1 ? [] : this.#idle.splice(idle, 1);
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
    const alike = this.#idle.filter(({ overlay }) => overlay === handle.overlay);
    const isKept = !this.#isClosed && !this.#isStale(handle) && !reader.isFull && alike.length < MAX_IDLE;
    if (isKept) this.#idle.push(handle);
    else db.close();
    if (this.#idle.length > MAX_IDLE_IN_ALL) this.#idle.shift()?.db.close();
  }

  /** Takes back one that failed: its fault may be all the others', and new ones are cheap. */
  discard(handle: Handle): void {
    this.#inUse--;
    handle.db.close();
    this.closeIdle();
  }

  /** One that is the caller's to close, on the file that was there at the last look. */
  open(overlay?: Overlay): Handle {
    if (this.#state.hasForeignLog) {
      throw new FileUnavailable(
        'the file was replaced, but the write-ahead log of the old one is still beside it; close the program that writes the log, or remove it',
      );
    }
    const { path, generation } = this.#state;
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      db.pragma('trusted_schema = OFF');
      addFunctions(db);
      // Views in memory, which SQLite refuses to make once it may only query.
      if (overlay) db.pragma('temp_store = MEMORY');
      const begin = overlay?.lay(db) ?? (() => undefined);
      db.pragma('query_only = ON');
      const reader = new Reader(db, overlay !== undefined);
      return { db, reader, busyTimeout: 0, generation, overlay: overlay?.name, begin };
    } catch (error) {
      db.close();
      throw error;
    }
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
