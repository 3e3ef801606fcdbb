/**
 * Context of trades from other records: earlier trades of the day, sessions of the day of
 * entry, the usual size.
 */

import { foldCase, STILL_WANTED } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { dayNumber, ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import type { Unit } from '../resource.ts';
import { ifSmall, isSmall, ResponseTooLarge } from '../response-size.ts';
import { parseStored, storedInstant, storedNumber, storedText } from '../stored-value.ts';
import { type TraderFields, validFields, valueIn } from '../trader-fields.ts';
import { Where } from '../where.ts';
import type {
  ClosedTrade,
  Column,
  SessionFacts,
  TradeContext,
  TraderDimension,
} from './closed-trade.ts';
import { nameOfField, quartilesOf } from './dimensions.ts';
import { Sequences } from './sequences.ts';
import { medianOf } from './statistics.ts';
import { CHUNK, TradeRows } from './trade-rows.ts';

/**
 * @returns function that adds what these columns need; undefined if they need no context
 */
export function contextOf(
  reader: Reader,
  user: User,
  unit: Unit,
  columns: readonly Column[],
): ((trade: ClosedTrade) => void) | undefined {
  const [wantsSequence, wantsSession, wantsSize, wantsQuartiles] = (
    ['sequence', 'session', 'size', 'quartiles'] as const
  ).map((part) => columns.includes(part satisfies keyof TradeContext));
  if (!wantsSequence && !wantsSession && !wantsSize) return undefined;

  const clock = new ZoneClock(user.timezone);
  const sequences = wantsSequence ? Sequences.of(reader, user, clock, unit) : null;
  const sessions = wantsSession ? sessionDays(reader, user) : null;
  const sizeOf = wantsSize ? relativeSizes(reader, user) : null;
  const quartiles =
    sessions && wantsQuartiles
      ? quartilesByName(reader, user, sessions, namesIn(columns))
      : null;

  return (trade) => {
    trade.context = {
      sequence: sequences?.sequenceOf(trade) ?? null,
      session: sessions && (sessions.get(clock.dayOf(trade.enteredMs)) ?? NO_SESSION),
      size: sizeOf?.(trade) ?? null,
      quartiles,
    };
  };
}

// Facts of sessions by day.

/** Maximum size of a mood, condition, bias and the fields that the trader named. */
const MAX_OCTETS = '40000';

const contextText = (name: string) =>
  `iif(json_type(market_context, '$.${name}') = 'text', market_context ->> '$.${name}', NULL)`;
const COLUMNS = `id, date, started_at, fields, mood, energy, sleep_hours, ${contextText('condition')} AS condition,
  ${contextText('bias')} AS bias, CASE json_type(review, '$.followed_plan') WHEN 'true' THEN 1 WHEN 'false' THEN 0 END AS plan`;
const OCTETS = ['mood', 'fields', contextText('condition'), contextText('bias')]
  .map((text) => `coalesce(octet_length(${text}), 0)`)
  .join(' + ');

interface SessionRow {
  id: string;
  date: string;
  started_at: string | null;
  mood: string | null;
  energy: number | null;
  sleep_hours: number | null;
  plan: 0 | 1 | null;
  condition: string | null;
  bias: string | null;
  fields: string;
}

const NO_SESSION = factsOf([]);

/**
 * By the number of the day.
 * @throws ResponseTooLarge if a mood is too long to group by
 */
function sessionDays(reader: Reader, user: User): ReadonlyMap<number, SessionFacts> {
  const byDate = new Map<string, SessionRow[]>();
  for (let last: SessionRow | undefined; ; ) {
    const rows = nextSessions(reader, user, last);
    for (const row of rows) {
      const day = byDate.get(row.date);
      if (day) day.push(row);
      else byDate.set(row.date, [row]);
    }

    if (rows.length < CHUNK) break;
    last = rows.at(-1);
  }

  return new Map(
    Array.from(
      byDate,
      ([date, sessions]) => [dayNumber(date), factsOf(sessions)] as const,
    ),
  );
}

function nextSessions(
  reader: Reader,
  user: User,
  last: SessionRow | undefined,
): SessionRow[] {
  const where = new Where(user.id);
  if (last) where.compare(['date', 'id'], '>', [last.date, last.id]);
  where.add(isSmall(OCTETS, MAX_OCTETS));

  const sql = `SELECT ${COLUMNS} FROM sessions WHERE ${where.sql} ORDER BY date, id LIMIT ${CHUNK}`;
  const rows = ifSmall(() => reader.all<SessionRow>(sql, ...where.values));
  if (rows) return rows;

  const long = reader.get(
    `SELECT id FROM sessions WHERE user_id = ${TEXT} AND ${STILL_WANTED} AND ${OCTETS} > ${MAX_OCTETS} LIMIT 1`,
    user.id,
  );
  throw new ResponseTooLarge(
    `mood, condition, bias and fields of the session ${long?.['id']} take more than ${Number(MAX_OCTETS) / 1000} KB, too much to group by; shorten them`,
  );
}

/**
 * Each fact from the first session with a value; sessions without a start are last.
 * @param sessions in the order of their ids
 */
function factsOf(sessions: readonly SessionRow[]): SessionFacts {
  const startOf = ({ started_at }: SessionRow) => started_at ?? '~';
  const byStart = sessions.toSorted(
    (a, b) => +(startOf(a) > startOf(b)) - +(startOf(a) < startOf(b)),
  );

  const first = <T>(name: keyof SessionRow, read: (value: unknown) => T): T | null => {
    const found = byStart.find((session) => session[name] !== null);
    return found ? read(found[name]) : null;
  };

  return {
    mood: first('mood', storedText),
    energy: first('energy', storedNumber),
    sleepHours: first('sleep_hours', storedNumber),
    followedPlan: first('plan', (plan) => plan === 1),
    condition: first('condition', storedText),
    bias: first('bias', storedText),
    fields: fieldsTogether(byStart),
  };
}

/** Fields that the trader named: each from the first session with it. */
function fieldsTogether(sessions: readonly SessionRow[]): TraderFields {
  const members = sessions.toReversed().flatMap(({ fields }) => {
    return fields === '{}' ? [] : Object.entries(validFields(parseStored(fields)));
  });
  return Object.fromEntries(members);
}

// Fields that the trader named, with many different numbers.

function namesIn(columns: readonly Column[]): Set<string> {
  const isOfField = (column: string): column is TraderDimension =>
    column.startsWith('field:');
  return new Set(columns.filter(isOfField).map(nameOfField));
}

/**
 * The bounds between the quarters of the numbers that all closed trades have of some
 * names.
 */
function quartilesByName(
  reader: Reader,
  user: User,
  sessions: ReadonlyMap<number, SessionFacts>,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map<string, number[]>([...names].map((name) => [name, []]));
  const closed = () => new Where(user.id).add('closed_at IS NOT NULL');
  const rows = new TradeRows(reader, user, ['fields', 'group', 'entered']);

  rows.inOrder(['closed_at'], closed, (chunk) => {
    for (const row of chunk) {
      const ofTrade = rows.fieldsOf(row);
      const day = rows.clock.dayOf(storedInstant(row.executed_at));
      const ofDay = (sessions.get(day) ?? NO_SESSION).fields;
      for (const [name, list] of numbers) {
        const value = valueIn(ofTrade, name) ?? valueIn(ofDay, name);
        if (typeof value === 'number') list.push(value);
      }
    }
  });

  return new Map(
    [...numbers].flatMap(([name, list]) => {
      const bounds = quartilesOf(list);
      return bounds ? [[name, bounds] as const] : [];
    }),
  );
}

// The usual size of a trade: the median quantity of all closed trades of an account and
// underlying.

/**
 * @returns function for the quantity of a trade over its usual size; null for several
 * legs
 */
function relativeSizes(
  reader: Reader,
  user: User,
): (trade: ClosedTrade) => number | null {
  const sizes = new Map<string, number[]>();
  /**
   * The same lists by account and underlying as spelt: folding the case of each would
   * take longer than all the rest.
   */
  const spelt = new Map<string | null, Map<string | null, number[]>>();

  const listOf = (account: string | null, underlying: string | null): number[] => {
    const ofAccount = spelt.get(account) ?? new Map<string | null, number[]>();
    const known = ofAccount.get(underlying);
    if (known) return known;

    const name = JSON.stringify(
      [account, underlying].map((label) => label && foldCase(label)),
    );
    const list = sizes.get(name) ?? [];
    sizes.set(name, list);
    spelt.set(account, ofAccount.set(underlying, list));

    return list;
  };

  const closed = () => new Where(user.id).add('closed_at IS NOT NULL');
  const rows = new TradeRows(reader, user, [
    'account',
    'symbol',
    'underlying',
    'quantity',
  ]);
  rows.inOrder(['closed_at'], closed, (chunk) => {
    for (const { account, underlying, symbol, quantity } of chunk)
      listOf(account, underlying ?? symbol).push(storedNumber(quantity));
  });

  const medians = new Map<readonly number[], number>();
  for (const list of sizes.values()) {
    medians.set(list, medianOf(list) as number);
    // Only their median is needed.
    list.length = 0;
  }

  return ({ quantity, account, underlying }) => {
    const median = medians.get(listOf(account, underlying));
    return quantity === null || median === undefined ? null : quantity / median;
  };
}
