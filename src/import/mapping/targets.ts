/** Targets of a mapping (fills or records) with their fields. */
import * as z from 'zod';
import * as f from '../../journal/fields.ts';
import type { ListResource } from '../../journal/resource.ts';
import { market } from '../../journal/resources/common.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { tradeJournals } from '../../journal/resources/trade-journals.ts';
import { trades } from '../../journal/resources/trades.ts';

/** Fields of a fill. Amounts are in the row's currency. */
const FILL = z.strictObject({
  execution_id: f.orNull(f.text("The platform's own id of the fill, unique within account, instrument and day")),
  account: f.orNull(f.text('The account')),
  symbol: f.symbol("Ticker or contract in the platform's spelling"),
  market: market(),
  executed_at: f.instant('Time of the fill'),
  side: f.choice(['buy', 'sell'], 'Bought or sold; default: the sign of the quantity (above 0 is bought)'),
  quantity: f.number('Quantity, of either sign'),
  price: f.number('Price per unit'),
  amount: f.orNull(f.money('Total cost or proceeds without fees; the price is derived from it if no column has one')),
  fees: f.money('All costs, as a positive number; several columns are added'),
  currency: f.currency("Currency of price and fees; default: the user's base currency"),
  fee_currency: f.orNull(
    f.currency("Currency or coin of the fees, if it isn't always the price's: the traded coin, or another"),
  ),
  multiplier: f.positive('Contract size: money per point and unit'),
  underlying: f.orNull(f.text('Underlying symbol of a derivative')),
  expiration: f.orNull(f.expiration('Expiration of an option or future')),
  strike: f.orNull(f.number('Strike price of an option')),
  option_type: f.orNull(f.choice(['call', 'put'], 'Kind of option')),
  effect: f.orNull(f.choice(['open', 'close'], 'Whether it opens or closes, if the file states it')),
  may_short: f.flag('Whether an unmatched sell opens a short; default: true except for stock, options and crypto'),
  gross_pnl: f.orNull(f.money("P&L before fees in the file; compared with the journal's, never stored")),
  net_pnl: f.orNull(f.money("P&L after fees in the file; compared with the journal's, never stored")),
});

/** Fields of a target besides those of its records. */
const MORE: Readonly<Record<string, z.ZodRawShape>> = {
  [trades.path]: {
    net_pnl: f.orNull(
      f.money('P&L after fees; gross_pnl is derived from it if it has no column, else compared with it'),
    ),
  },
  [tradeJournals.path]: {
    symbol: f.orNull(f.text("Symbol of the entry's trade, if there is no trade_id")),
    executed_at: f.orNull(f.instant('Entry time of that trade, or the start of its day')),
  },
};

export const FILLS = 'fills';

export interface MappingTarget {
  /** Its name in a mapping. */
  name: string;
  /** The resource of the imported records. */
  resource: ListResource;
  /** By name in a mapping; members of objects have dotted names, such as review.lesson. */
  fields: ReadonlyMap<string, z.ZodType>;
}

const ofResources = RESOURCES.filter(({ table }) => table !== null).map((resource) => ({
  name: resource.path,
  resource,
  fields: new Map([...fieldsOf(resource.record.shape), ...fieldsOf(MORE[resource.path] ?? {})]),
}));

/** A row is a closed trade with target trades; with target fills, trades are built from rows. */
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
