/**
 * Notices of an import: what looks like a mistake, each with the command that mends it.
 */
import type Database from 'better-sqlite3';
import { futureOf, isOfCme, lastExpired } from '../../journal/derivatives.ts';
import type { User } from '../../journal/journal.ts';
import type { Fill } from '../../statements/fill-row.ts';
import { DAY, fromInstantText, parseLocal, ZoneClock } from '../../time.ts';

export interface Notice {
  code:
    | 'new_account'
    | 'unlikely_zone'
    | 'assumed_zone'
    | 'expired_open'
    | 'without_rate'
    | 'apart';
  message: string;
  command: string;
}

export const counted = (count: number, noun: string) =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A word of the command line, in quotes if a shell needs them. */
export const quoted = (text: string) =>
  /^[\w.:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const NO_ACCOUNT = '(none)';

/** Numbers of trades by account, most first; '(none)' for those without one. */
export function accountsIn(db: Database.Database, { id }: User): Map<string, number> {
  const rows = db
    .prepare<[string], [account: string, trades: number]>(
      `SELECT coalesce(account, '${NO_ACCOUNT}'), count(*) AS n FROM trades
       WHERE user_id = ? GROUP BY account ORDER BY n DESC, account`,
    )
    .raw()
    .all(id);
  return new Map(rows);
}

/** @param before accounts before the import */
export function newAccounts(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Notice[] {
  // An account that the file gave a name to, and left empty, isn't another.
  const others = [...before.keys()].filter((name) => after.has(name));
  const [known] = others;
  if (known === undefined) return [];

  return [...after].flatMap(([name, trades]): Notice[] => {
    if (before.has(name)) return [];

    const isUnnamed = name === NO_ACCOUNT;
    const isNew = isUnnamed ? 'without an account' : `in the new account ${name}`;
    const naming = `journal-api account rename ${quoted(name)} NAME`;
    const joining =
      known === NO_ACCOUNT
        ? 'if those without an account are of it'
        : `if it is one that the journal has (${others.slice(0, 3).join(', ')})`;
    const message = `${counted(trades, 'trade')} ${isNew}; to name it: ${naming}; ${joining}`;
    // No account can be renamed to none.
    const [from, to] = known === NO_ACCOUNT ? [known, name] : [name, known];
    const command = `journal-api account rename ${quoted(from)} ${quoted(to)} --merge`;

    return [{ code: 'new_account', message, command }];
  });
}

/**
 * Of a file of a user's first import, if the user has only the default time zone.
 * @param command that imports or changes it
 */
export function assumedZone(zone: string, command: string): Notice {
  const message = `times without a zone were read in ${zone}; if they are of another time zone, such as New York's`;
  return {
    code: 'assumed_zone',
    message,
    command: `${command} --timezone America/New_York`,
  };
}

export function withoutRates(
  db: Database.Database,
  { id, base_currency }: User,
): Notice[] {
  const rows = db
    .prepare<string[], { currency: string; trades: number }>(
      `SELECT currency, count(*) AS trades FROM trades
       WHERE user_id = ? AND status = 'closed' AND currency <> ? AND fx_rate IS NULL
       GROUP BY currency ORDER BY currency`,
    )
    .all(id, base_currency);
  if (rows.length === 0) return [];

  const counts = rows.map(
    ({ currency, trades }) => `${counted(trades, 'closed trade')} in ${currency}`,
  );
  const message =
    `${counts.join(', ')} without an exchange rate to ${base_currency}, ` +
    'left out of all figures; this asks for yours (or add it, as in EUR=1.09)';
  const currencies = rows.map(({ currency }) => quoted(currency)).join(' ');

  return [
    { code: 'without_rate', message, command: `journal-api rates set ${currencies}` },
  ];
}

/**
 * Options that are open after their expiration, but not unsure ones: what looks open may
 * have been closed. A short one counts only if its opening was stated as one: a sale
 * without a mark may have closed units that no file has.
 */
export function expiredOptions(
  db: Database.Database,
  { id }: User,
  now: number,
): { id: string; symbol: string }[] {
  return db
    .prepare<string[], { id: string; symbol: string }>(
      `SELECT id, symbol FROM trades AS t
        WHERE user_id = ? AND status = 'open' AND market = 'option' AND expiration <= ?
         AND NOT EXISTS (SELECT 1 FROM json_each(tags) WHERE value = 'unsure')
         AND (side = 'long' OR NOT EXISTS (SELECT 1 FROM fills AS f
           WHERE f.user_id = t.user_id AND f.execution_id = t.id AND f.kind = 'trade' AND f.effect IS NULL))
       ORDER BY expiration, symbol, id`,
    )
    .all(id, lastExpired(now));
}

export function expiredOpen(db: Database.Database, user: User, now: number): Notice[] {
  const [first, ...more] = expiredOptions(db, user, now);
  if (!first) return [];
  const others = more.length === 0 ? '' : ` and ${counted(more.length, 'other option')}`;
  const message = `${first.symbol}${others} still open after expiration, since no file states what happened; if they expired worthless`;
  const command = `journal-api expire ${more.length === 0 ? quoted(first.id) : '--all'}`;
  return [{ code: 'expired_open', message, command }];
}

const MOST_EXAMINED = 2000;
const LEAST = 10;
const UNLIKELY = 0.05;
const EASTERN = new ZoneClock('America/New_York');
const HOUR = 3_600_000;

/** Zones that platforms and traders use, the likeliest first. */
export const COMMON_ZONES = [
  'America/New_York',
  'America/Chicago',
  'America/Los_Angeles',
  'UTC',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'Asia/Dubai',
  'Asia/Kolkata',
  'Asia/Singapore',
  'Asia/Tokyo',
  'Australia/Sydney',
];
const ZONES_NAMED = 3;

/** The instant in a zone of the local time that an instant has on a clock. */
export function inOtherZone(instant: number, clock: ZoneClock, zone: string): number {
  const local = new Date(instant + clock.offsetAt(instant)).toISOString().slice(0, -1);
  return parseLocal(local, zone) ?? instant;
}

/** Local time in New York: weekday from 1 to 7, and hours since midnight. */
function easternOf(instant: number): { weekday: number; hour: number } {
  const local = instant + EASTERN.offsetAt(instant);
  const day = Math.floor(local / DAY);
  return { weekday: ((((day + 3) % 7) + 7) % 7) + 1, hour: (local - day * DAY) / HOUR };
}

/**
 * CME's daily break and weekend: 17:00 to 18:00, and from Friday 17:00 to Sunday 18:00.
 */
function isClosed(instant: number): boolean {
  const { weekday, hour } = easternOf(instant);
  if (weekday === 5) return hour >= 17;
  return weekday === 6 || (weekday === 7 ? hour < 18 : hour >= 17 && hour < 18);
}

function sessionOfStocks(instant: number): 'regular' | 'extended' | 'closed' {
  const { weekday, hour } = easternOf(instant);
  if (weekday > 5 || hour < 4 || hour >= 20) return 'closed';
  return hour >= 9.5 && hour < 16 ? 'regular' : 'extended';
}

interface Times {
  futures: readonly number[];
  stocks: readonly number[];
}

/**
 * Number of times at which the exchanges are closed, if they are too many to be right;
 * else 0.
 */
function unlikely({ futures, stocks }: Times): number {
  const share = (times: readonly number[], test: (instant: number) => boolean) =>
    times.length < LEAST ? 0 : times.filter(test).length / times.length;
  const [ofFutures, ofStocks] = [
    share(futures, isClosed),
    share(stocks, (time) => sessionOfStocks(time) === 'closed'),
  ];
  const isOff = share(stocks, (time) => sessionOfStocks(time) === 'regular') < 0.1;
  const count =
    (ofFutures > UNLIKELY ? ofFutures * futures.length : 0) +
    (ofStocks > UNLIKELY && isOff ? ofStocks * stocks.length : 0);

  return Math.round(count);
}

/**
 * @param fills of a file whose times state no zone
 * @param zone in which they were read
 * @param command that reads them in another zone, without it
 */
export function unlikelyZone(
  fills: readonly Pick<Fill, 'executed_at' | 'market' | 'symbol' | 'currency' | 'kind'>[],
  zone: string,
  command: string,
): Notice[] {
  const step = Math.ceil(fills.length / MOST_EXAMINED) || 1;
  const executed = fills.filter(
    ({ kind }, index) => index % step === 0 && kind === 'trade',
  );
  const timesOf = (trades: typeof executed) =>
    trades.map(({ executed_at }) => fromInstantText(executed_at));
  const times = {
    futures: timesOf(
      executed.filter(
        ({ market, symbol }) => market === 'future' && isOfCme(futureOf(symbol)?.root),
      ),
    ),
    stocks: timesOf(
      executed.filter(
        ({ market, symbol, currency }) =>
          market === 'stock' && currency === 'USD' && /^[A-Z]{1,5}$/.test(symbol),
      ),
    ),
  };
  const count = unlikely(times);
  if (count === 0) return [];

  const read = new ZoneClock(zone);
  const moved = (instants: readonly number[], other: string) =>
    instants.map((time) => inOtherZone(time, read, other));
  const fits = COMMON_ZONES.flatMap((other) => {
    const shifted = {
      futures: moved(times.futures, other),
      stocks: moved(times.stocks, other),
    };
    if (unlikely(shifted) > 0) return [];
    const all = [...shifted.futures, ...shifted.stocks];
    const regular = all.filter((time) => sessionOfStocks(time) === 'regular');
    return [{ other, regular: regular.length }];
  }).sort((a, b) => b.regular - a.regular);
  const names = fits.slice(0, ZONES_NAMED).map(({ other }) => other);
  const better =
    names.length === 0 ? 'no common zone fits' : `${names.join(', ')} would fit`;
  const all = times.futures.length + times.stocks.length;
  const examined = step > 1 ? ' examined' : '';
  const message =
    `${count} of ${counted(all, 'fill')}${examined} are at times when the exchange is closed, ` +
    `read in ${zone}; ${better}`;

  return [
    {
      code: 'unlikely_zone',
      message,
      command: `${command} --timezone ${names[0] ?? 'ZONE'}`,
    },
  ];
}
