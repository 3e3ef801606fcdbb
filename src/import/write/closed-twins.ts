/** Closed trades and fills of one platform that tell of the same: counted twice, unless the person says they are others. */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import { isSameAccount } from '../fills/accounts.ts';
import type { FileRecord, Reading } from '../fills/reading.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';

/** The beginning or the end of a trade, as a fill and a closed trade both tell it. */
interface Moment {
  symbol: string;
  account: string | null;
  executedAt: string;
  side: string | null;
}

interface StoredTrade {
  id: string;
  symbol: string;
  account: string | null;
  side: string;
  quantity: number;
  entry_price: number;
  exit_price: number;
  executed_at: string;
  closed_at: string;
}

/** A moment of the file, with its line. */
type FileMoment = Moment & { line: number };

interface Written {
  format: Format;
  reading: Reading;
  /** As the person named it. */
  account: string | undefined;
}

/**
 * To be called when the records of the file are written, and its fills are not.
 * @returns to be called when its fills are written, with whether the journal lacked any: throws UserError where it has them as
 *   closed trades
 * @throws UserError where closed trades that are new are in the journal as fills
 */
export function refuseClosedTwins(
  db: Database.Database,
  { format, reading, account }: Written,
  { userId, importId }: { userId: string; importId: number },
): (hasNewFills: boolean) => void {
  const platform = format.platform;
  if (platform === undefined) return () => {};
  const own = account ?? null;
  const added = new Set(
    db
      .prepare("SELECT record_id FROM import_records WHERE user_id = ? AND import_id = ? AND change = 'added'")
      .pluck()
      .all(userId, importId),
  );
  const records = [...reading.records].filter(({ values }) => added.has(values['id']));
  const trades = records.flatMap(({ line, values }) =>
    momentsOf({ account: own, ...values }).map((moment) => ({ ...moment, line })),
  );
  refuse(
    linesOfTwins(trades, (symbol) => momentsOfFills(db, userId, platform, symbol)),
    ['trade', 'fills'],
  );
  refuse(
    linesOfCopies(records, own, (symbol) => tradesOf(db, userId, [format], symbol), added),
    ['trade', 'trades'],
  );
  const others = FORMATS.filter((other) => other.platform === platform && other.name !== format.name);
  const lines = linesOfTwins(
    reading.fills.map(({ line, instrument, executedAt, side, account: named }) => {
      return { line, symbol: instrument.symbol, account: named ?? own, executedAt, side };
    }),
    (symbol) => tradesOf(db, userId, others, symbol).flatMap(momentsOf),
  );
  return (hasNewFills) => {
    if (hasNewFills) refuse(lines, ['fill', 'closed trades']);
  };
}

function linesOfTwins(
  moments: readonly FileMoment[],
  storedOf: (symbol: string) => readonly Moment[],
): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const [symbol, own] of Map.groupBy(moments, (moment) => moment.symbol)) {
    const twins = Map.groupBy(storedOf(symbol), keyOf);
    if (twins.size === 0) continue;
    for (const moment of own) {
      const isTwin = (other: Moment) => isSameAccount(moment, other) && isSameTime(moment.executedAt, other.executedAt);
      if (twins.get(keyOf(moment))?.some(isTwin)) lines.add(moment.line);
    }
  }
  return lines;
}

function refuse(lines: ReadonlySet<number>, [noun, stored]: [string, string]): void {
  const [first] = lines;
  if (first === undefined) return;
  const [are, they, others] = lines.size === 1 ? ['is', 'it', 'it is another'] : ['are', 'they', 'they are others'];
  throw new UserError(
    `${lines.size} ${noun}${lines.size === 1 ? '' : 's'} of this file (the first on line ${first}) ${are} in the journal already, as ${stored} of another export of this platform: imported again ${they} would count twice; --allow-duplicates if ${others}`,
  );
}

/** Trades that the journal has of this format too, but with seconds where a spreadsheet left these none, or the other way round. */
function linesOfCopies(
  records: readonly FileRecord[],
  account: string | null,
  storedOf: (symbol: string) => readonly StoredTrade[],
  added: ReadonlySet<unknown>,
): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const [symbol, own] of Map.groupBy(records, ({ values }) => String(values['symbol']))) {
    const stored = Map.groupBy(
      storedOf(symbol).filter(({ id }) => !added.has(id)),
      saidBy,
    );
    for (const { line, values } of stored.size === 0 ? [] : own) {
      const trade = { account, ...values } as unknown as StoredTrade;
      if (stored.get(saidBy(trade))?.some((other) => isCopy(trade, other))) lines.add(line);
    }
  }
  return lines;
}

/** All that a trade says but its seconds. */
function saidBy({ side, quantity, entry_price, exit_price, executed_at, closed_at }: StoredTrade): string {
  return JSON.stringify([side, quantity, entry_price, exit_price, executed_at.slice(0, 16), closed_at.slice(0, 16)]);
}

/** Equal ones are no copies: identity tells how many there are. */
function isCopy(trade: StoredTrade, other: StoredTrade): boolean {
  const isEqual = trade.executed_at === other.executed_at && trade.closed_at === other.closed_at;
  return (
    !isEqual &&
    isSameAccount(trade, other) &&
    isSameTime(trade.executed_at, other.executed_at) &&
    isSameTime(trade.closed_at, other.closed_at)
  );
}

/** The minute, and no price: that of a closed trade may be an average. */
function keyOf({ executedAt, side }: Moment): string {
  return `${executedAt.slice(0, 16)} ${side}`;
}

/** To the second, or to the minute where one of them has no seconds. */
function isSameTime(a: string, b: string): boolean {
  const isWhole = a.slice(17, 19) === '00' || b.slice(17, 19) === '00';
  return isWhole ? a.slice(0, 16) === b.slice(0, 16) : a.slice(0, 19) === b.slice(0, 19);
}

function momentsOf(trade: Partial<StoredTrade>): Moment[] {
  const of = (executedAt: unknown, side: string): Moment => ({
    symbol: String(trade['symbol']),
    account: (trade['account'] ?? null) as string | null,
    executedAt: String(executedAt),
    side,
  });
  const [opening, closing] = trade['side'] === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
  return [of(trade['executed_at'], opening), of(trade['closed_at'], closing)];
}

function momentsOfFills(db: Database.Database, userId: string, platform: string, symbol: string): Moment[] {
  return db
    .prepare(
      'SELECT symbol, account, executed_at AS executedAt, side FROM fills WHERE user_id = ? AND platform = ? AND symbol = ?',
    )
    .all(userId, platform, symbol) as Moment[];
}

/** Closed trades that files of some formats brought. */
function tradesOf(
  db: Database.Database,
  userId: string,
  formats: readonly Pick<Format, 'name'>[],
  symbol: string,
): StoredTrade[] {
  return db
    .prepare(
      `SELECT id, symbol, account, side, quantity, entry_price, exit_price, executed_at, closed_at FROM trades AS t
       WHERE user_id = ? AND symbol = ? AND EXISTS (
         SELECT 1 FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
         WHERE r.user_id = t.user_id AND r.resource = 'trades' AND r.record_id = t.id
           AND i.format IN (SELECT value FROM json_each(?)))`,
    )
    .all(userId, symbol, JSON.stringify(formats.map(({ name }) => name))) as StoredTrade[];
}
