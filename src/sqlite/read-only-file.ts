/**
 * A SQLite file that this process only ever reads, and that others may rewrite or replace meanwhile. The handle is opened
 * O_RDONLY; before each use the file's device and inode are compared, and a replaced file is opened anew.
 */
import { type Stats, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { FileWatch } from './change-counter.ts';
import { Turns } from './read-queue.ts';
import { Reader } from './reader.ts';

/** The file can't be read now; it may be again later. The message names no path: it reaches clients. */
export class FileUnavailable extends Error {
  override name = 'FileUnavailable';
}

/** The read was given up halfway: its answer was no longer wanted. */
export class ReadAbandoned extends Error {
  override name = 'ReadAbandoned';
}

// Short: a busy wait blocks every other request of this process.
const BUSY_TIMEOUT_MS = 250;

interface Identity {
  dev: number;
  ino: number;
}

interface Handle extends Identity {
  db: Database.Database;
  reader: Reader;
}

/** How long a pass may go on before other requests get their turn. */
const SLICE_MS = 10;

/** Handles kept open for the next read. One is enough while no pass is under way. */
const IDLE_HANDLES = 2;

export class ReadOnlyFile {
  readonly path: string;
  readonly #problemOf: (applicationId: number, version: number) => string | undefined;
  /** Open handles to the current file that nobody reads from now. */
  #idle: Handle[] = [];
  #closed = false;
  /** The write-ahead log last seen beside the file: if the file is replaced and the log stays, the two don't belong together. */
  #wal: Identity | undefined;
  #file: Identity | undefined;
  /** How many handles are in use. */
  #out = 0;
  readonly #turns = new Turns();
  readonly #watch: FileWatch;

  /**
   * @param path the SQLite file
   * @param problemOf says why a file with this application_id and user_version can't be used, if so
   */
  constructor(path: string, problemOf: (applicationId: number, version: number) => string | undefined) {
    this.path = path;
    this.#problemOf = problemOf;
    this.#watch = new FileWatch(path);
  }

  /**
   * Runs a function against one consistent snapshot of the file.
   * @throws FileUnavailable where the file is missing, locked, corrupt or of an unknown schema
   */
  read<T>(fn: (reader: Reader) => T): T {
    return this.#snapshot((reader) => inOneStep(fn, reader)).next().value as T;
  }

  /**
   * The same for a pass that may take long: where it yields, other requests may get their turn, while its snapshot stays.
   * One that is done within a few milliseconds is never interrupted. One at a time may pause: passes that overlapped would keep
   * the file locked for as long as any came, and its writer out. Another one begins again when its turn comes.
   *
   * @param isWanted asked at each pause
   * @throws ReadAbandoned once the answer is no longer wanted
   */
  async readInSteps<T>(fn: (reader: Reader) => Generator<void, T>, isWanted: () => boolean = () => true): Promise<T> {
    let snapshot = this.#snapshot(fn);
    let pauseAt = performance.now() + SLICE_MS;
    let mayPause = false;
    try {
      for (;;) {
        const step = snapshot.next();
        if (step.done) return step.value;
        if (performance.now() < pauseAt) continue;
        if (!mayPause) {
          const free = this.#turns.take();
          if (free) {
            snapshot.return(undefined as T);
            await free;
            snapshot = this.#snapshot(fn);
          }
          mayPause = true;
        }
        await new Promise((resume) => setImmediate(resume));
        if (!isWanted()) throw new ReadAbandoned('nobody waits for the answer any more');
        pauseAt = performance.now() + SLICE_MS;
      }
    } finally {
      snapshot.return(undefined as T);
      if (mayPause) this.#turns.pass();
    }
  }

  /**
   * Copies the file as of one moment, with SQLite's backup API, while others may go on writing it.
   * @param path where the copy goes; overwritten if it is there
   */
  async backupTo(path: string): Promise<void> {
    const handle = this.#take();
    try {
      // All pages in one step: a writer's commit in between would make it begin again.
      await handle.db.backup(path, { progress: () => 0x7fffffff });
    } finally {
      this.#giveBack(handle);
    }
  }

  /**
   * A number that is another one as soon as the file says something else: at once after each commit of any program, and within
   * a tenth of a second after it was replaced. Asked within a snapshot, it is that snapshot's. Cheap enough for every request.
   */
  version(): number {
    const version = this.#watch.version();
    if (this.#watch.holdsOld && this.#out === 0) {
      this.#closeIdle();
      this.#watch.closeOld();
    }
    return version;
  }

  close(): void {
    this.#closed = true;
    this.#watch.close();
    this.#closeIdle();
  }

  *#snapshot<T>(fn: (reader: Reader) => Generator<void, T>): Generator<void, T> {
    let handle: Handle | undefined;
    try {
      handle = this.#take();
      const { reader } = handle;
      reader.get('BEGIN');
      // Each time: a newer program may upgrade the very file that is open.
      const problem = this.#problemOf(
        reader.get('PRAGMA application_id')?.['application_id'] as number,
        reader.get('PRAGMA user_version')?.['user_version'] as number,
      );
      if (problem) throw new FileUnavailable(problem);
      return yield* fn(reader);
    } catch (error) {
      if (error instanceof Database.SqliteError) {
        // A lock passes; anything else may be the handle's fault, and a new one is cheap.
        if (!error.code.startsWith('SQLITE_BUSY')) {
          this.#closeIdle();
          handle?.db.close();
        }
        throw new FileUnavailable(explain(error.code), { cause: error });
      }
      if (isSystemError(error)) throw new FileUnavailable('the file cannot be read', { cause: error });
      throw error;
    } finally {
      if (handle) this.#giveBack(handle);
    }
  }

  #giveBack(handle: Handle): void {
    this.#out--;
    const { db } = handle;
    if (db.inTransaction) handle.reader.get('COMMIT');
    const stale = this.#closed || !this.#file || !same(this.#file, handle);
    if (!db.open || stale || this.#idle.length >= IDLE_HANDLES) db.close();
    else this.#idle.push(handle);
  }

  #closeIdle(): void {
    for (const { db } of this.#idle) db.close();
    this.#idle = [];
  }

  #take(): Handle {
    const handle = this.#ready();
    this.#out++;
    return handle;
  }

  #ready(): Handle {
    const now = statOf(this.path);
    const wal = statOf(`${this.path}-wal`);
    if (!now || !this.#file || !same(this.#file, now)) this.#closeIdle();
    if (!now) throw new FileUnavailable('the file is missing');
    const handle = this.#idle.pop();
    if (!handle && wal && wal.size > 0 && this.#isForeign(wal, now)) {
      throw new FileUnavailable(
        'the file was replaced while the write-ahead log of the old one still lies beside it; close the program that writes it, or remove the log',
      );
    }
    this.#file = { dev: now.dev, ino: now.ino };
    this.#wal = wal && { dev: wal.dev, ino: wal.ino };
    return handle ?? this.#open(now);
  }

  /** Whether a log belongs to a file that lay here before. */
  #isForeign(wal: Identity, file: Identity): boolean {
    const replaced = this.#file !== undefined && !same(this.#file, file);
    if (replaced && this.#wal !== undefined && same(this.#wal, wal)) return true;
    // The header tells whether the file keeps a log; the watch has a descriptor to look with, and no other may be closed.
    this.#watch.lookAgain();
    return !this.#watch.usesWal;
  }

  #open({ dev, ino }: Identity): Handle {
    const db = new Database(this.path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      db.pragma('query_only = ON');
      db.pragma('trusted_schema = OFF');
    } catch (error) {
      db.close();
      throw error;
    }
    return { db, dev, ino, reader: new Reader(db) };
  }
}

// biome-ignore lint/correctness/useYield: it never pauses, so its first step is its last
function* inOneStep<T>(fn: (reader: Reader) => T, reader: Reader): Generator<void, T> {
  return fn(reader);
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** The operating system refused: no permission, a loop of links, too many open files. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function same(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function explain(code: string): string {
  if (code.startsWith('SQLITE_BUSY')) return 'another program is writing to the file';
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return 'the file is damaged or no SQLite database';
  if (code.startsWith('SQLITE_READONLY')) {
    return 'a program that wrote the file stopped halfway; open it once with any SQLite client, which repairs it';
  }
  return 'the file cannot be read';
}
