/** Cache of facts that need a pass over the journal, per handle, until the journal changes. */
import type { Reader } from '../../sqlite/reader.ts';
import type { User } from '../journal.ts';

const MAX_USERS = 10;

export class PerVersion<T> {
  readonly #kept = new WeakMap<Reader, { version: unknown; byUser: Map<string, T> }>();

  /** @param find reads the facts, with pauses, if they aren't cached */
  *of(reader: Reader, user: User, find: () => Generator<void, T>): Generator<void, T> {
    const version = reader.get('PRAGMA data_version')?.['data_version'];
    let kept = this.#kept.get(reader);
    if (!kept || kept.version !== version || kept.byUser.size >= MAX_USERS) {
      kept = { version, byUser: new Map() };
      this.#kept.set(reader, kept);
    }
    const known = kept.byUser.get(user.id);
    if (known !== undefined) return known;
    const found = yield* find();
    kept.byUser.set(user.id, found);
    return found;
  }
}
