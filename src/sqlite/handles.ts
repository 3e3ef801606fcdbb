/**
 * Read-only handles on a SQLite file, and reads through them. Each handle reads the file
 * that was at the path when it was opened.
 */

import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { asUnavailable, FileUnavailable, isLocked, ReadAbandoned } from './errors.ts';
import { addFunctions } from './functions.ts';
import { type Laid, Reader, VersionFacts, type Watch } from './reader.ts';

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

// Reads, each on one consistent snapshot; a long one lets the file's lock go now and then.

/**
 * The reason why a file with this application_id and user_version can't be used;
 * undefined if it can.
 */
export type ProblemOf = (applicationId: number, version: number) => string | undefined;

/** What a long read is made for. */
export interface LongRead {
  /** The views that it sees; undefined for the whole file. */
  overlay?: Overlay | undefined;
  /** Whether its result is still wanted. */
  isWanted: () => boolean;
}

/** Milliseconds that a read waits for a lock before it fails. */
export const PATIENCE_MS = 5000;

/** Milliseconds between two looks at whether a writer waits. */
const LOOK_MS = 20;

/**
 * Milliseconds after which the lock is let go, whether or not a writer can be seen to
 * wait.
 */
const LET_GO_MS = 500;

/** The same at the last attempt, which fails if the file then changes. */
const LONGEST_LOCK_MS = 1900;

/** Times that a read starts afresh because the file changed, before it keeps the lock. */
const MAX_RESTARTS = 3;

/** The file changed while its lock was let go: the read has to start afresh. */
export class FileChanged extends Error {}

const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 25;

/** The next pause between two attempts to get a lock. */
export function nextPause(pause = SHORTEST_PAUSE_MS / 2): number {
  return Math.min(2 * pause, LONGEST_PAUSE_MS);
}

const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/**
 * Result of a function, which is called again while the file is locked. Blocks this
 * thread.
 * @throws ReadAbandoned once the result is no longer wanted
 */
function waitFor<T>(open: () => T, isWanted: () => boolean): T {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let pause = nextPause(); ; pause = nextPause(pause)) {
    try {
      return open();
    } catch (error) {
      if (!isLocked(error) || performance.now() > giveUpAt) throw error;
    }
    Atomics.wait(NOTHING, 0, 0, pause);
    requireWanted(isWanted);
  }
}

export function requireWanted(isWanted: () => boolean): void {
  if (!isWanted()) throw new ReadAbandoned();
}

export class Snapshots {
  readonly #handles: Handles;
  readonly #problemOf: ProblemOf;

  constructor(handles: Handles, problemOf: ProblemOf) {
    this.#handles = handles;
    this.#problemOf = problemOf;
  }

  /**
   * Begins a snapshot.
   * @param waitMs milliseconds to wait for a lock, blocking this thread
   * @param version of the file, asked for before: facts of a later snapshot may be kept
   * for it, and it never returns
   */
  open(waitMs: number, version: number, overlay?: Overlay): Handle {
    let handle: Handle | undefined;
    try {
      handle = this.#handles.take(waitMs, overlay);
      handle.reader.version = version;
      handle.db.exec('BEGIN');
      this.#checkSchema(handle.reader);
      return handle;
    } catch (error) {
      if (handle) this.end(handle, error);
      throw asUnavailable(error);
    }
  }

  /**
   * Reads from a snapshot that has begun, and ends it.
   * @param watching makes what looks after a long read
   */
  read<T>(handle: Handle, fn: (reader: Reader) => T, watching?: () => Watch): T {
    const { reader } = handle;
    let failure: unknown;
    try {
      reader.watch = watching?.();
      reader.overlay?.begin?.(reader);
      return fn(reader);
    } catch (error) {
      failure = error;
      throw asUnavailable(error);
    } finally {
      reader.watch = undefined;
      this.end(handle, failure);
    }
  }

  /**
   * The same for a read that may take long: it lets writers have the file in between. If
   * the file has changed by then, it throws FileChanged.
   * @param attempt how often it has begun: the last time, it keeps the lock
   */
  readLong<T>(
    handle: Handle,
    fn: (reader: Reader) => T,
    { isWanted }: LongRead,
    attempt: number,
  ): T {
    const isKept = attempt > MAX_RESTARTS;
    return this.read(
      handle,
      fn,
      () => new Lock(handle, isWanted, isKept, () => this.#checkSchema(handle.reader)),
    );
  }

  /**
   * The same from its beginning, as often as it has to start afresh. Waiting for a lock
   * blocks this thread.
   */
  readAtLength<T>(version: number, fn: (reader: Reader) => T, read: LongRead): T {
    for (let attempt = 1; ; attempt++) {
      const handle = waitFor(() => this.open(0, version, read.overlay), read.isWanted);
      try {
        return this.readLong(handle, fn, read, attempt);
      } catch (error) {
        if (!(error instanceof FileChanged)) throw error;
      }
    }
  }

  /** @param failure the error thrown within, if any */
  end(handle: Handle, failure: unknown): void {
    const isOfFile = failure !== asUnavailable(failure) || failure instanceof FileChanged;
    // A lock is temporary.
    if (isOfFile && !isLocked(failure)) this.#handles.discard(handle);
    else this.#handles.giveBack(handle);
  }

  /** Checked each time: a newer program may upgrade the open file. */
  #checkSchema(reader: Reader): void {
    const problem = this.#problemOf(
      reader.only<{ application_id: number }>('PRAGMA application_id').application_id,
      reader.only<{ user_version: number }>('PRAGMA user_version').user_version,
    );
    if (problem) throw new FileUnavailable(problem);
  }
}

function changesTooOften(): FileUnavailable {
  return new FileUnavailable(
    'the file changes too often for a request that takes this long; request less of it',
  );
}

/**
 * The lock of a long read: let go between two statements, or while nothing is read, and
 * taken again for the next statement.
 */
class Lock implements Watch {
  readonly #handle: Handle;
  readonly #isWanted: () => boolean;
  readonly #isKept: boolean;
  readonly #checkSchema: () => void;
  #isHeld = true;
  #since = performance.now();
  #lookedAt = this.#since;
  readonly #stamp: string;
  /** With a write-ahead log, a read keeps no writer out. */
  readonly #hasLog: boolean;

  constructor(
    handle: Handle,
    isWanted: () => boolean,
    isKept: boolean,
    checkSchema: () => void,
  ) {
    this.#handle = handle;
    this.#isWanted = isWanted;
    this.#isKept = isKept;
    this.#checkSchema = checkSchema;
    this.#stamp = this.#stampNow();
    this.#hasLog = handle.db.pragma('journal_mode', { simple: true }) === 'wal';
  }

  requireWanted(): void {
    requireWanted(this.#isWanted);
  }

  beforeStatement(): void {
    this.requireWanted();
    if (!this.#isHeld) return this.#take();
    if (this.#hasLog) return;

    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return;

    this.#lookedAt = now;
    const held = now - this.#since;
    if (this.#isKept ? held < LONGEST_LOCK_MS : held < LET_GO_MS && !this.#isWriterSeen())
      return;

    this.letGo();
    this.#take();
  }

  letGo(): void {
    if (this.#isHeld) this.#handle.db.exec('COMMIT');
    this.#isHeld = false;
  }

  /**
   * A writer's rollback journal is beside the file from its first change to its commit.
   */
  #isWriterSeen(): boolean {
    const journal = statSync(`${this.#handle.db.name}-journal`, {
      throwIfNoEntry: false,
    });
    return journal !== undefined && journal.size > 0;
  }

  /** @throws FileChanged if what was read so far isn't the file's any more */
  #take(): void {
    const { db } = this.#handle;
    const stamp = waitFor(() => {
      try {
        db.exec('BEGIN');
        return this.#stampNow();
      } catch (error) {
        if (db.inTransaction) db.exec('COMMIT');
        throw error;
      }
    }, this.#isWanted);
    this.#isHeld = true;
    this.#since = performance.now();
    this.#lookedAt = this.#since;
    if (stamp !== this.#stamp) throw this.#isKept ? changesTooOften() : new FileChanged();

    this.#checkSchema();
  }

  /**
   * What tells one state of the file from another: SQLite's own count of commits, and the
   * file at the path.
   */
  #stampNow(): string {
    const { db } = this.#handle;
    const { dev, ino, size, mtimeMs, ctimeMs } =
      statSync(db.name, { throwIfNoEntry: false }) ?? {};
    return [
      db.pragma('data_version', { simple: true }),
      dev,
      ino,
      size,
      mtimeMs,
      ctimeMs,
    ].join(' ');
  }
}
