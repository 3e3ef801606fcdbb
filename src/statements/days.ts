/**
 * What follows from a user's settings: exchange rates, and the instants of dates without
 * a time, which are the starts of their days in the user's time zone.
 */
import type Database from 'better-sqlite3';
import { DayStarts, misplacedDays } from '../journal/days.ts';
import { findUser, type User } from '../journal/journal.ts';
import { setUser, type UserChanges } from '../journal-write/users.ts';
import { Reader } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { isTimeZone, toInstantText } from '../time.ts';
import { applyRates } from './exchange-rates.ts';
import { moveUnmatched } from './walked-trades.ts';

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

// Rows with a date and no time stay on their date: their instants are the starts of days in
// the user's time zone, and follow it. Times of writing stay, since the facts do.

/** Numbers of moved rows. */
export interface MovedDays {
  fills: number;
  trades: number;
  cash_flows: number;
}

export type ZonedUser = Pick<User, 'id' | 'timezone'>;

/** Whether any row has a date without a time, or would have one after an undo. */
function hasDays(db: Database.Database, user: string): boolean {
  const rows = new UserRows(db, user);
  const tables = ['fills', 'executions', 'trades', 'cash_flows'];
  if (tables.some((table) => rows.has(table, { has_time: 0 }))) return true;

  const stated = rows.get(
    `SELECT 1 FROM import_records WHERE user_id = ${USER} AND resource IN ('trades', 'cash-flows')
      AND fields LIKE @day LIMIT 1`,
    { day: '%"has_time":false%' },
  );
  return stated !== undefined;
}

/**
 * Moves all days to their start in the user's time zone.
 * @param user with the present time zone
 * @param before the time zone in which they are; undefined if it is unknown
 */
function moveDays(
  db: Database.Database,
  user: ZonedUser,
  before: string | undefined,
): MovedDays {
  const rows = new UserRows(db, user.id);
  const days = new DayMover(user.timezone, [
    ...(before === undefined ? [] : [before]),
    user.timezone,
    ...zonesOf(rows),
  ]);
  const { moved, starts } = moveFills(rows, days);
  moveUnmatched(rows);

  const trades = moveTrades(rows, days, starts);
  const cash_flows = moveFlows(rows, days);
  if (before !== undefined) moveStatedDays(rows, days);
  return { fills: moved, trades, cash_flows };
}

/** Time zones in which days may have been read, the likeliest first. */
function zonesOf(rows: UserRows): string[] {
  const zones = rows.all<{ zone: string | null }>(
    `SELECT DISTINCT timezone AS zone FROM imports WHERE user_id = ${USER} AND timezone IS NOT NULL
     UNION SELECT options ->> 'timezone' FROM imports WHERE user_id = ${USER} ORDER BY zone`,
  );
  return [
    ...zones.flatMap(({ zone }) => (zone !== null && isTimeZone(zone) ? zone : [])),
    'UTC',
  ];
}

/** Offsets of zones are whole quarters of hours. */
const MAY_START = /:(00|15|30|45):00\.\d{3}Z$/;

/**
 * Time of day in UTC: days that start before it are of zones west of UTC, others of zones
 * east of it.
 */
const WEST_BEFORE = 'T11:00';

class DayMover {
  readonly #to: DayStarts;
  readonly #from: DayStarts[];

  /** @param from zones in which days may be, the likeliest first */
  constructor(to: string, from: readonly string[]) {
    this.#to = new DayStarts(to);
    this.#from = [...new Set(from)].map((zone) => new DayStarts(zone));
  }

  /** @param like an instant with the milliseconds to keep */
  startOf(date: string, like?: string): string {
    return this.#to.startOf(date, like);
  }

  /**
   * The start of the same day in the user's zone; undefined if no zone has one at this
   * instant.
   */
  known(instant: string): string | undefined {
    for (const zone of this.#from) {
      const date = zone.dayFrom(instant);
      if (date !== undefined) return this.startOf(date, instant);
    }
    return undefined;
  }

  /**
   * The same. As the last resort, the day of the nearest midnight in UTC, or that of a
   * time in the user's zone.
   */
  moved(instant: string): string {
    const known = this.known(instant);
    if (known !== undefined) return known;
    if (!MAY_START.test(instant)) return this.startOf(this.#to.dateOf(instant));
    const date = instant.slice(0, 10);
    const isWest = instant.slice(10) < WEST_BEFORE;
    return this.startOf(isWest ? date : dayAfter(date));
  }
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
}

// Fills, and what files state about them.

interface DayFill {
  id: string;
  execution_id: string;
  executed_at: string;
  clock: string | null;
}

/**
 * @returns the number of moved fills, and the former and present instants by execution
 */
function moveFills(
  rows: UserRows,
  days: DayMover,
): { moved: number; starts: Map<string, Move> } {
  const fills = rows.all<DayFill>(
    `SELECT id, execution_id, executed_at,
       (SELECT max(clock) FROM import_fills AS s WHERE s.user_id = f.user_id
         AND s.fill_id = f.id) AS clock
     FROM fills AS f WHERE user_id = ${USER} AND has_time = 0`,
  );
  const starts = new Map<string, Move>();
  let moved = 0;

  for (const { id, execution_id, executed_at: from, clock } of fills) {
    const date = /^\d{4}-\d\d-\d\d/.exec(clock ?? '')?.[0];
    const to = date === undefined ? days.moved(from) : days.startOf(date, from);
    starts.set(execution_id, { from, to });
    if (to === from) continue;
    rows.update('fills', { id }, { executed_at: to });
    moved++;
  }

  moveStatements(rows, days);
  return { moved, starts };
}

/** Statements with an instant of their own, of fills that are days. */
function moveStatements(rows: UserRows, days: DayMover): void {
  const stated = rows.all<{ fill_id: string; import_id: number; executed_at: string }>(
    `SELECT s.fill_id, s.import_id, s.executed_at
     FROM import_fills AS s JOIN fills AS f ON f.user_id = s.user_id AND f.id = s.fill_id
     WHERE s.user_id = ${USER} AND s.executed_at IS NOT NULL AND f.has_time = 0`,
  );
  for (const { executed_at, ...which } of stated)
    rows.update('import_fills', which, { executed_at: days.moved(executed_at) });
}

// Trades with their executions, and groups.

interface Move {
  from: string;
  to: string;
}

interface DayTrade {
  id: string;
  executed_at: string;
  closed_at: string | null;
  group_id: string | null;
  updated_at: string;
}

interface DayExecution {
  position: number;
  executed_at: string;
  has_time: number;
  fill_id: string | null;
}

/** @returns the number of moved trades */
function moveTrades(
  rows: UserRows,
  days: DayMover,
  fills: ReadonlyMap<string, Move>,
): number {
  const trades = rows.all<DayTrade>(
    `SELECT id, executed_at, closed_at, group_id, updated_at FROM trades AS t
     WHERE user_id = ${USER} AND (has_time = 0 OR EXISTS (SELECT 1 FROM executions AS e
       WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.has_time = 0)) ORDER BY id`,
  );
  const groups = new Map<string, Ends>();
  let moved = 0;

  for (const trade of trades) {
    const executions = rows.where<DayExecution>(
      'SELECT position, executed_at, has_time, fill_id FROM executions',
      { trade_id: trade.id },
      'ORDER BY executed_at, position',
    );
    const times =
      executions.length > 0
        ? moveExecutions(rows, trade, executions, { days, fills })
        : undefined;
    const ends = times ? endsBy(trade, executions, times) : endsOf(trade, days);
    if (ends.executed_at === trade.executed_at && ends.closed_at === trade.closed_at)
      continue;

    if (trade.group_id !== null && !groups.has(trade.group_id)) {
      groups.set(trade.group_id, endsOfLegs(rows, trade.group_id));
    }

    rows.update('trades', { id: trade.id }, { ...ends });
    // Separate, since the journal's trigger overwrites updated_at if an update leaves it
    // unchanged.
    rows.update('trades', { id: trade.id }, { updated_at: trade.updated_at });
    moved++;
  }

  for (const [id, before] of groups) moveGroup(rows, id, before);
  return moved;
}

/**
 * @returns the instants of a trade's executions, in their order, for which days give way
 * to times
 */
function moveExecutions(
  rows: UserRows,
  { id }: DayTrade,
  executions: readonly DayExecution[],
  { days, fills }: { days: DayMover; fills: ReadonlyMap<string, Move> },
): string[] {
  const starts = executions.map(({ executed_at, has_time, fill_id }) => {
    if (has_time === 1) return executed_at;
    const move = fill_id === null ? undefined : fills.get(fill_id);
    return move?.from === executed_at ? move.to : days.moved(executed_at);
  });
  const times = inOrder(executions, starts);
  for (const [index, { position, executed_at }] of executions.entries()) {
    const to = times[index] as string;
    if (to !== executed_at)
      rows.update('executions', { trade_id: id, position }, { executed_at: to });
  }

  return times;
}

/** Days no later than the next time, and no earlier than the one before. */
function inOrder(
  executions: readonly Pick<DayExecution, 'has_time'>[],
  starts: readonly string[],
): string[] {
  const times = [...starts];
  let next: string | undefined;
  for (let at = times.length - 1; at >= 0; at--) {
    const time = times[at] as string;
    if (executions[at]?.has_time === 1) next = time;
    else if (next !== undefined && time > next) times[at] = next;
  }

  let last = '';
  for (const [at, time] of times.entries()) {
    if (time < last) times[at] = last;
    last = times[at] as string;
  }

  return times;
}

type Ends = Pick<DayTrade, 'executed_at' | 'closed_at'>;

/** The ends of a trade by its executions, as far as they were those before. */
function endsBy(
  trade: DayTrade,
  executions: readonly DayExecution[],
  times: readonly string[],
): Ends {
  const isFirst = trade.executed_at === executions[0]?.executed_at;
  const isLast = trade.closed_at === executions.at(-1)?.executed_at;
  const executed_at = isFirst ? (times[0] as string) : trade.executed_at;
  const closed_at = isLast ? (times.at(-1) as string) : trade.closed_at;

  return {
    executed_at,
    closed_at: closed_at !== null && closed_at < executed_at ? executed_at : closed_at,
  };
}

/** The ends of a trade without executions: each that is the start of a day is one. */
function endsOf({ executed_at, closed_at }: DayTrade, days: DayMover): Ends {
  const [entry, exit] = [executed_at, closed_at].map((at) =>
    at === null ? undefined : days.known(at),
  );
  const isUnknown = entry === undefined && exit === undefined;
  const opened = isUnknown ? days.moved(executed_at) : (entry ?? executed_at);
  if (closed_at === null) return { executed_at: opened, closed_at };

  const closed = isUnknown ? days.moved(closed_at) : (exit ?? closed_at);
  if (opened <= closed) return { executed_at: opened, closed_at: closed };

  const time = exit === undefined ? closed : opened;
  return { executed_at: time, closed_at: time };
}

function endsOfLegs(rows: UserRows, groupId: string): Ends {
  return rows.get<Ends>(
    `SELECT min(executed_at) AS executed_at, max(closed_at) AS closed_at FROM trades
     WHERE user_id = ${USER} AND group_id = @groupId`,
    { groupId },
  ) as Ends;
}

/** A group follows its legs, as far as it did before. */
function moveGroup(rows: UserRows, id: string, before: Ends): void {
  const after = endsOfLegs(rows, id);
  const [group] = rows.where<{
    opened_at: string;
    closed_at: string | null;
    updated_at: string;
  }>('SELECT opened_at, closed_at, updated_at FROM trade_groups', { id });
  if (!group) return;

  const opened_at =
    group.opened_at === before.executed_at ? after.executed_at : group.opened_at;
  const ended = group.closed_at === before.closed_at ? after.closed_at : group.closed_at;
  const closed_at = ended !== null && ended < opened_at ? opened_at : ended;
  if (opened_at === group.opened_at && closed_at === group.closed_at) return;

  rows.update('trade_groups', { id }, { opened_at, closed_at });
  rows.update('trade_groups', { id }, { updated_at: group.updated_at });
}

// Cash flows.

/** @returns the number of moved ones */
function moveFlows(rows: UserRows, days: DayMover): number {
  const flows = rows.all<{
    id: string;
    at: string;
    updated_at: string;
    clock: string | null;
  }>(
    `SELECT id, at, updated_at, (SELECT max(clock) FROM import_records AS r
       WHERE r.user_id = c.user_id AND r.resource = 'cash-flows' AND r.record_id = c.id) AS clock
     FROM cash_flows AS c WHERE user_id = ${USER} AND has_time = 0`,
  );
  let moved = 0;

  for (const { id, at, updated_at, clock } of flows) {
    const date = /^\d{4}-\d\d-\d\d/.exec(clock ?? '')?.[0];
    const to = date === undefined ? days.moved(at) : days.startOf(date, at);
    if (to === at) continue;

    rows.update('cash_flows', { id }, { at: to });
    rows.update('cash_flows', { id }, { updated_at });
    moved++;
  }

  return moved;
}

// What lines of the list of imports state.

interface StatedDay
  extends Record<'resource' | 'record_id' | 'kind' | 'path' | 'fields', string> {
  import_id: number;
  has_time: number | null;
}

function moveStatedDays(rows: UserRows, days: DayMover): void {
  const lines = rows.all<StatedDay>(
    `SELECT r.resource, r.record_id, r.import_id, r.kind, r.path, r.fields,
       coalesce((SELECT has_time FROM trades AS t WHERE r.resource = 'trades'
         AND t.user_id = r.user_id AND t.id = r.record_id),
       (SELECT has_time FROM cash_flows AS c WHERE r.resource = 'cash-flows'
         AND c.user_id = r.user_id AND c.id = r.record_id)) AS has_time
     FROM import_records AS r
     WHERE r.user_id = ${USER} AND r.resource IN ('trades', 'cash-flows')
       AND r.fields GLOB '{*'`,
  );
  for (const { fields, has_time, ...line } of lines) {
    const moved = movedText(fields, has_time === 0, days);
    if (moved !== fields) rows.update('import_records', { ...line }, { fields: moved });
  }
}

function movedText(text: string, isDay: boolean, days: DayMover): string {
  const values = JSON.parse(text) as Record<string, unknown>;
  const { has_time = !isDay, executions } = values;
  let changed = false;

  const move = (of: Record<string, unknown>, name: string) => {
    const to = typeof of[name] === 'string' ? days.known(of[name]) : undefined;
    if (to === undefined || to === of[name]) return;
    of[name] = to;
    changed = true;
  };

  if (has_time === false)
    for (const name of ['executed_at', 'closed_at', 'at']) move(values, name);
  const listed = (Array.isArray(executions) ? executions : []) as Record<
    string,
    unknown
  >[];
  for (const execution of listed)
    if (execution['has_time'] === false) move(execution, 'executed_at');

  return changed ? JSON.stringify(values) : text;
}
