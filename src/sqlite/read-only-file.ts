/**
 * A SQLite file that this process only ever reads, and that others may rewrite or replace meanwhile. Before each read it is
 * looked whether the file is still the same, and one that isn't is opened anew.
 */
import { ChangeCounter } from './change-counter.ts';
import { asUnavailable, FileUnavailable, isLocked } from './errors.ts';
import { FileState } from './file-state.ts';
import { type Handle, Handles } from './handles.ts';
import { ReadQueue } from './read-queue.ts';
import type { Reader } from './reader.ts';
import { inTurns, toEnd } from './steps.ts';

export { FileUnavailable } from './errors.ts';

export class ReadOnlyFile {
  readonly path: string;
  readonly #problemOf: (applicationId: number, version: number) => string | undefined;
  readonly #state: FileState;
  readonly #handles: Handles;
  readonly #changes: ChangeCounter;
  readonly #queue = new ReadQueue();

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
   * Runs a function against one consistent snapshot of the file.
   * @throws FileUnavailable where the file is missing, locked, corrupt or of an unknown schema
   */
  read<T>(fn: (reader: Reader) => T): T {
    return toEnd(this.#snapshot((reader) => inOneStep(fn, reader)));
  }

  /**
   * The same for a read that may take long: where it yields, other requests may get their turn, while its snapshot stays. It may
   * have to begin again.
   *
   * @param isWanted asked at each pause
   * @throws ReadAbandoned once the answer is no longer wanted
   */
  readInSteps<T>(fn: (reader: Reader) => Generator<void, T>, isWanted: () => boolean = () => true): Promise<T> {
    return inTurns(() => this.#snapshot(fn), this.#queue, isWanted);
  }

  /**
   * Copies the file as of one moment, with SQLite's backup API, while others may go on writing it.
   * @param path where the copy goes; overwritten if it is there
   */
  async backupTo(path: string): Promise<void> {
    const handle = this.#handles.take();
    try {
      // All pages in one step: a writer's commit in between would make it begin again.
      await handle.db.backup(path, { progress: () => 0x7fffffff });
    } finally {
      this.#handles.giveBack(handle);
    }
  }

  /**
   * A number that is another one as soon as the file says something else: at once after each commit of any program, and within
   * a tenth of a second after it was replaced. Asked within a snapshot, it is that snapshot's. Cheap enough for every request.
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

  *#snapshot<T>(fn: (reader: Reader) => Generator<void, T>): Generator<void, T> {
    let handle: Handle | undefined;
    try {
      handle = this.#handles.take();
      const { db, reader } = handle;
      db.exec('BEGIN');
      this.#checkSchema(reader);
      return yield* fn(reader);
    } catch (error) {
      const reported = asUnavailable(error);
      // A lock passes.
      if (handle && reported !== error && !isLocked(error)) {
        this.#handles.discard(handle);
        handle = undefined;
      }
      throw reported;
    } finally {
      if (handle) this.#handles.giveBack(handle);
    }
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
