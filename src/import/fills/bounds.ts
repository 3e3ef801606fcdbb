/** What the journal can keep of a fill, said in words before SQLite would refuse it in its own. */
import * as z from 'zod';
import { trades } from '../../journal/resources/trades.ts';
import { explainIssues } from '../../journal-write/explain.ts';
import type { Fill } from '../../journal-write/fills.ts';

const { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at } = trades.record.shape;
/** What a fill and the trade that it makes both have. */
const SHAPE = { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at };
const schema = z.object(SHAPE);

/** @throws RowError that names the field, and what would be right */
export function refuseUnkeepable(fill: Fill): void {
  const { error } = schema.safeParse(fill);
  if (error) throw explainIssues(error.issues, SHAPE, fill);
}
