/** Fields of a trade that persons write: files of fills decide all others. */
import { factsOf } from './fields.ts';
import { type Trade, trades } from './resources/trades.ts';

export const PERSON_FIELDS = Object.entries(trades.record.shape).flatMap(
  ([name, schema]) => (factsOf(schema).isOfPerson ? [name as keyof Trade] : []),
);
