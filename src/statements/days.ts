/**
 * What follows from a user's settings: exchange rates, and the instants of dates without
 * a time, which are the starts of their days in the user's time zone.
 */
import type Database from 'better-sqlite3';
import { misplacedDays } from '../journal/days.ts';
import { findUser, type User } from '../journal/journal.ts';
import { setUser, type UserChanges } from '../journal-write/users.ts';
import { Reader } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { isTimeZone, toInstantText } from '../time.ts';
import { hasDays, type MovedDays, moveDays, type ZonedUser } from './days/moved-days.ts';
import { applyRates } from './exchange-rates.ts';

export type { MovedDays } from './days/moved-days.ts';

/** Moves days that another program left in another time zone. */
export function correctDays(db: Database.Database, user: ZonedUser): MovedDays {
  const wrong = misplacedDays(new Reader(db), user);
  const none = Object.values(wrong).every((rows) => rows === 0);
  return none ? { fills: 0, trades: 0, cash_flows: 0 } : moveDays(db, user, undefined);
}

/** An import whose times were read in a time zone that was not typed. */
interface ReadInZone {
  id: number;
  file: string;
}

export interface ChangedUser {
  user: User;
  /** The time zone before, if it changed. */
  zoneBefore: string | undefined;
  moved: MovedDays;
  /** Path of the backup; undefined if no day moved. */
  backup: string | undefined;
  /**
   * Imports whose times stay as they were read in the former time zone, the earliest
   * first.
   */
  stays: ReadInZone[];
}

/**
 * @param now epoch milliseconds
 * @param backUp backs up the last committed state, and returns the path; called within
 * the transaction, before days move
 * @throws UserError if a setting is invalid, or the backup can't be made: nothing is
 * changed then
 */
export function changeUser(
  db: Database.Database,
  id: string,
  changes: UserChanges,
  { now, backUp }: { now: number; backUp: (now: string) => string },
): ChangedUser {
  const change = db.transaction((): ChangedUser => {
    const before = findUser(new Reader(db), id)?.timezone;
    const user = setUser(db, id, changes, now);
    const zoneBefore = before === user.timezone ? undefined : before;
    const result: ChangedUser = {
      user,
      zoneBefore,
      moved: { fills: 0, trades: 0, cash_flows: 0 },
      backup: undefined,
      stays: [],
    };

    if (zoneBefore !== undefined) {
      if (hasDays(db, id)) {
        result.backup = backUp(toInstantText(now));
        // Another program may have written a name that is no zone.
        result.moved = moveDays(
          db,
          user,
          isTimeZone(zoneBefore) ? zoneBefore : undefined,
        );
      }
      result.stays = readIn(db, id, zoneBefore);
    }

    applyRates(db, user);
    return result;
  });
  return change.immediate();
}

/**
 * Rows with times that an import states, as s, without those whose file states the zone.
 */
const timesIn = (statements: string) => `EXISTS (SELECT 1 FROM ${statements}
  WHERE s.user_id = i.user_id AND s.import_id = i.id AND t.has_time = 1 AND s.clock IS NOT '')`;
const FILLS = timesIn(
  'import_fills AS s JOIN fills AS t ON t.user_id = s.user_id AND t.id = s.fill_id',
);
const TRADES = timesIn(`import_records AS s JOIN trades AS t
  ON t.user_id = s.user_id AND t.id = s.record_id AND s.resource = 'trades'`);

/** Imports with times read in a time zone that neither the file nor the user stated. */
function readIn(db: Database.Database, user: string, zone: string): ReadInZone[] {
  return new UserRows(db, user).all(
    `SELECT id, file FROM imports AS i WHERE user_id = ${USER} AND timezone = @zone
       AND options ->> 'timezone' IS NULL AND sha256 IS NOT NULL
       AND (${FILLS} OR ${TRADES}) ORDER BY id`,
    { zone },
  );
}
