/**
 * A SQLite file that this process only reads and others may rewrite or replace. Each read
 * first checks whether the file is the same, and reopens it if not.
 */

import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { asUnavailable, FileUnavailable, isLocked } from './errors.ts';
import {
  FileChanged,
  type Handle,
  Handles,
  type LongRead,
  nextPause,
  type Overlay,
  PATIENCE_MS,
  type ProblemOf,
  requireOwnLog,
  requireWanted,
  Snapshots,
} from './handles.ts';
import { pragmaOf, type Reader } from './reader.ts';

// SQLite's header: byte 18 is 2 if the file uses a write-ahead log; else bytes 24 to 27
// count its commits.
const HEADER_FROM = 18;
const HEADER_LENGTH = 10;
const USES_WAL = 2;

/**
 * State of the file at a path, read without SQLite: its identity, time of writing,
 * header, and the log next to it.
 */
export class FileState {
  readonly path: string;
  readonly #header = Buffer.alloc(HEADER_LENGTH);
  #generation = 0;
  #file: Stats | undefined;
  #log: Stats | undefined;
  /**
   * The last file and log that belong together: they don't if the file was replaced and
   * the log stayed.
   */
  #pair: { file: Stats; log: Stats | undefined } | undefined;
  #isLogOfOther = false;
  /** Descriptor to read the file's header. */
  #descriptor: { fd: number; file: Stats } | undefined;
  readonly #oldDescriptors: number[] = [];

  constructor(path: string) {
    this.path = path;
  }

  /**
   * A number that changes when a check finds another file, a newer time of writing, or
   * another log.
   */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the file uses a write-ahead log, by the last header read. */
  get usesWal(): boolean {
    return this.#header[0] === USES_WAL;
  }

  /**
   * Number of commits to the file, by the last header read. Commits to a write-ahead log
   * don't count.
   */
  get commits(): number {
    return this.#header.readUInt32BE(6);
  }

  /**
   * Whether the log next to the file belongs to another file, so that reading both would
   * mix them.
   */
  get hasForeignLog(): boolean {
    return this.#isLogOfOther || (!this.usesWal && hasContent(this.#log));
  }

  /** Whether replaced files are still open. */
  get holdsOld(): boolean {
    return this.#oldDescriptors.length > 0;
  }

  /**
   * @throws FileUnavailable if the file is missing; the operating system's error if it
   * can't be checked
   */
  look(): void {
    const file = statOf(this.path);
    const log = statOf(`${this.path}-wal`);
    if (!sameContent(file, this.#file) || !sameFile(log, this.#log)) this.#generation++;
    this.#file = file;
    this.#log = log;
    if (!file) throw new FileUnavailable('the file is missing');

    this.#hold(file);
    this.readHeader();
    const before = this.#pair;

    this.#isLogOfOther =
      before !== undefined &&
      !sameFile(before.file, file) &&
      hasContent(log) &&
      sameFile(before.log, log);
    if (!this.#isLogOfOther) this.#pair = { file, log };
  }

  /** Reads the header of the file found by the last check. */
  readHeader(): void {
    if (!this.#descriptor) return this.look();
    const bytes = readSync(
      this.#descriptor.fd,
      this.#header,
      0,
      HEADER_LENGTH,
      HEADER_FROM,
    );
    if (bytes < HEADER_LENGTH) this.#header.fill(0);
  }

  /**
   * Closes replaced files. Never while they are read: closing any descriptor of a file
   * drops all locks of this process on it, including SQLite's.
   */
  closeOld(): void {
    for (const fd of this.#oldDescriptors.splice(0)) closeSync(fd);
  }

  /** Closes everything. Never during a read. */
  close(): void {
    if (this.#descriptor) this.#oldDescriptors.push(this.#descriptor.fd);
    this.#descriptor = undefined;
    this.closeOld();
  }

  #hold(file: Stats): void {
    if (sameFile(this.#descriptor?.file, file)) return;
    const fd = openSync(this.path, 'r');
    if (this.#descriptor) this.#oldDescriptors.push(this.#descriptor.fd);
    this.#descriptor = { fd, file };
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function hasContent(log: Stats | undefined): boolean {
  return log !== undefined && log.size > 0;
}

function sameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

function sameContent(a: Stats | undefined, b: Stats | undefined): boolean {
  // A copy may set back the time of writing; the time of the status change can't be set.
  return (
    sameFile(a, b) &&
    a?.size === b?.size &&
    a?.mtimeMs === b?.mtimeMs &&
    a?.ctimeMs === b?.ctimeMs
  );
}

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
  #asked: { handle: Handle; dataVersion: Database.Statement<[], number> } | undefined;

  constructor(state: FileState, handles: Handles) {
    this.#state = state;
    this.#handles = handles;
  }

  /**
   * A number that changes with the file's contents: at once after a commit, and within a
   * tenth of a second after the file was replaced, removed, or written without SQLite.
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
    // Each system call costs as much as the rest of a cached response, so there is one
    // per request.
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

  /**
   * A number that changes with each commit of another handle; only comparable on the same
   * handle.
   */
  #dataVersion(): number {
    if (!this.#asked) {
      const handle = this.#handles.open();
      this.#asked = {
        handle,
        dataVersion: handle.db.prepare<[], number>('PRAGMA data_version').pluck(),
      };
      this.#commits = UNKNOWN;
    }
    return this.#asked.dataVersion.get() ?? 0;
  }

  #closeAsked(): void {
    this.#asked?.handle.db.close();
    this.#asked = undefined;
  }
}

// Waits for another program's lock without blocking this process.

class LockWait {
  #pause = nextPause();
  /**
   * Time of the next attempt, shared by all reads: a thousand waiting reads cost hardly
   * more than one.
   */
  #tryAgainAt = 0;
  #refusal: unknown;

  /**
   * Result of a function, which is called again if the file is locked.
   * @param isWanted called after each pause
   * @throws the function's error: at once, or after five seconds if it is about a lock
   * @throws ReadAbandoned once the result is no longer wanted
   */
  async untilUnlocked<T>(open: () => T, isWanted: () => boolean): Promise<T> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      for (let now = performance.now(); now < this.#tryAgainAt; now = performance.now()) {
        if (now > giveUpAt) throw this.#refusal;
        await sleep(this.#tryAgainAt - now);
        requireWanted(isWanted);
      }
      try {
        const opened = open();
        this.#pause = nextPause();
        return opened;
      } catch (error) {
        if (!isLocked(error)) throw error;
        this.#refusal = error;
        this.#tryAgainAt = performance.now() + this.#pause;
        this.#pause = nextPause(this.#pause);
      }
    }
  }
}

const always = () => true;

export class ReadOnlyFile {
  readonly path: string;
  readonly #state: FileState;
  readonly #handles: Handles;
  readonly #snapshots: Snapshots;
  readonly #changes: ChangeCounter;
  readonly #lockWait = new LockWait();
  /** Whether other threads have the file open. */
  isOpenElsewhere: () => boolean = () => false;

  /**
   * @param path the SQLite file
   * @param problemOf reason why a file with this application_id and user_version can't be
   * used; undefined if it can
   */
  constructor(path: string, problemOf: ProblemOf) {
    this.path = path;
    this.#state = new FileState(path);
    this.#handles = new Handles(this.#state);
    this.#snapshots = new Snapshots(this.#handles, problemOf);
    this.#changes = new ChangeCounter(this.#state, this.#handles);
  }

  /**
   * Runs a function on one consistent snapshot of the file. For commands: waiting for
   * another program's lock blocks the process.
   * @throws FileUnavailable if the file is missing, locked for long, corrupt or of an
   * unknown schema
   */
  read<T>(fn: (reader: Reader) => T): T {
    return this.#snapshots.read(this.#open(PATIENCE_MS), fn);
  }

  /**
   * The same for a server and a short read: waits for a lock without blocking anything,
   * up to five seconds.
   */
  async readAsync<T>(
    fn: (reader: Reader) => T,
    { overlay, isWanted = always }: Partial<LongRead> = {},
  ): Promise<T> {
    const handle = await this.#lockWait.untilUnlocked(
      () => this.#open(0, overlay),
      isWanted,
    );
    return this.#snapshots.read(handle, fn);
  }

  /**
   * The same for a read that may take long, and blocks this thread: now and then it lets
   * writers have the file. If the file changes meanwhile, the read starts afresh.
   *
   * @throws FileUnavailable as read does, or if the file changes too often
   * @throws ReadAbandoned if the result is no longer wanted
   */
  async readLong<T>(
    fn: (reader: Reader) => T,
    { overlay, isWanted = always }: Partial<LongRead> = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const handle = await this.#lockWait.untilUnlocked(
        () => this.#open(0, overlay),
        isWanted,
      );
      try {
        return this.#snapshots.readLong(handle, fn, { isWanted }, attempt);
      } catch (error) {
        if (!(error instanceof FileChanged)) throw error;
      }
    }
  }

  /**
   * The version that another thread receives before it reads (watched-file.ts).
   * @throws FileUnavailable if the file is missing, or the write-ahead log next to it
   * belongs to another
   */
  readable(): number {
    try {
      const version = this.version();
      this.#state.look();
      requireOwnLog(this.#state);
      return version;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /** Whether a fact is known of the current version (Reader.kept). */
  knows(fact: string): boolean {
    return this.#handles.facts.get(this.version(), fact) !== undefined;
  }

  /** Keeps a fact that another thread has found. */
  learn(version: number, fact: string, value: unknown): void {
    this.#handles.facts.of(version, fact, () => value);
  }

  /**
   * The bytes of one consistent snapshot, with what a write-ahead log has.
   * @param most number of bytes
   * @throws FileUnavailable as read does; RangeError if it has more bytes
   */
  snapshot(most: number): Buffer {
    const handle = this.#open(PATIENCE_MS);
    return this.#snapshots.read(handle, () => {
      const pages = pragmaOf(handle.db, 'page_count');
      const size = pages * pragmaOf(handle.db, 'page_size');
      if (size > most) throw new RangeError(`it has ${size} bytes`);
      return handle.db.serialize();
    });
  }

  /**
   * Copies a snapshot of the file with SQLite's backup API, while others may write to it.
   * @param path path of the copy; overwritten if it exists
   */
  async backupTo(path: string): Promise<void> {
    const handle = this.#handles.take(PATIENCE_MS);
    try {
      // All pages in one step: a commit in between would restart the copy.
      await handle.db.backup(path, { progress: () => 0x7fffffff });
    } finally {
      this.#handles.giveBack(handle);
    }
  }

  /**
   * A number that changes with the file's contents: at once after each commit of any
   * program, and within a tenth of a second after it was replaced or written without
   * SQLite. A read is of a version if the version was the same before it and during it.
   * Cheap enough for every request.
   */
  version(): number {
    const version = this.#changes.version();
    if (this.#state.holdsOld && this.#handles.inUse === 0 && !this.isOpenElsewhere()) {
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

  #open(waitMs: number, overlay?: Overlay): Handle {
    return this.#snapshots.open(waitMs, this.version(), overlay);
  }
}
