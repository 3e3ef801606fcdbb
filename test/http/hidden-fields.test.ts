/** The kind of data in each field of a response: each field declares it, and is absent for a key that hides it. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { ROUTES } from '../../src/http/routes.ts';
import { hiddenAs, projectionOf, revealsOf } from '../../src/journal/hidden-fields.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import type { Hidden } from '../../src/keys/lens.ts';

/** Every leaf of a shape, by its path. */
function leaves(schema: z.ZodType, path = ''): [path: string, schema: z.ZodType][] {
  if (revealsOf(schema)) return [[path, schema]];
  let inner = schema;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional)
    inner = inner.unwrap() as z.ZodType;
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape).flatMap(([name, member]) =>
      leaves(member as z.ZodType, path === '' ? name : `${path}.${name}`),
    );
  if (inner instanceof z.ZodArray) return leaves(inner.element as z.ZodType, `${path}[]`);
  return [[path, schema]];
}

const answers = ROUTES.flatMap((route) =>
  route.scope === 'public'
    ? []
    : [
        [
          route.path,
          'list' in route.gives ? route.gives.list.record : route.gives.data,
        ] as const,
      ],
);

test.each(answers)('%s: each field declares its kind of data', (_path, schema) => {
  const silent = leaves(schema).filter(([, leaf]) => revealsOf(leaf) === undefined);
  expect(silent.map(([path]) => path)).toEqual([]);
});

/** The last parts of the paths of hidden fields. */
const hiddenNames = (hidden: Hidden) =>
  [
    ...new Set(
      answers
        .flatMap(([, schema]) => leaves(schema))
        .filter(([, leaf]) => hiddenAs(revealsOf(leaf) ?? 'nothing', [hidden]))
        .map(([path]) => path.split('.').at(-1) as string),
    ),
  ].sort();

test('money hides amounts, quantities, fees and risk', () => {
  expect(hiddenNames('money').join(' ')).toBe(
    'amount average_loss average_win avoided_loss balance breakeven_tolerance contracts cost costs cumulative_net_pnl deposits difference drawdown end expectancy expectancy_high expectancy_low expectancy_rest expectancy_trades_needed fees fees_per_contract floor floor_high floor_low forgone_gain gross_pnl here hypothetical_pnl income initial_risk left limit lowest mae mae_bound max_drawdown max_loss median mfe mfe_bound net_pnl net_pnl_base net_pnl_broken net_pnl_followed net_pnl_native net_pnl_with_mistakes net_pnl_without net_pnl_without_mistakes open_cost open_quantity other p5 p95 payouts planned_quantity position quantity realised realised_pnl realised_stated risk room start starting_balance stated transfers withdrawals',
  );
});

test("texts hide the trader's texts", () => {
  expect(hiddenNames('texts').join(' ')).toBe(
    'attachments body description excerpt fields file focus goals lesson market_context name next_goals notes plan reason source summary title went_well went_wrong',
  );
});

test('symbols hide texts and prices, too', () => {
  expect(
    hiddenNames('symbols')
      .filter((name) => !hiddenNames('texts').includes(name))
      .join(' '),
  ).toBe(
    'entry_price exit_price expiration multiplier planned_entry planned_stop planned_target price stop_loss strike take_profit',
  );
});

test('an unclassified or undeclared field is hidden', () => {
  const shape = z.strictObject({
    a: z.number(),
    b: z.array(z.string()),
    c: z.enum(['x']),
    d: z.strictObject({ e: z.string() }),
  });
  const project = projectionOf(shape, ['money']) as (value: object) => unknown;
  expect(project({ a: 1, b: ['y'], c: 'x', d: { e: 'z' }, f: 2 })).toEqual({
    c: 'x',
    d: {},
  });
});

test('filters that compare numbers use a field with a declared kind of data', () => {
  for (const { filters, record } of RESOURCES) {
    const compared = Object.values(filters).filter(
      ({ match }) => match === 'at_least' || match === 'at_most',
    );
    for (const { column, like = column } of compared)
      expect([like, revealsOf(record.shape[like] as z.ZodType)]).toEqual([like, 'money']);
  }
});
