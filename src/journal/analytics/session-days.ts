/** The trader's condition per day, from sessions. */
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { dayNumber } from '../../time.ts';
import type { User } from '../journal.ts';
import { ifSmall, isSmall, ResponseTooLarge } from '../response-size.ts';
import { storedNumber, storedText } from '../stored-value.ts';
import { Where } from '../where.ts';
import type { SessionFacts } from './closed-trade.ts';
import { PerVersion } from './per-version.ts';
import { CHUNK } from './trade-rows.ts';

/** Maximum size of a mood. */
const MAX_OCTETS = '16000';

const COLUMNS = "id, date, started_at, mood, energy, sleep_hours, json_type(review, '$.followed_plan') AS plan";

interface SessionRow {
  id: string;
  date: string;
  started_at: string | null;
  mood: string | null;
  energy: number | null;
  sleep_hours: number | null;
  plan: string | null;
}

/** By the number of the day. */
export type SessionDays = ReadonlyMap<number, SessionFacts>;

const kept = new PerVersion<SessionDays>();

/** @throws ResponseTooLarge if a mood is too long to group by */
export function sessionDays(reader: Reader, user: User): Generator<void, SessionDays> {
  return kept.of(reader, user, () => readDays(reader, user));
}

export const NO_SESSION: SessionFacts = { mood: null, energy: null, sleepHours: null, followedPlan: null };

function* readDays(reader: Reader, user: User): Generator<void, SessionDays> {
  const days = new Map<number, SessionFacts>();
  let ofDay: SessionRow[] = [];
  const endDay = () => {
    const [first] = ofDay;
    if (first) days.set(dayNumber(first.date), factsOf(ofDay));
    ofDay = [];
  };
  let last: SessionRow | undefined;
  for (;;) {
    const rows = nextRows(reader, user, last);
    for (const row of rows) {
      if (row.date !== ofDay[0]?.date) endDay();
      ofDay.push(row);
    }
    if (rows.length < CHUNK) break;
    last = rows.at(-1);
    yield;
  }
  endDay();
  return days;
}

function nextRows(reader: Reader, user: User, last: SessionRow | undefined): SessionRow[] {
  const where = new Where(user.id);
  if (last) where.compare(['date', 'id'], '>', [last.date, last.id]);
  where.add(isSmall('coalesce(octet_length(mood), 0)', MAX_OCTETS));
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE ${where.sql} ORDER BY date, id LIMIT ${CHUNK}`;
  const rows = ifSmall(() => reader.all(sql, ...where.values) as unknown as SessionRow[]);
  if (rows) return rows;
  const long = reader.get(
    `SELECT id FROM sessions WHERE user_id = ${TEXT} AND octet_length(mood) > ${MAX_OCTETS} LIMIT 1`,
    user.id,
  );
  throw new ResponseTooLarge(
    `the mood of the session ${long?.['id']} takes more than ${Number(MAX_OCTETS) / 1000} KB, too much to group by; shorten it`,
  );
}

/** Each fact from the first session with a value; sessions without a start are last. */
function factsOf(sessions: SessionRow[]): SessionFacts {
  const startOf = ({ started_at }: SessionRow) => started_at ?? '~';
  if (sessions.length > 1) {
    sessions.sort((a, b) => (startOf(a) === startOf(b) ? (a.id < b.id ? -1 : 1) : startOf(a) < startOf(b) ? -1 : 1));
  }
  const first = <T>(of: (session: SessionRow) => T | null) => sessions.map(of).find((value) => value !== null) ?? null;
  const mood = first((session) => session.mood);
  const energy = first((session) => session.energy);
  const sleepHours = first((session) => session.sleep_hours);
  const plan = first((session) => (session.plan === 'true' || session.plan === 'false' ? session.plan : null));
  return {
    mood: mood === null ? null : storedText(mood),
    energy: energy === null ? null : storedNumber(energy),
    sleepHours: sleepHours === null ? null : storedNumber(sleepHours),
    followedPlan: plan === null ? null : plan === 'true',
  };
}
