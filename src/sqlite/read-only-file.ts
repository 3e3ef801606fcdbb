/**
 * A SQLite file that this process only ever reads, and that others may rewrite or replace meanwhile. Before each read it is
 * looked whether the file is still the same, and one that isn't is opened anew.
 */
import { ChangeCounter } from './change-counter.ts';
import { asUnavailable, FileUnavailable, isLocked } from './errors.ts';
import { FileState } from './file-state.ts';
import { type Handle, Handles, type Overlay } from './handles.ts';
import { LockWait } from './lock-wait.ts';
import { type ReadClient, ReadQueue } from './read-queue.ts';
import type { Reader } from './reader.ts';
import { type Finish, inTurns, toEnd } from './steps.ts';

/** How long a command waits for another program's lock. */
const COMMAND_WAIT_MS = 5000;

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
   * @param problemOf says why a file with this application_id and user_version can't be used, if so
   */
  constructor(path: string, problemOf: (applicationId: number, version: number) => string | undefined) {
    this.path = path;
    this.#problemOf = problemOf;
    this.#state = new FileState(path);
    this.#handles = new Handles(this.#state);
    this.#changes = new ChangeCounter(this.#state, this.#handles);
  }

  /**
   * Runs a function against one consistent snapshot of the file. For commands: where another program holds a lock, this waits
   * for it, and the whole process with it.
   * @throws FileUnavailable where the file is missing, locked for long, corrupt or of an unknown schema
   */
  read<T>(fn: (reader: Reader) => T): T {
    return toEnd(this.#steps(this.#openSnapshot(COMMAND_WAIT_MS), (reader) => inOneStep(fn, reader)));
  }

  /** The same for a server: waits for a lock without blocking anything, up to two seconds. */
  readAsync<T>(fn: (reader: Reader) => T): Promise<T> {
    return this.#inTurns((reader) => inOneStep(fn, reader), ANYBODY);
  }

  /**
   * The same for a read that may take long: where the function yields, other requests may get their turn, while its snapshot
   * stays. It may have to begin again.
   *
   * @param finish what is still to be done with the result, while other long reads wait
   * @throws FileUnavailable as read does
   * @throws ReadAbandoned once the answer is no longer wanted
   * @throws TooManyReads where the read is a long one, and too many others of the client wait already
   */
  readInSteps<T>(
    fn: (reader: Reader) => Generator<void, T>,
    client: ReadClient = ANYBODY,
    finish?: Finish<T>,
  ): Promise<T> {
    return this.#inTurns(fn, client, finish);
  }

  /**
   * Copies the file as of one moment, with SQLite's backup API, while others may go on writing it.
   * @param path where the copy goes; overwritten if it is there
   */
  async backupTo(path: string): Promise<void> {
    const handle = this.#handles.take(COMMAND_WAIT_MS);
    try {
      // All pages in one step: a writer's commit in between would make it begin again.
      await handle.db.backup(path, { progress: () => 0x7fffffff });
    } finally {
      this.#handles.giveBack(handle);
    }
  }

  /**
   * A number that is another one as soon as the file says something else: at once after each commit of any program, and within
   * a tenth of a second after it was replaced or written without SQLite. What was read is of a version if that was the version
   * before the read and still is within it. Cheap enough for every request.
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
    const begin = async () => this.#steps(await this.#lockWait.untilUnlocked(open, client.isWanted), fn);
    return inTurns(begin, this.#queue, client, finish);
  }

  /** @param waitMs how long to wait for a lock, blocking the process */
  #openSnapshot(waitMs: number, overlay?: Overlay): Handle {
    let handle: Handle | undefined;
    try {
      handle = this.#handles.take(waitMs, overlay);
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
      const begun = handle.begin(handle.reader);
      if (begun) yield* begun;
      return yield* fn(handle.reader);
    } catch (error) {
      failure = error;
      throw asUnavailable(error);
    } finally {
      this.#endSnapshot(handle, failure);
    }
  }

  /** @param failure what was thrown within, if anything was */
  #endSnapshot(handle: Handle, failure: unknown): void {
    const isOfFile = failure !== asUnavailable(failure);
    // A lock passes.
    if (isOfFile && !isLocked(failure)) this.#handles.discard(handle);
    else this.#handles.giveBack(handle);
  }

  /** Each time: a newer program may upgrade the very file that is open. */
  #checkSchema(reader: Reader): void {
    const problem = this.#problemOf(
      reader.get('PRAGMA application_id')?.['application_id'] as number,
      reader.get('PRAGMA user_version')?.['user_version'] as number,
    );
    if (problem) throw new FileUnavailable(problem);
  }
}

// biome-ignore lint/correctness/useYield: it never pauses, so its first step is its last
function* inOneStep<T>(fn: (reader: Reader) => T, reader: Reader): Generator<void, T> {
  return fn(reader);
}
