/**
 * A SQLite file that this process only reads and others may rewrite or replace. Each read first checks whether the file is the
 * same, and reopens it if not.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { asUnavailable, FileUnavailable, isLocked, ReadAbandoned } from './errors.ts';
import { FileState } from './file-state.ts';
import { type Handle, Handles, type Overlay } from './handles.ts';
import { type BegunRead, type Finish, inTurns, type ReadClient, ReadQueue, toEnd } from './read-queue.ts';
import type { Reader } from './reader.ts';

// Detects every change of a SQLite file, to invalidate caches.

/** Interval of checks for a replaced file, or one written without SQLite. */
const LOOK_AT_PATH_MS = 100;

const UNKNOWN = -1;

class ChangeCounter {
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

// Waits for another program's lock without blocking this process.

/** Milliseconds before a waiting read fails. */
const PATIENCE_MS = 2000;

const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 25;

class LockWait {
  #pause = SHORTEST_PAUSE_MS;
  /** Time of the next attempt, shared by all reads: a thousand waiting reads cost hardly more than one. */
  #tryAgainAt = 0;
  #refusal: unknown;

  /**
   * Result of a function, which is called again if the file is locked.
   * @param isWanted called after each pause
   * @throws the function's error: at once, or after two seconds if it is about a lock
   * @throws ReadAbandoned once the result is no longer wanted
   */
  async untilUnlocked<T>(open: () => T, isWanted: () => boolean): Promise<T> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      for (let now = performance.now(); now < this.#tryAgainAt; now = performance.now()) {
        if (now > giveUpAt) throw this.#refusal;
        await sleep(this.#tryAgainAt - now);
        if (!isWanted()) throw new ReadAbandoned('the result is no longer wanted');
      }
      try {
        const opened = open();
        this.#pause = SHORTEST_PAUSE_MS;
        return opened;
      } catch (error) {
        if (!isLocked(error)) throw error;
        this.#refusal = error;
        this.#tryAgainAt = performance.now() + this.#pause;
        this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
      }
    }
  }
}

/** Milliseconds that a command waits for another program's lock. */
const COMMAND_WAIT_MS = 5000;

/** Milliseconds after which a read with pauses lets writers have the file for a moment. */
const LONGEST_LOCK_MS = 500;

const ANYBODY: ReadClient = { owner: '', name: '', isWanted: () => true };

export class ReadOnlyFile {
  readonly path: string;
  readonly #problemOf: (applicationId: number, version: number) => string | undefined;
  readonly #state: FileState;
  readonly #handles: Handles;
  readonly #changes: ChangeCounter;
  readonly #queue = new ReadQueue();
  readonly #lockWait = new LockWait();

  /**
   * @param path the SQLite file
   * @param problemOf reason why a file with this application_id and user_version can't be used; undefined if it can
   */
  constructor(path: string, problemOf: (applicationId: number, version: number) => string | undefined) {
    this.path = path;
    this.#problemOf = problemOf;
    this.#state = new FileState(path);
    this.#handles = new Handles(this.#state);
    this.#changes = new ChangeCounter(this.#state, this.#handles);
  }

  /**
   * Runs a function on one consistent snapshot of the file. For commands: waiting for another program's lock blocks the process.
   * @throws FileUnavailable if the file is missing, locked for long, corrupt or of an unknown schema
   */
  read<T>(fn: (reader: Reader) => T): T {
    return toEnd(this.#steps(this.#openSnapshot(COMMAND_WAIT_MS), (reader) => inOneStep(fn, reader)));
  }

  /** The same for a server: waits for a lock without blocking anything, up to two seconds. */
  readAsync<T>(fn: (reader: Reader) => T): Promise<T> {
    return this.#inTurns((reader) => inOneStep(fn, reader), ANYBODY);
  }

  /**
   * The same for a read that may take long: when the function yields, other requests may run, and now and then a writer, while its
   * snapshot stays. If the file changes, the read starts again.
   *
   * @param finish processes the result, while other long reads wait
   * @throws FileUnavailable as read does
   * @throws ReadAbandoned if the result is no longer wanted
   * @throws TooManyReads if the read is long and too many others of the client are waiting
   */
  readInSteps<T>(
    fn: (reader: Reader) => Generator<void, T>,
    client: ReadClient = ANYBODY,
    finish?: Finish<T>,
  ): Promise<T> {
    return this.#inTurns(fn, client, finish);
  }

  /**
   * The bytes of one consistent snapshot, with what a write-ahead log has.
   * @param most number of bytes
   * @throws FileUnavailable as read does; RangeError if it has more bytes
   */
  snapshot(most: number): Buffer {
    const handle = this.#openSnapshot(COMMAND_WAIT_MS);
    let failure: unknown;
    try {
      const pages = handle.db.pragma('page_count', { simple: true }) as number;
      const size = pages * (handle.db.pragma('page_size', { simple: true }) as number);
      if (size > most) throw new RangeError(`it has ${size} bytes`);
      return handle.db.serialize();
    } catch (error) {
      failure = error;
      throw asUnavailable(error);
    } finally {
      this.#endSnapshot(handle, failure);
    }
  }

  /**
   * Copies a snapshot of the file with SQLite's backup API, while others may write to it.
   * @param path path of the copy; overwritten if it exists
   */
  async backupTo(path: string): Promise<void> {
    const handle = this.#handles.take(COMMAND_WAIT_MS);
    try {
      // All pages in one step: a commit in between would restart the copy.
      await handle.db.backup(path, { progress: () => 0x7fffffff });
    } finally {
      this.#handles.giveBack(handle);
    }
  }

  /**
   * A number that changes with the file's contents: at once after each commit of any program, and within a tenth of a second
   * after it was replaced or written without SQLite. A read is of a version if the version was the same before it and during
   * it. Cheap enough for every request.
   */
  version(): number {
    const version = this.#changes.version();
    if (this.#state.holdsOld && this.#handles.inUse === 0) {
      this.#handles.closeIdle();
      this.#changes.forget();
      this.#state.closeOld();
    }
    return version;
  }

  close(): void {
    this.#handles.close();
    this.#changes.forget();
    this.#state.close();
  }

  #inTurns<T>(fn: (reader: Reader) => Generator<void, T>, client: ReadClient, finish?: Finish<T>): Promise<T> {
    const open = () => this.#openSnapshot(0, client.overlay);
    const begin = async (): Promise<BegunRead<T>> => {
      const handle = await this.#lockWait.untilUnlocked(open, client.isWanted);
      let lockedAt = performance.now();
      return {
        steps: this.#steps(handle, fn),
        renew: async () => {
          if (performance.now() - lockedAt < LONGEST_LOCK_MS) return true;
          handle.db.exec('COMMIT');
          const isSame = await this.#lockWait.untilUnlocked(() => this.#continueSnapshot(handle), client.isWanted);
          lockedAt = performance.now();
          return isSame;
        },
      };
    };
    return inTurns(begin, this.#queue, client, finish);
  }

  /** Begins a snapshot on a handle in use. Returns false if the file has changed since its last one. */
  #continueSnapshot(handle: Handle): boolean {
    try {
      this.#state.look();
      handle.db.exec('BEGIN');
      this.#checkSchema(handle.reader);
      return handle.generation === this.#state.generation && handle.reader.version === this.version();
    } catch (error) {
      if (handle.db.inTransaction) handle.db.exec('COMMIT');
      throw asUnavailable(error);
    }
  }

  /** @param waitMs milliseconds to wait for a lock, blocking the process */
  #openSnapshot(waitMs: number, overlay?: Overlay): Handle {
    let handle: Handle | undefined;
    try {
      // Asked before the snapshot begins: facts of a later one may be kept for this version, which then never returns.
      const version = this.version();
      handle = this.#handles.take(waitMs, overlay);
      handle.reader.version = version;
      handle.db.exec('BEGIN');
      this.#checkSchema(handle.reader);
      return handle;
    } catch (error) {
      if (handle) this.#endSnapshot(handle, error);
      throw asUnavailable(error);
    }
  }

  *#steps<T>(handle: Handle, fn: (reader: Reader) => Generator<void, T>): Generator<void, T> {
    let failure: unknown;
    try {
      yield* handle.reader.overlay?.begin?.(handle.reader) ?? [];
      return yield* fn(handle.reader);
    } catch (error) {
      failure = error;
      throw asUnavailable(error);
    } finally {
      this.#endSnapshot(handle, failure);
    }
  }

  /** @param failure the error thrown within, if any */
  #endSnapshot(handle: Handle, failure: unknown): void {
    const isOfFile = failure !== asUnavailable(failure);
    // A lock is temporary.
    if (isOfFile && !isLocked(failure)) this.#handles.discard(handle);
    else this.#handles.giveBack(handle);
  }

  /** Checked each time: a newer program may upgrade the open file. */
  #checkSchema(reader: Reader): void {
    const problem = this.#problemOf(
      reader.get('PRAGMA application_id')?.['application_id'] as number,
      reader.get('PRAGMA user_version')?.['user_version'] as number,
    );
    if (problem) throw new FileUnavailable(problem);
  }
}

// biome-ignore lint/correctness/useYield: it never pauses, so it has one step
function* inOneStep<T>(fn: (reader: Reader) => T, reader: Reader): Generator<void, T> {
  return fn(reader);
}
