/**
 * An example record, made from the declaration of its resource: every field that isn't
 * derived, with a plausible value.
 */
import * as z from 'zod';
import { factsOf, type Kind } from '../journal/fields.ts';
import type { ListResource } from '../journal/resource.ts';
import { tradeJournals } from '../journal/resources/journals.ts';
import { execution, trades } from '../journal/resources/trades.ts';
import type { Values } from '../journal-write/record.ts';

/** Values that must fit each other, or be more specific than their kind. */
const BY_NAME: Record<string, unknown> = {
  id: 'example-1',
  trade_id: 'example-1',
  group_id: 'example-1',
  account: 'main',
  symbol: 'AAPL',
  name: 'Opening range',
  status: 'closed',
  opened_at: '2026-11-20T14:30:00.000Z',
  executed_at: '2026-11-20T14:30:00.000Z',
  started_at: '2026-11-20T14:00:00.000Z',
  ended_at: '2026-11-20T21:00:00.000Z',
  period_start: '2026-11-16',
  period_end: '2026-11-20',
  open_quantity: 0,
  multiplier: 1,
  entry_price: 100,
  exit_price: 102.5,
  stop_loss: 99,
  take_profit: 103,
  gross_pnl: 250,
  fees: 1,
  mae: -40,
  mfe: 280,
  initial_risk: 100,
  currency: 'USD',
  url: 'https://example.com/chart.png',
  hypothetical_r: 2,
  hypothetical_pnl: 200,
  planned_entry: 100,
  planned_stop: 99,
  planned_target: 102,
  setup: 'breakout',
  timeframe: '5m',
  sleep_hours: 7.5,
  fields: { confluence: 3 },
};

/**
 * Fields that are null in an example: a trade in the base currency has no exchange rate,
 * and a stock is no option.
 */
const NULL = [
  'fx_rate',
  'underlying',
  'expiration',
  'strike',
  'option_type',
  'strategy',
  'source',
];

const BY_KIND: Record<Exclude<Kind, 'text' | 'json'>, unknown> = {
  instant: '2026-11-20T15:10:00.000Z',
  date: '2026-11-20',
  number: 100,
  integer: 4,
  money: 100,
  ratio: 1,
  flag: true,
};

/**
 * A record that imports unchanged; a journal entry needs its trade or group in the
 * journal.
 */
export function exampleOf(resource: ListResource): Values {
  // A feed contains records of other resources.
  if (resource.table === null) return { type: 'trade', ...exampleOf(tradeJournals) };

  const example: Values = {};
  for (const [name, schema] of Object.entries(resource.record.shape)) {
    // Timestamps default to the time of the import; only one that orders the list is
    // worth including.
    const isStamp = name === 'created_at' || name === 'updated_at';
    if (factsOf(schema).derived || (isStamp && name !== resource.orderBy)) continue;
    example[name] = exampleValue(name, schema);
  }

  if (resource.path === trades.path) {
    const fill = execution.parse(exampleValue('execution', execution));
    example['executions'] = [
      { ...fill, side: 'buy', price: example['entry_price'], fees: 0.5 },
      {
        ...fill,
        executed_at: example['closed_at'],
        side: 'sell',
        price: example['exit_price'],
        fees: 0.5,
      },
    ];
  }

  return example;
}

function exampleValue(name: string, schema: z.core.$ZodType): unknown {
  const nullable = schema instanceof z.ZodNullable;
  if (nullable && (NULL.includes(name) || name.endsWith('_id'))) return null;
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name];

  const inner = nullable ? schema.unwrap() : schema;
  if (inner instanceof z.ZodEnum) return inner.options[0];
  if (inner instanceof z.ZodArray) return [itemOf(name, inner.element)];
  if (inner instanceof z.ZodObject) {
    return Object.fromEntries(
      Object.entries(inner.shape).map(([member, field]) => [
        member,
        exampleValue(member, field),
      ]),
    );
  }

  const { kind, description } = factsOf(schema);
  return kind === 'text' || kind === 'json' ? description : BY_KIND[kind];
}

/** An item of a list; a string names its list. */
function itemOf(name: string, item: z.core.$ZodType): unknown {
  return item instanceof z.ZodObject
    ? exampleValue(name, item)
    : `one of the ${name.replaceAll('_', ' ')}`;
}
