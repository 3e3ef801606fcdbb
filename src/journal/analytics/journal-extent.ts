/** First, last and number of the journal's closed trades. */
import type * as z from 'zod';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';

export const journalExtentRecord = f.record(() => ({
  first_trade_at: f.orNull(f.instant('Close of the first closed trade; null without any')),
  last_trade_at: f.orNull(f.instant('Close of the last one; null without any')),
  closed_trades: f.count('Number of closed trades, with or without an exchange rate'),
}));

/** Trades counted per step: counting a million takes a while, even by an index. */
const STRIDE = 10_000;

/** Extent of the journal's closed trades, so that the response of an empty period shows where they are. */
export function* journalExtent(reader: Reader, user: User): Generator<void, z.infer<typeof journalExtentRecord>> {
  const end = (order: string) =>
    reader.get(
      `SELECT closed_at FROM trades WHERE user_id = ${TEXT} AND closed_at IS NOT NULL ORDER BY closed_at ${order} LIMIT 1`,
      user.id,
    )?.['closed_at'] ?? null;
  const open = reader.get(`SELECT count(*) AS n FROM trades WHERE user_id = ${TEXT} AND status = 'open'`, user.id);
  return {
    first_trade_at: end('ASC') as string | null,
    last_trade_at: end('DESC') as string | null,
    closed_trades: (yield* countTrades(reader, user)) - (open?.['n'] as number),
  };
}

/** If all trades belong to one user: SQLite adds up the rows of each page, a hundred times as fast as counting rows with a value. */
const COUNT_IF_ALONE = `SELECT iif((SELECT min(user_id) FROM trades) = ${TEXT} AND (SELECT max(user_id) FROM trades) = ${TEXT},
  (SELECT count(*) FROM trades), NULL) AS n`;

/** Number of all trades, by their ids: half the time of counting the closed ones by their index. */
function* countTrades(reader: Reader, user: User): Generator<void, number> {
  const alone = reader.get(COUNT_IF_ALONE, user.id, user.id)?.['n'];
  if (typeof alone === 'number') return alone;
  let after = '';
  for (let count = 0; ; count += STRIDE) {
    const beyond = `FROM trades WHERE user_id = ${TEXT} AND id > ${TEXT}`;
    const last = reader.get(`SELECT id ${beyond} ORDER BY id LIMIT 1 OFFSET ${STRIDE - 1}`, user.id, after);
    if (!last) return count + (reader.get(`SELECT count(*) AS n ${beyond}`, user.id, after)?.['n'] as number);
    after = last['id'] as string;
    yield;
  }
}
