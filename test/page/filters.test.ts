/** The filters in the address, as the page adds and removes them. */
import { expect, test } from 'vitest';
import { MAX_CLAUSES } from '../../src/http/figure-parameters.ts';
import {
  ALL_DIMENSIONS,
  type Dimension,
  FIELD_FORM,
  factsOfDimension,
} from '../../src/journal/analytics/dimensions.ts';
import { GROUP_SIDES as SIDES_OF_API } from '../../src/journal/resources/positions.ts';
import {
  DIMENSIONS,
  FIELD,
  filtersOf,
  GROUP_SIDES,
  isForFigures,
  keysOf,
  MOST_CLAUSES,
  nameOfKey,
  withFilter,
  withoutFigureFilters,
  withoutFilter,
} from '../../src/web/filters.ts';
import { formatsOf } from '../../src/web/format.ts';
import type { Key } from '../../src/web/types.ts';

const BREAKOUT = { dimension: 'setup', key: 'breakout', isWithout: false };
const NO_BREAKOUT = { ...BREAKOUT, isWithout: true };

test('trades with a setup have it in the plain filter', () => {
  expect(withFilter({}, BREAKOUT)).toEqual({ setup: 'breakout' });
  expect(filtersOf({ setup: 'breakout' })).toEqual([BREAKOUT]);
});

test('trades without a setup are those that exclude it, never those that have it', () => {
  const query = withFilter({ period: '90d' }, NO_BREAKOUT);
  expect(query).toEqual({ period: '90d', exclude: '{"setup":["breakout"]}' });
  expect(filtersOf(query as Record<string, string>)).toEqual([NO_BREAKOUT]);
});

test('the list of trades, which cannot exclude, drops the filter and says so', () => {
  expect(isForFigures(NO_BREAKOUT)).toBe(true);
  expect(isForFigures(BREAKOUT)).toBe(false);
  expect(
    withoutFigureFilters({ exclude: '{"setup":["breakout"]}', symbol: 'ES' }),
  ).toEqual({
    symbol: 'ES',
  });
});

test('excluding a setup keeps the same setup as a plain filter, and each is removed on its own', () => {
  const both = { setup: 'breakout', exclude: '{"setup":["breakout","fade"]}' };
  expect(withoutFilter(both, NO_BREAKOUT)).toEqual({
    setup: 'breakout',
    exclude: '{"setup":["fade"]}',
  });
  expect(withoutFilter(both, BREAKOUT)).toEqual({
    setup: undefined,
    exclude: both.exclude,
  });
  expect(withoutFilter({ exclude: '{"setup":["breakout"]}' }, NO_BREAKOUT)).toEqual({
    exclude: undefined,
  });
});

test('a counted trade has a key of each dimension, an excluded one any of the keys', () => {
  const friday = { dimension: 'weekday', key: 5, isWithout: false };
  const nine = { dimension: 'hour', key: 9, isWithout: false };
  const counted = withFilter(withFilter({}, friday) as Record<string, string>, nine);
  expect(counted).toEqual({ where: '{"weekday":[5],"hour":[9]}' });
  const excluded = withFilter(
    withFilter({}, { ...friday, isWithout: true }) as Record<string, string>,
    {
      ...nine,
      isWithout: true,
    },
  );
  expect(excluded).toEqual({ exclude: '[{"weekday":[5]},{"hour":[9]}]' });
});

test('an address that is not valid JSON has no conditions', () => {
  expect(filtersOf({ where: '{', exclude: '[1,null,[]]' })).toEqual([]);
});

test('a sixth excluded dimension is not added: the API takes five conditions', () => {
  const dimensions = ['hour', 'weekday', 'size', 'energy', 'sleep'];
  const query = dimensions.reduce<Record<string, string>>(
    (before, dimension) =>
      withFilter(before, { dimension, key: 1, isWithout: true }) as Record<
        string,
        string
      >,
    {},
  );
  expect(filtersOf(query)).toHaveLength(5);
  expect(withFilter(query, NO_BREAKOUT)).toEqual(query);
});

test('only figures can show trades without an account, or of an hour', () => {
  expect(isForFigures({ dimension: 'account', key: null, isWithout: false })).toBe(true);
  expect(isForFigures({ dimension: 'hour', key: 9, isWithout: false })).toBe(true);
  expect(isForFigures({ dimension: 'account', key: 'main', isWithout: false })).toBe(
    false,
  );
});

test.each<[dimension: string, key: Key, shown: string]>([
  ['after', 'losses', 'two losses or more'],
  ['after', null, 'no after'],
  ['since_loss', '15m_to_30m', '15 to 30 min'],
  ['since_loss', null, 'no loss that day'],
  ['holding_time', 'over_1w', 'over 1 week'],
  ['sleep', 'over_8h', '8 h or more'],
  ['energy', 4, '4 of 5'],
  ['followed_plan', false, 'no'],
  ['weekday', 5, 'Friday'],
  ['setup', 'loss', 'loss'],
  ['setup', null, 'no setup'],
  ['strategy', 'constructor', 'constructor'],
])('a key of %s, %j, is shown as %s', (dimension, key, shown) => {
  const format = formatsOf({ timezone: 'UTC', base_currency: 'USD' }, 'en-US');
  expect(nameOfKey(dimension, key, format)).toBe(shown);
});

test('a filter by the time since a loss offers trades without a loss before them, too', () => {
  expect(keysOf('since_loss')).toEqual([
    'under_10m',
    '10m_to_15m',
    '15m_to_30m',
    '30m_to_2h',
    'over_2h',
    null,
  ]);
  expect(keysOf('energy')).toEqual([1, 2, 3, 4, 5]);
  expect(keysOf('setup')).toBeUndefined();
});

test.each(Object.keys(DIMENSIONS))(
  '%s is a dimension of the API, with its keys',
  (name) => {
    const dimension = ALL_DIMENSIONS.find((known) => known === name) as Dimension;
    expect(dimension).toBe(name);
    const declared = factsOfDimension(dimension).keys;
    const offered = keysOf(name)?.filter((key) => key !== null);
    expect(offered).toEqual(declared);
  },
);

test("the page's bounds, prefixes and sides of groups are those of the API", () => {
  expect(MOST_CLAUSES).toBe(MAX_CLAUSES);
  expect(FIELD_FORM).toBe(`${FIELD}NAME`);
  expect(GROUP_SIDES).toEqual(SIDES_OF_API);
});
