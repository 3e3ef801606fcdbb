/**
 * What a journal has for the first time, pictures or cash flows: which keys would show
 * it, and leave to store it.
 */
import type Database from 'better-sqlite3';
import { UsageError, UserError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import { listKeys, type StoredKey, stateOf } from '../../keys/store.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { UserRows } from '../../sqlite/user-rows.ts';

/** The first picture of a journal would be shown by keys, which needs consent. */
export class KeysShowPictures extends UsageError {
  readonly keys: string;

  constructor(keys: string) {
    super(
      `these keys would show pictures: ${keys}; ` +
        'pass --yes, revoke them, or pass --no-pictures',
    );
    this.keys = keys;
  }
}

/** Keys would show cash flows that their owner didn't know of when they were made. */
export class FirstFlowsShown extends UserError {
  /** The keys, as a sentence names them. */
  readonly keys: string;

  constructor(file: string, keys: string) {
    super(
      `${file} has the first cash flows of this journal, which these keys would show: ${keys}; ` +
        'pass --yes, or revoke them',
    );
    this.keys = keys;
  }
}

/** @param keys the key store's path */
export function activeKeys(
  user: User,
  keys: string | undefined,
  now: number,
): StoredKey[] {
  const known = keys !== undefined && fileExists(keys) ? listKeys(keys) : [];
  return known.filter((key) => key.user_id === user.id && stateOf(key, now) === 'active');
}

/** Whether a key shows cash flows. */
export function showsFlows({ scopes, lens }: StoredKey): boolean {
  return scopes.includes('trades:read') && !lens?.hides.includes('money');
}

export function hasFlows(db: Database.Database, { id }: User): boolean {
  return new UserRows(db, id).has('cash_flows');
}

/** @throws FirstFlowsShown if a key would show the first cash flows */
export function refuseFirstFlows(
  file: string,
  user: User,
  { keys, now }: { keys: string | undefined; now: number },
): void {
  const showing = activeKeys(user, keys, now).filter(showsFlows);
  if (showing.length === 0) return;
  throw new FirstFlowsShown(file, namesOf(showing));
}

/**
 * @param keys the key store's path
 * @throws KeysShowPictures if a live key of the user would show one
 */
export function requireNoKeyShows(
  user: User,
  keys: string | undefined,
  now: number,
): void {
  const showing = activeKeys(user, keys, now).filter(
    ({ lens, scopes }) =>
      (lens?.hides.length ?? 0) === 0 && scopes.includes('journals:read'),
  );
  if (showing.length > 0) throw new KeysShowPictures(namesOf(showing));
}

function namesOf(keys: readonly StoredKey[]): string {
  return keys.map(({ id, name }) => `${id} (${name})`).join(', ');
}
