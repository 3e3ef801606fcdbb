/** Fields that persons write, by their declarations: files of fills decide all others. */
import type * as z from 'zod';
import { type Facts, factsOf } from './fields.ts';
import { once } from './once.ts';
import { type TradeGroup, tradeGroups } from './resources/trade-groups.ts';
import { type Trade, trades } from './resources/trades.ts';

function fieldsOf<Name extends string>(
  { shape }: z.ZodObject,
  ...kinds: Facts['isOfPerson'][]
): readonly Name[] {
  return Object.entries(shape).flatMap(([name, schema]) =>
    kinds.includes(factsOf(schema).isOfPerson) ? [name as Name] : [],
  );
}

/** Of a trade. */
export const PERSON_FIELDS = fieldsOf<keyof Trade>(trades.record, true);

/** Of a group, and never written by imports. */
export const fieldsOfGroup = once(() =>
  fieldsOf<keyof TradeGroup>(tradeGroups.record, true),
);

/** Of a group, with those that imports write, too. */
export const allFieldsOfGroup = once(() =>
  fieldsOf<keyof TradeGroup>(tradeGroups.record, true, 'too'),
);
