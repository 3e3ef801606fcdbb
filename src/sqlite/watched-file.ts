/**
 * A SQLite file that another thread watches: it tells which version to read. Only that
 * thread has a descriptor of the file, because closing any descriptor drops all locks of
 * this process on the file. This one opens it through SQLite alone.
 */
import {
  type FileFacts,
  Handles,
  type LongRead,
  type ProblemOf,
  Snapshots,
} from './handles.ts';
import type { Reader } from './reader.ts';

export class WatchedFile {
  readonly #facts: FileFacts & { generation: number };
  readonly #handles: Handles;
  readonly #snapshots: Snapshots;

  constructor(path: string, problemOf: ProblemOf) {
    this.#facts = { path, generation: 0, hasForeignLog: false, look: () => undefined };
    this.#handles = new Handles(this.#facts);
    this.#snapshots = new Snapshots(this.#handles, problemOf);
  }

  /**
   * Runs a function on one consistent snapshot of the file; waiting for a lock blocks
   * this thread.
   * @param version as ReadOnlyFile.readable() found it
   * @throws as ReadOnlyFile.readLong does
   */
  read<T>(version: number, fn: (reader: Reader) => T, read: LongRead): T {
    this.#facts.generation = version;
    return this.#snapshots.readAtLength(version, fn, read);
  }

  /** A fact that a read of this version has found; undefined if none has. */
  factOf(version: number, fact: string): unknown {
    return this.#handles.facts.get(version, fact);
  }

  /** Closes all handles until the next read. */
  rest(): void {
    this.#handles.closeIdle();
  }
}
