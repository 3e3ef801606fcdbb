/** Adds and changes users of a journal. */

import type Database from 'better-sqlite3';
import { nearest, UsageError, UserError } from '../errors.ts';
import { CURRENCY_PATTERN, isId, LEAST_MONEY } from '../journal/fields.ts';
import { findUser, listUsers, type User } from '../journal/journal.ts';
import { liveKeysOf } from '../keys/store.ts';
import { Reader, TEXT } from '../sqlite/reader.ts';
import { isTimeZone, toInstantText, zoneMeantBy } from '../time.ts';

// Errors in time zone names, with the zone that was probably meant.

/** @returns undefined for an IANA time zone */
export function zoneProblem(name: string): string | undefined {
  // IANA has EST, without summer time.
  const usual = zoneMeantBy(name);
  if ((usual === undefined || usual === DEFAULT_ZONE) && isTimeZone(name))
    return undefined;

  const meant = usual ?? zoneLike(name);
  if (meant === undefined)
    return `must be an IANA time zone, such as America/New_York or UTC; got "${name}"`;

  return `must be an IANA time zone; got "${name}"; did you mean ${meant}?`;
}

/** The zone with the most similar name or city. */
function zoneLike(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  if (name.includes('/')) return nearest(name, zones);
  const city = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1);
  const meant = nearest(name, zones.map(city));
  return zones.find((zone) => city(zone) === meant);
}

/** Settings of a user; omitted ones keep their value, or get the default. */
export type UserChanges = Partial<Omit<User, 'id'>>;

/** The time zone of a user who has set none. */
export const DEFAULT_ZONE = 'UTC';

const DEFAULTS: Omit<User, 'id'> = {
  name: null,
  timezone: DEFAULT_ZONE,
  base_currency: 'USD',
  starting_balance: null,
  breakeven_tolerance: 0,
};
const SETTINGS = Object.keys(DEFAULTS);

/**
 * A new user's record, checked before anything is written.
 * @throws UsageError that names the invalid value
 */
export function newUser(id: string, changes: UserChanges): User {
  const user = { id, ...DEFAULTS, ...changes };
  const problem = isId(id)
    ? userProblem(user)
    : `a user's id must be 1 to 128 letters, digits and . _ : ~ -, but not . or ..; got "${id}"`;
  if (problem !== undefined) throw new UsageError(problem);
  return user;
}

/**
 * Rejects a user id with live keys of an earlier user: they would read the new user's
 * records.
 * @param keys the path of the key store
 * @param now epoch milliseconds
 * @throws UserError that names the keys
 */
export function refuseLiveKeys(keys: string, id: string, now: number): void {
  const live = liveKeysOf(keys, id, now);
  if (live.length === 0) return;
  throw new UserError(
    `keys of an earlier user "${id}" are still valid and would read the new user's ` +
      `records: ${live.join(', ')}; revoke them with "journal-api key revoke" first`,
  );
}

/**
 * @param user created by newUser
 * @param now epoch milliseconds
 */
export function addUser(db: Database.Database, user: User, now: number): void {
  if (findUser(new Reader(db), user.id)) {
    throw new UserError(
      `user "${user.id}" already exists; "journal-api user set ${user.id}" changes it`,
    );
  }
  db.prepare(
    `INSERT INTO users (id, ${SETTINGS.join(', ')}, created_at, updated_at)
     VALUES (@id, ${SETTINGS.map((name) => `@${name}`).join(', ')}, @now, @now)`,
  ).run({ ...user, now: toInstantText(now) });
}

/**
 * @param now epoch milliseconds
 * @returns the changed user
 */
export function setUser(
  db: Database.Database,
  id: string,
  changes: UserChanges,
  now: number,
): User {
  return db
    .transaction(() => {
      const reader = new Reader(db);
      const before = findUser(reader, id);
      if (!before) {
        const known = listUsers(reader).map((user) => user.id);
        throw new UserError(
          `there is no user "${id}"; the journal's users are: ` +
            `${known.join(', ') || 'none'} ("journal-api user add" adds one)`,
        );
      }

      const after = { ...before, ...changes };
      const problem = userProblem(after);
      if (problem !== undefined) throw new UserError(problem);

      if (after.base_currency !== before.base_currency) {
        refuseStaleRates(reader, before, after.base_currency);
        // Those to the old currency; the user's rates to the new one follow (applyRates).
        db.prepare(
          `UPDATE trades SET fx_rate = NULL WHERE user_id = @id
            AND id IN (SELECT trade_id FROM rated_trades WHERE user_id = @id)`,
        ).run({ id });
      }

      if (JSON.stringify(after) === JSON.stringify(before)) return after;

      db.prepare(
        `UPDATE users
          SET ${SETTINGS.map((name) => `${name} = @${name}`).join(', ')}, updated_at = @now
          WHERE id = @id`,
      ).run({ ...after, now: toInstantText(now) });
      return after;
    })
    .immediate();
}

/**
 * Rejects stored exchange rates to the old base currency, which would be silently wrong.
 */
function refuseStaleRates(reader: Reader, user: User, currency: string): void {
  const row = reader.get(
    `SELECT count(*) AS trades FROM trades AS t WHERE user_id = ${TEXT} AND fx_rate IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM rated_trades AS r WHERE r.user_id = t.user_id
         AND r.trade_id = t.id)`,
    user.id,
  );
  const trades = Number(row?.['trades']);
  if (trades === 0) return;

  const rated =
    trades === 1 ? 'a trade has an fx_rate' : `${trades} trades have an fx_rate`;
  throw new UserError(
    `base_currency can't change to ${currency} while ${rated} to ${user.base_currency}; ` +
      'first import the trades with "fx_rate": ' +
      `null, then change the currency, then import the rates to ${currency}`,
  );
}

/** The error in a user's settings, with valid values; undefined if none. */
function userProblem(user: User): string | undefined {
  const { timezone, base_currency, starting_balance, breakeven_tolerance } = user;
  const problem = zoneProblem(timezone);
  if (problem !== undefined) return `timezone ${problem}`;
  if (!CURRENCY_PATTERN.test(base_currency)) {
    return `base_currency must be 2 to 10 capital letters or digits, such as USD; got "${base_currency}"`;
  }
  if (
    starting_balance !== null &&
    !(starting_balance >= LEAST_MONEY && starting_balance < 1e15)
  ) {
    return `starting_balance must be a number, ${LEAST_MONEY} or more, and below 1e15`;
  }
  if (!(breakeven_tolerance >= 0 && breakeven_tolerance < 1e15)) {
    return 'breakeven_tolerance must be a number, 0 or more, and below 1e15';
  }

  return undefined;
}
