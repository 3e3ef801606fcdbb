/** Bounds of a fill in the journal, checked for a clear error before SQLite would reject it. */
import * as z from 'zod';
import { trades } from '../../journal/resources/trades.ts';
import { explainIssues } from '../../journal-write/explain.ts';
import type { Fill } from '../../journal-write/fill-row.ts';
import { storable } from '../../journal-write/normalise.ts';
import { RowError } from '../../journal-write/row-error.ts';

const { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at } = trades.record.shape;
/** Fields that a fill shares with its trade. */
const SHAPE = { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at };
const schema = z.object(SHAPE);

/** Markets without negative prices; futures can have them, as oil did in 2020. */
const NEVER_NEGATIVE: readonly Fill['market'][] = ['stock', 'option', 'forex', 'crypto'];

/** @throws RowError that names the field and a valid value */
export function refuseUnstorable(fill: Fill): void {
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
