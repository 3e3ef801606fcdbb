/** Where the closed trades of the whole journal are. */
import * as z from 'zod';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';

export const journalExtentRecord = z.strictObject({
  first_trade_at: f.orNull(f.instant('When the first of all closed trades was closed; null without any')),
  last_trade_at: f.orNull(f.instant('When the last of them was closed')),
  closed_trades: f.count('How many closed trades there are, whether they have a rate or not'),
});

/** An index knows them all, but to count a million takes a while: so many at a time. */
const STRIDE = 10_000;

/** Where the closed trades of the journal are, so that an empty window says where to look. */
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

/** Of a table that is one user's alone, SQLite adds up what each page holds, a hundred times as fast as it counts what has a value. */
const COUNT_IF_ALONE = `SELECT iif((SELECT min(user_id) FROM trades) = ${TEXT} AND (SELECT max(user_id) FROM trades) = ${TEXT},
  (SELECT count(*) FROM trades), NULL) AS n`;

/** All of them, by their ids: that takes half the time of counting the closed ones by the index that knows these. */
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
