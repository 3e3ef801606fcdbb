/** Closed trades and fills of one platform that tell of the same: counted twice, unless the person says they are others. */
import type Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import type { Format, Reading } from './formats/format.ts';
import { FORMATS } from './formats/index.ts';

/** The beginning or the end of a trade, as a fill and a closed trade both tell it. */
interface Moment {
  symbol: string;
  account: string | null;
  executedAt: string;
  side: string | null;
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
  const others = FORMATS.filter((other) => other.platform === platform && other.name !== format.name);
  const lines = linesOfTwins(
    reading.fills.map(({ line, instrument, executedAt, side, account: named }) => {
      return { line, symbol: instrument.symbol, account: named ?? own, executedAt, side };
    }),
    (symbol) => momentsOfTrades(db, userId, others, symbol),
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
      if (twins.get(keyOf(moment))?.some((other) => isSameAccount(moment, other))) lines.add(moment.line);
    }
  }
  return lines;
}

function refuse(lines: ReadonlySet<number>, [noun, stored]: [string, string]): void {
  const [first] = lines;
  if (first === undefined) return;
  const [are, they, others] = lines.size === 1 ? ['is', 'it', 'it is another'] : ['are', 'they', 'they are others'];
  throw new UserError(
    `${lines.size} ${noun}${lines.size === 1 ? '' : 's'} of this file (the first on line ${first}) ${are} in the journal already, as ${stored} of another export of this platform: imported again ${they} would count twice; --twins if ${others}`,
  );
}

/** To the second, and no price: that of a closed trade may be an average. */
function keyOf({ executedAt, side }: Moment): string {
  return `${executedAt.slice(0, 19)} ${side}`;
}

function isSameAccount(a: Moment, b: Moment): boolean {
  return a.account === null || b.account === null || a.account.toLowerCase() === b.account.toLowerCase();
}

function momentsOf(trade: Record<string, unknown>): Moment[] {
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
function momentsOfTrades(
  db: Database.Database,
  userId: string,
  formats: readonly Pick<Format, 'name'>[],
  symbol: string,
): Moment[] {
  const rows = db
    .prepare(
      `SELECT DISTINCT t.symbol, t.account, t.side, t.executed_at, t.closed_at FROM imports AS i
       JOIN import_records AS r ON r.user_id = i.user_id AND r.import_id = i.id AND r.resource = 'trades'
       JOIN trades AS t ON t.user_id = r.user_id AND t.id = r.record_id
       WHERE i.user_id = ? AND i.format IN (SELECT value FROM json_each(?)) AND t.symbol = ?`,
    )
    .all(userId, JSON.stringify(formats.map(({ name }) => name)), symbol) as Record<string, unknown>[];
  return rows.flatMap(momentsOf);
}
