/** What the rows of a file can become by a mapping, and the fields that each has. */
import * as z from 'zod';
import * as f from '../../journal/fields.ts';
import type { ListResource } from '../../journal/resource.ts';
import { market } from '../../journal/resources/common.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { tradeJournals } from '../../journal/resources/trade-journals.ts';
import { trades } from '../../journal/resources/trades.ts';

/** What a file of fills says of each. Amounts are in the row's currency. */
const FILL = z.strictObject({
  execution_id: f.orNull(f.text("The platform's own id of the fill, unique within account, instrument and day")),
  account: f.orNull(f.text('The account')),
  symbol: f.symbol('Ticker or contract, as the platform writes it'),
  market: market(),
  executed_at: f.instant('When it was filled'),
  side: f.choice(['buy', 'sell'], 'Bought or sold; without it the sign of the quantity tells: above 0 is bought'),
  quantity: f.number('How many, of either sign'),
  price: f.number('Price of one'),
  amount: f.orNull(f.money('What all of it cost or brought, without fees: gives the price where no column has that')),
  fees: f.money('All costs, as a positive number; several columns are added'),
  currency: f.currency("Currency of price and fees; without it the user's base currency"),
  fee_currency: f.orNull(
    f.currency(
      'Currency or coin of the fees, where that is not always the one of the price: what was traded, or another',
    ),
  ),
  multiplier: f.positive('Money per point of price and unit'),
  underlying: f.orNull(f.text('Underlying symbol of a derivative')),
  expiration: f.orNull(f.expiration('Expiration of an option or future')),
  strike: f.orNull(f.number('Strike price of an option')),
  option_type: f.orNull(f.choice(['call', 'put'], 'Kind of option')),
  effect: f.orNull(f.choice(['open', 'close'], 'Whether it opens or closes, where the file says so')),
  may_short: f.flag(
    'Whether a sell with nothing open is a short; without it, so it is of all but stock, options and crypto',
  ),
  gross_pnl: f.orNull(f.money('P&L before fees that the file states: compared with ours, never taken over')),
  net_pnl: f.orNull(f.money('P&L after fees that the file states: compared with ours, never taken over')),
});

/** Fields that a target has beside those of its records. */
const MORE: Readonly<Record<string, z.ZodRawShape>> = {
  [trades.path]: {
    net_pnl: f.orNull(f.money('P&L after fees: gives gross_pnl where that has no column, else is compared with it')),
  },
  [tradeJournals.path]: {
    symbol: f.orNull(f.text('Symbol of the trade it is about, where there is no trade_id')),
    executed_at: f.orNull(f.instant('When that trade was entered, or the start of its day')),
  },
};

export const FILLS = 'fills';

export interface MappingTarget {
  /** As a mapping names it. */
  name: string;
  /** What the import writes. */
  resource: ListResource;
  /** By the name that a mapping has for it; members of objects have a dotted one, such as review.lesson. */
  fields: ReadonlyMap<string, z.ZodType>;
}

const ofResources = RESOURCES.filter(({ table }) => table !== null).map((resource) => ({
  name: resource.path,
  resource,
  fields: new Map([...fieldsOf(resource.record.shape), ...fieldsOf(MORE[resource.path] ?? {})]),
}));

/** A trade that is closed is one row; fills are made into trades. */
export const TARGETS: readonly MappingTarget[] = [
  { name: FILLS, resource: trades, fields: new Map(fieldsOf(FILL.shape)) },
  ...ofResources,
];

export function targetOf({ target }: { target: string }): MappingTarget {
  return TARGETS.find(({ name }) => name === target) as MappingTarget;
}

function fieldsOf(shape: z.ZodRawShape, prefix = ''): [string, z.ZodType][] {
  return Object.entries(shape).flatMap(([name, own]): [string, z.ZodType][] => {
    const field = own as z.ZodType;
    if (f.factsOf(field).derived) return [];
    const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? fieldsOf(inner.shape, `${name}.`) : [[`${prefix}${name}`, field]];
  });
}
