/** Values that the schema rejects are rejected by an import with a clear error: field and bound. */
import { expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { newUser } from '../../src/journal-write/users.ts';
import { ImportHome, TRADE } from './home.ts';

test.each([
  ['trades', { initial_risk: 5e-324 }, '1: initial_risk: must be 1e-8 or more; got 0'],
  ['trades', { initial_risk: 0 }, '1: initial_risk: must be 1e-8 or more; got 0'],
  [
    'trades',
    { initial_risk: 1e15 },
    '1: initial_risk: must be below 1e15; got 1000000000000000',
  ],
  [
    'trades',
    { currency: 'EUR', fx_rate: 1e-300 },
    '1: fx_rate: must be 1e-12 or more; got 1e-300',
  ],
  [
    'trades',
    { executed_at: '0000-06-01T00:00:00Z' },
    '1: executed_at: must be in the years 0001 to 9998; got "0000-06-01T00:00:00.000Z"',
  ],
  [
    'trades',
    { closed_at: '9999-01-01T00:00:00Z' },
    '1: closed_at: must be in the years 0001 to 9998; got "9999-01-01T00:00:00.000Z"',
  ],
  [
    'trades',
    { closed_at: '9999-12-31T23:00:00-05:00' },
    '1: closed_at: must be in the years 0001 to 9998; got "9999-12-31T23:00:00-05:00"',
  ],
  [
    'trades',
    { expiration: '0000-01-01' },
    '1: expiration: must be in the years 0001 to 9999; got "0000-01-01"',
  ],
  [
    'sessions',
    { id: 's', date: '9999-12-31' },
    '1: date: must be in the years 0001 to 9998; got "9999-12-31"',
  ],
  [
    'sessions',
    { id: 's', date: '2026-02-30' },
    '1: date: must be a day that exists, such as 2026-11-20; got "2026-02-30"',
  ],
])('%s %j', (resource, fields, words) => {
  const home = new ImportHome().withUser();
  expect(
    home.refusal(resource, resource === 'trades' ? { ...TRADE, ...fields } : fields),
  ).toBe(words);
});

test('the bounds themselves are accepted', () => {
  const home = new ImportHome().withUser();
  const path = home.lines('trades.jsonl', {
    ...TRADE,
    currency: 'EUR',
    initial_risk: 1e-8,
    fx_rate: 1e-12,
    executed_at: '0001-01-01T00:00:00Z',
    closed_at: '9998-12-31T23:59:59.999Z',
    expiration: '9999-12-31',
  });
  expect(home.import(path)).toBeDefined();
  expect(home.rows('SELECT initial_risk, fx_rate FROM trades')).toEqual([
    { initial_risk: 1e-8, fx_rate: 1e-12 },
  ]);
});

test('a link is stored once, as its normalised address', () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', TRADE));
  const attachments = [{ url: 'https://example.com/ä b', caption: null }];
  const path = home.lines('trade-journals.jsonl', {
    id: 'j',
    trade_id: 't1',
    phase: 'review',
    attachments,
  });
  home.import(path);
  expect(home.rows('SELECT attachments FROM trade_journals')).toEqual([
    { attachments: '[{"url":"https://example.com/%C3%A4%20b","caption":null}]' },
  ]);
  const before = home.hash();
  home.import(path);
  expect(home.hash()).toBe(before);
});

test('a starting balance has a minimum', () => {
  expect(() => newUser('me', { starting_balance: 1e-9 })).toThrow(
    /^starting_balance must be a number, 1e-8 or more, and below 1e15$/,
  );
  expect(() => newUser('me', { starting_balance: 0 })).toThrow(UserError);
  expect(newUser('me', { starting_balance: 1e-8 }).starting_balance).toBe(1e-8);
});
