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
const STRIDE = 50_000;

/** Where the closed trades of the journal are, so that an empty window says where to look. */
export function* journalExtent(reader: Reader, user: User): Generator<void, z.infer<typeof journalExtentRecord>> {
  const closed = `FROM trades WHERE user_id = ${TEXT} AND closed_at IS NOT NULL`;
  const end = (order: string) =>
    reader.get(`SELECT closed_at ${closed} ORDER BY closed_at ${order} LIMIT 1`, user.id)?.['closed_at'] ?? null;
  let count = 0;
  let after: [closedAt: string, id: string] = ['', ''];
  for (;;) {
    const beyond = `${closed} AND (closed_at, id) > (${TEXT}, ${TEXT})`;
    const next = reader.get(
      `SELECT closed_at, id ${beyond} ORDER BY closed_at, id LIMIT 1 OFFSET ${STRIDE - 1}`,
      user.id,
      ...after,
    );
    if (!next) {
      count += reader.get(`SELECT count(*) AS n ${beyond}`, user.id, ...after)?.['n'] as number;
      break;
    }
    count += STRIDE;
    after = [next['closed_at'] as string, next['id'] as string];
    yield;
  }
  return {
    first_trade_at: end('ASC') as string | null,
    last_trade_at: end('DESC') as string | null,
    closed_trades: count,
  };
}
