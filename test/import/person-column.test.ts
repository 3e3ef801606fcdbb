/** A column that a person writes, made up here: it survives when trades are made again from fills. */

import { expect, test } from 'vitest';
import * as f from '../../src/journal/fields.ts';
import { PERSON_FIELDS } from '../../src/journal/person-fields.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { FillHome } from './fill-home.ts';

test('a field of a person is declared once: the walk leaves it, and undo takes it away', () => {
  const declared = Object.entries(trades.record.shape).filter(
    ([, schema]) => f.factsOf(schema).isOfPerson,
  );
  expect(PERSON_FIELDS).toEqual(declared.map(([name]) => name));
  expect(PERSON_FIELDS).toContain('timeframe');
  expect(f.factsOf(f.byPerson(f.orNull(f.text('A made-up column')))).isOfPerson).toBe(
    true,
  );
});

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const FIRST = 'MESZ6,2,1,1,6800.00,6801.00,$5.00,11/02/2026 09:31:00,11/02/2026 09:30:00';
const EARLIER =
  'MESZ6,10,9,1,6799.00,6803.00,$20.00,11/02/2026 09:35:00,11/02/2026 09:29:00';

/** A value for each field that a person writes, but those that follow from others. */
const VALUES: Record<string, unknown> = {
  setup: 'ORB',
  timeframe: '5m',
  tags: ['a'],
  mistakes: ['late'],
  rating: 4,
  notes: 'waited',
  initial_risk: 50,
  stop_loss: 6810,
  take_profit: 6790,
  attachments: [{ url: 'https://charts.example/a.png', caption: null }],
  fields: { confluence: 3 },
};

/** What a field is that nothing states. */
function emptyLike(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === 'object' ? {} : null;
}

test.each(Object.entries(VALUES))(
  '%s survives the making of trades, and its undo',
  (name, value) => {
    const home = new FillHome().withUser('me', { timezone: 'America/New_York' });
    home.import(home.file('Performance.csv', `${HEADER}\n${FIRST}\n`));
    home.import(home.lines('trades.jsonl', { id: 'tradovate:MESZ6:1', [name]: value }));
    const shown = () => home.everything()['trades']?.map((trade) => trade[name]);
    home.import(home.file('more.csv', `${HEADER}\n${EARLIER}\n`));
    expect(shown()).toEqual([value]);
    home.undo();
    expect(shown()).toEqual([value]);
    home.undo();
    expect(shown()).toEqual([emptyLike(value)]);
  },
);

test('every field that a person writes is tried, but groups and excursions, which have tests of their own', () => {
  const others = ['group_id', 'mae', 'mfe', 'mae_bound', 'mfe_bound'];
  const tried = [...Object.keys(VALUES), ...others];
  expect(tried.sort(), 'a new field needs a value in VALUES').toEqual(
    [...PERSON_FIELDS].sort(),
  );
});
