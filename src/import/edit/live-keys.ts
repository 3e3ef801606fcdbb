/** Keys that show only some trades: what a change would show them. */
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import { listKeys, type StoredKey, stateOf } from '../../keys/store.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { toInstantText, ZoneClock } from '../../time.ts';

/** Numbers of trades that a key shows before and after a change. */
export interface ShownByKey {
  id: string;
  name: string;
  before: number;
  after: number;
  /** Whether it would show a trade that it doesn't show now. */
  shows_more: boolean;
}

/** Facts of a trade that decide who sees it, by a number that the change keeps. */
type Facts = { sequence: number; account: string | null; executed_at: string };

export class LiveKeys {
  readonly #db: Database.Database;
  readonly #user: User;
  readonly #keys: StoredKey[];
  readonly #before: Facts[];

  /** Call it before the change. @param keys the key store's path */
  constructor(db: Database.Database, user: User, keys: string | undefined, now: number) {
    this.#db = db;
    this.#user = user;
    const all = keys !== undefined && fileExists(keys) ? listKeys(keys) : [];
    this.#keys = all.filter(
      (key) =>
        key.user_id === user.id &&
        stateOf(key, now) === 'active' &&
        (key.lens?.accounts ?? key.lens?.since ?? null) !== null,
    );
    this.#before = this.#facts();
  }

  /** Keys that show other trades after the change, and those that name an account. */
  changes(accounts: readonly string[] = []): ShownByKey[] {
    const after = this.#facts();
    const clock = new ZoneClock(this.#user.timezone);
    return this.#keys.flatMap(({ id, name, lens }) => {
      const named = lens?.accounts?.map((own) => own.toLowerCase()) ?? null;
      const since = lens?.since == null ? '' : toInstantText(clock.startOfDay(lens.since));
      const shown = (all: readonly Facts[]) =>
        new Set(
          all.flatMap(({ sequence, account, executed_at }) => {
            const isNamed = named === null || (account !== null && named.includes(account.toLowerCase()));
            return isNamed && executed_at >= since ? [sequence] : [];
          }),
        );
      const [before, now] = [shown(this.#before), shown(after)];
      const isNew = [...now].some((own) => !before.has(own));
      const isNamed = accounts.some((own) => named?.includes(own.toLowerCase()));
      if (!isNew && !isNamed && before.size === now.size) return [];
      return [{ id, name, before: before.size, after: now.size, shows_more: isNew }];
    });
  }

  /** A trade that keeps its row is the same; one made again is another, and counts as more. */
  #facts(): Facts[] {
    if (this.#keys.length === 0) return [];
    return this.#db
      .prepare('SELECT rowid AS sequence, account, executed_at FROM trades WHERE user_id = ?')
      .all(this.#user.id) as Facts[];
  }
}
