/** What the journal can keep of a fill, said in words before SQLite would refuse it in its own. */
import * as z from 'zod';
import { trades } from '../../journal/resources/trades.ts';
import { explainIssues } from '../../journal-write/explain.ts';
import type { Fill } from '../../journal-write/fills.ts';
import { storable } from '../../journal-write/normalise.ts';
import { RowError } from '../../journal-write/row-error.ts';

const { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at } = trades.record.shape;
/** What a fill and the trade that it makes both have. */
const SHAPE = { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at };
const schema = z.object(SHAPE);

/** Markets in which nothing is worth less than nothing; a future was, as oil in 2020. */
const NEVER_NEGATIVE: readonly Fill['market'][] = ['stock', 'option', 'forex', 'crypto'];

/** @throws RowError that names the field, and what would be right */
export function refuseUnkeepable(fill: Fill): void {
  const { error } = schema.safeParse(fill);
  if (error) throw explainIssues(error.issues, SHAPE, fill);
  for (const name of ['account', 'symbol', 'underlying'] as const) storable(fill[name], undefined, name);
  const { market, price, quantity, fees } = fill;
  for (const [name, value] of Object.entries({ price, quantity, fees })) {
    if (value !== null && !Number.isFinite(value)) throw new RowError(name, `must be a number; got ${value}`);
  }
  if (price < 0 && NEVER_NEGATIVE.includes(market)) {
    throw new RowError('price', `must be 0 or more; got ${price}`);
  }
}
