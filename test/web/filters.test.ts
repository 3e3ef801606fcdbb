/** The words for keys of dimensions. */
import { expect, test } from 'vitest';
import { nameOfKey } from '../../src/web/filters.ts';
import { formatsOf } from '../../src/web/format.ts';

const format = formatsOf({ timezone: 'America/New_York', base_currency: 'USD' }, 'en-US');

test.each([
  ['setup', 'over_8h', 'over_8h'],
  ['setup', 'constructor', 'constructor'],
  ['tag', 'none', 'none'],
  ['after', 'constructor', 'constructor'],
  ['sleep', 'toString', 'toString'],
  ['sleep', 'over_8h', '8 h or more'],
  ['after', 'none', 'no trade that day'],
  ['after', null, 'no after'],
  ['since_loss', null, 'no loss that day'],
  ['setup', null, 'no setup'],
  ['some_dimension', null, 'no some dimension'],
  ['day_plan', false, 'no'],
  ['energy', 4, '4 of 5'],
])('%s %j is shown as "%s"', (dimension, key, name) => {
  expect(nameOfKey(dimension, key, format)).toBe(name);
});
