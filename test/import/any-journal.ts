/** Random journals, as files of records. */
import * as fc from 'fast-check';
import * as z from 'zod';
import {
  CURRENCY_PATTERN,
  factsIfAny,
  factsOf,
  ID_PATTERN,
  isId,
  isNamed,
} from '../../src/journal/fields.ts';
import type { ListResource } from '../../src/journal/resource.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { execution } from '../../src/journal/resources/trades.ts';
import { fieldName, normalFields, validFields } from '../../src/journal/trader-fields.ts';
import type { UserChanges } from '../../src/journal-write/users.ts';
import { toInstantText } from '../../src/time.ts';
import { NOW } from '../helpers.ts';

// Records of every shape.
type Any = any;

export const byPath = (path: string) =>
  RESOURCES.find((resource) => resource.path === path) as ListResource;

const instant = fc
  .integer({ min: Date.parse('1999-12-31T22:00:00Z'), max: NOW })
  .map(toInstantText);
const day = instant.map((text) => text.slice(0, 10));
const amount = (min: number) => fc.double({ min, max: 1e8, noNaN: true });

/** Names that are special to JavaScript, YAML or notes, of any script. */
const names = fc.constantFrom(
  ...[
    'confluence',
    'phase',
    '__proto__',
    'constructor',
    '007',
    'αβγ',
    'स्तर',
    '-x',
    '_',
    'true',
  ],
);

/** Fields that a trader named, as they are stored. */
export const traderFields = fc
  .uniqueArray(
    fc.tuple(
      names.filter((name) => fieldName(name) === name),
      fc.oneof(
        fc.constantFrom(
          3,
          -1.25,
          1e-7,
          0.1 + 0.2,
          'review',
          '3/5',
          'true',
          '18,5',
          '-',
          '"a"',
        ),
        fc.constantFrom(
          '2026-11-02',
          '[x]',
          '[[a|b]]',
          'x: y',
          '#tag',
          '007',
          'a; b',
          "it's",
        ),
        fc.string({ maxLength: 20 }),
        fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value + 0),
      ),
    ),
    { maxLength: 4, selector: ([name]) => name },
  )
  .map((all) => normalFields(Object.fromEntries(all)))
  .map(validFields);

/** Made once: it maps each character of Unicode. */
const text = fc
  .string({ unit: 'binary', maxLength: 20 })
  .filter((value) => !value.includes('\0'));

function arbitraryOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (isNamed(schema)) return traderFields;
  if (schema instanceof z.ZodNullable)
    return fc.option(arbitraryOf(schema.unwrap() as z.ZodType));
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodArray)
    return fc.array(arbitraryOf(schema.element as z.ZodType), { maxLength: 3 });
  if (schema instanceof z.ZodObject) {
    return fc.record(
      Object.fromEntries(
        Object.entries(schema.shape).map(([name, own]) => [
          name,
          arbitraryOf(own as z.ZodType),
        ]),
      ),
    );
  }
  if (schema instanceof z.ZodOptional)
    return fc.option(arbitraryOf(schema.unwrap() as z.ZodType), { nil: undefined });
  if (factsIfAny(schema)?.isAddress) return fc.webUrl();
  if (schema instanceof z.ZodString) {
    const pattern = String(
      schema.def.checks?.map((check) => (check._zod.def as Any).pattern).find(Boolean),
    );
    if (pattern === String(ID_PATTERN))
      return fc.stringMatching(/^[A-Za-z0-9._:~-]{1,8}$/).filter(isId);
    if (pattern === String(CURRENCY_PATTERN)) return fc.constantFrom('USD', 'EUR', 'BTC');
    return schema.minLength === 1 ? text.filter((value) => value !== '') : text;
  }
  const checks = schema instanceof z.ZodNumber ? schema : undefined;
  switch (factsOf(schema).kind) {
    case 'instant':
      return instant;
    case 'date':
      return day;
    case 'flag':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: 1, max: 5 });
    default:
      return checks?.maxValue === 24
        ? fc.double({ min: 0, max: 24, noNaN: true })
        : amount((checks?.minValue ?? -1) >= 0 ? 0.001 : -1e6);
  }
}

/** Consistent facts of a resource. */
function records(
  path: string,
  adjust: (record: Any) => Any = (record) => record,
): fc.Arbitrary<Any[]> {
  const { record } = byPath(path);
  const facts = Object.entries(record.shape).filter(
    ([, field]) => !factsOf(field as z.ZodType).derived,
  );
  const one = fc.record(
    Object.fromEntries(
      facts.map(([name, field]) => [name, arbitraryOf(field as z.ZodType)]),
    ),
  );
  return fc.uniqueArray(one.map(adjust), {
    maxLength: 5,
    selector: (item: Any) => item.id,
  });
}

const closing = (from: string) => (record: Any) => {
  const closed = record.status === 'closed';
  if (!closed) return { ...record, closed_at: null };
  const times = [record[from], record.closed_at ?? record[from]].sort();
  return { ...record, [from]: times[0], closed_at: times[1] };
};

const ordered = (first: string, second: string) => (record: Any) => {
  if (record[first] === null || record[second] === null) return record;
  const [a, b] = [record[first], record[second]].sort();
  return { ...record, [first]: a, [second]: b };
};

const pick = (ids: string[], index: number) =>
  ids.length === 0 ? null : (ids[index % ids.length] as string);

export const journal = fc
  .record({
    groups: records('trade-groups', closing('opened_at')),
    trades: records('trades', (record) => {
      const trade = closing('executed_at')(record);
      return {
        ...trade,
        open_quantity: trade.status === 'closed' ? 0 : trade.open_quantity,
        // Days begin where the user's do.
        has_time: true,
        fx_rate: trade.currency === 'USD' ? null : trade.fx_rate,
      };
    }),
    executions: fc
      .array(arbitraryOf(execution), { maxLength: 4 })
      .map((all) => all.map((own: Any) => ({ ...own, has_time: true }))),
    tradeJournals: records('trade-journals'),
    groupJournals: records('group-journals'),
    sessions: records('sessions', ordered('started_at', 'ended_at')),
    reviews: records('weekly-reviews', ordered('period_start', 'period_end')),
    missed: records('missed-trades'),
  })
  .map((all) => {
    const groups = all.groups.map(({ id }) => id);
    const trades = all.trades.map(({ id }) => id);
    return {
      'trade-groups': all.groups,
      trades: all.trades.map((trade, i) => ({
        ...trade,
        group_id: i % 2 ? null : pick(groups, i),
        ...(i === 0 ? { executions: all.executions } : {}),
      })),
      'trade-journals':
        trades.length === 0
          ? []
          : all.tradeJournals.map((entry, i) => ({
              ...entry,
              trade_id: pick(trades, i),
            })),
      'group-journals':
        groups.length === 0
          ? []
          : all.groupJournals.map((entry, i) => ({
              ...entry,
              group_id: pick(groups, i),
            })),
      sessions: all.sessions,
      'weekly-reviews': all.reviews.map((review, i) => ({
        ...review,
        best_trade_id: pick(trades, i),
        worst_trade_id: null,
      })),
      'missed-trades': all.missed,
    };
  });

export const settings: fc.Arbitrary<UserChanges> = fc.record({
  timezone: fc.constantFrom(
    'UTC',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Auckland',
  ),
  breakeven_tolerance: fc.constantFrom(0, 25),
});
