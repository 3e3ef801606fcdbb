/**
 * Read-only handles on a SQLite file: each reads the file that was at the path when it
 * was opened.
 */
import Database from 'better-sqlite3';
import { asUnavailable, FileUnavailable } from './errors.ts';
import { addFunctions } from './functions.ts';
import { type Laid, Reader, VersionFacts } from './reader.ts';

/** Idle handles kept for the next read. One is enough unless a long read is running. */
const MAX_IDLE = 2;
/** Limit over all overlays. */
const MAX_IDLE_IN_ALL = 16;

/** What handles have to know about the file at a path. */
export interface FileFacts {
  readonly path: string;
  /** A number that changes with the file. */
  readonly generation: number;
  /**
   * Whether the write-ahead log next to the file belongs to another file, so that reading
   * both would mix them.
   */
  readonly hasForeignLog: boolean;
  /** Looks at the file again. */
  look: () => void;
}

/** An overlay: temporary views that a handle shows in place of its file's tables. */
export interface Overlay {
  /** Handles with the same overlay name are interchangeable. */
  name: string;
  /**
   * Name of a kept fact that takes a pass over the file, and that another thread may
   * know.
   */
  fact?: string;
  /** Creates temporary views over the tables of a new handle. */
  lay: (db: Database.Database) => Omit<Laid, 'name'>;
}

export interface Handle {
  db: Database.Database;
  reader: Reader;
  /** Milliseconds that SQLite waits for a lock, blocking the process. */
  busyTimeout: number;
  /** Version of the file's state at opening. Cached pages may be wrong for any other. */
  generation: number;
  /** Name of its overlay; undefined if none. */
  overlay: string | undefined;
}

/** Where the header of a file says whether it has a write-ahead log. */
const LOG_FLAGS = [18, 19];
const NO_LOG = 1;

/** Reads a copy of a SQLite file, as a snapshot made it; without a log of its own. */
export function readCopy<T>(bytes: Buffer, read: (reader: Reader) => T): T {
  const flags = LOG_FLAGS.map((at) => bytes[at] as number);
  for (const at of LOG_FLAGS) bytes[at] = NO_LOG;
  const db = new Database(bytes, { readonly: true });

  try {
    LOG_FLAGS.forEach((at, index) => {
      bytes[at] = flags[index] as number;
    });
    db.pragma('trusted_schema = OFF');
    db.pragma('query_only = ON');
    return read(new Reader(db));
  } catch (error) {
    throw asUnavailable(error);
  } finally {
    db.close();
  }
}

export function requireOwnLog({ hasForeignLog }: FileFacts): void {
  if (!hasForeignLog) return;
  throw new FileUnavailable(
    'the file was replaced, but the write-ahead log of the old one is still beside it; close the program that writes the log, or remove it',
  );
}

export class Handles {
  readonly #state: FileFacts;
  readonly facts = new VersionFacts();
  #idle: Handle[] = [];
  #inUse = 0;
  #isClosed = false;

  constructor(state: FileFacts) {
    this.#state = state;
  }

  /** Number of handles in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /**
   * @param busyTimeout milliseconds that SQLite may wait for a lock, blocking the process
   * @param overlay views to show; undefined if none
   * @throws FileUnavailable if the file is missing or its log belongs to another; or the
   * error of SQLite or the system
   */
  take(busyTimeout: number, overlay?: Overlay): Handle {
    this.#state.look();
    if (this.#idle.some((handle) => this.#isStale(handle))) this.closeIdle();
    const idle = this.#idle.findLastIndex((handle) => handle.overlay === overlay?.name);
    const [handle = this.open(overlay)] = idle === -1 ? [] : this.#idle.splice(idle, 1);
    if (handle.busyTimeout !== busyTimeout)
      handle.db.pragma(`busy_timeout = ${busyTimeout}`);
    handle.busyTimeout = busyTimeout;
    this.#inUse++;

    return handle;
  }

  /** Returns a handle after its snapshot ended. */
  giveBack(handle: Handle): void {
    this.#inUse--;
    const { db, reader } = handle;
    if (db.inTransaction) db.exec('COMMIT');
    const alike = this.#idle.filter(({ overlay }) => overlay === handle.overlay);
    const isKept =
      !this.#isClosed &&
      !this.#isStale(handle) &&
      !reader.isFull &&
      alike.length < MAX_IDLE;
    if (isKept) this.#idle.push(handle);
    else db.close();
    if (this.#idle.length > MAX_IDLE_IN_ALL) this.#idle.shift()?.db.close();
  }

  /**
   * Returns a handle that failed: the others may share its fault, and new ones are cheap.
   */
  discard(handle: Handle): void {
    this.#inUse--;
    handle.db.close();
    this.closeIdle();
  }

  /** A handle that the caller closes, on the file found by the last check. */
  open(overlay?: Overlay): Handle {
    requireOwnLog(this.#state);
    const { path, generation } = this.#state;
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });

    try {
      db.pragma('trusted_schema = OFF');
      let reader: Reader | undefined;
      addFunctions(db, () => reader?.watch?.requireWanted());
      // Temporary views must be created before the handle becomes query-only.
      if (overlay) db.pragma('temp_store = MEMORY');
      const laid = overlay && { name: overlay.name, ...overlay.lay(db) };
      db.pragma('query_only = ON');
      reader = new Reader(db, this.facts, laid);
      return { db, reader, busyTimeout: 0, generation, overlay: overlay?.name };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  closeIdle(): void {
    for (const { db } of this.#idle.splice(0)) db.close();
  }

  /** Closes idle handles now, and each other one when it is returned. */
  close(): void {
    this.#isClosed = true;
    this.closeIdle();
  }

  #isStale({ generation }: Handle): boolean {
    return generation !== this.#state.generation;
  }
}
