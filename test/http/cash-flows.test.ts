/** Cash flows over HTTP: filters, rates, CSV, and what the lens of a key shows of them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addCash } from '../../src/edit/cash.ts';
import { type ImportOptions, importPaths } from '../../src/import/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import type { Lens } from '../../src/keys/lens.ts';
import { temporaryFolder, World } from '../helpers.ts';

const NO_LENS: Lens = { accounts: null, since: null, hides: [] };

await loadAll();

let world: World;

const flow = (id: string, day: string, more: Record<string, unknown> = {}) => ({
  id,
  at: `2026-11-${day}T10:00:00.000Z`,
  kind: 'deposit',
  amount: 100,
  currency: 'USD',
  account: 'main',
  ...more,
});

beforeEach(() => {
  world = new World();
  world.insert(
    'cash_flows',
    flow('a', '02'),
    flow('b', '03', {
      kind: 'dividend',
      amount: 2.5,
      symbol: 'ABC',
      description: 'ABC pays',
    }),
    flow('c', '04', {
      kind: 'fee',
      amount: -7,
      currency: 'EUR',
      day_rate: 1.1,
      account: 'other',
    }),
    flow('hand', '02', { at: '2026-11-02T00:00:00.000Z', has_time: 0, by_hand: 1 }),
  );
});

async function ids(path = '/v1/cash-flows', lens?: Lens): Promise<string[]> {
  const key = world.key(['trades:read'], 'me', undefined, lens);
  const { body } = await world.ask(path, { key });
  return body.data.map(({ id }: { id: string }) => id);
}

test('newest first; one by hand that a file states too is left out', async () => {
  expect(await ids()).toEqual(['c', 'b', 'a']);
  world.db.exec("DELETE FROM cash_flows WHERE id = 'a'");
  expect(await ids('/v1/cash-flows?limit=50')).toEqual(['c', 'b', 'hand']);
});

test.each([
  ['account=MAIN', ['b', 'a']],
  ['kind=fee', ['c']],
  ['symbol=abc', ['b']],
  ['start=2026-11-03&end=2026-11-03', ['b']],
])('%s', async (query, expected) => {
  expect(await ids(`/v1/cash-flows?${query}`)).toEqual(expected);
});

test('a rate of its day, 1 in the base currency; as CSV', async () => {
  const key = world.key(['trades:read']);
  const { body } = await world.ask('/v1/cash-flows?fields=id,fx_rate', { key });
  expect(body.data).toEqual([
    { id: 'c', fx_rate: 1.1 },
    { id: 'b', fx_rate: 1 },
    { id: 'a', fx_rate: 1 },
  ]);
  const csv = await world.ask('/v1/cash-flows?fields=id,amount&kind=fee', {
    key,
    headers: { accept: 'text/csv' },
  });
  expect(csv.text).toBe('id,amount\r\nc,-7\r\n');
});

describe('a key', () => {
  const seen = async (lens: Partial<Lens>) => {
    const key = world.key(['trades:read'], 'me', undefined, { ...NO_LENS, ...lens });
    return world.ask('/v1/cash-flows', { key, lens: true });
  };

  test('that hides money shows none, as if there were none', async () => {
    const { body, text } = await seen({ hides: ['money'] });
    expect(body.data).toEqual([]);
    world.db.exec('DELETE FROM cash_flows');
    expect((await seen({ hides: ['money'] })).text).toBe(text);
  });

  test('with accounts or a first day shows those', async () => {
    const { body: other } = await seen({ accounts: ['Other'] });
    expect(other.data).toMatchObject([{ id: 'c' }]);
    const { body: since } = await seen({ since: '2026-11-03' });
    expect(since.data).toMatchObject([{ id: 'c' }, { id: 'b' }]);
  });

  test('that hides texts or symbols shows neither', async () => {
    const { body, text } = await seen({ hides: ['texts'] });
    expect(text).not.toContain('pays');
    expect(body.data).toMatchObject([
      { id: 'c' },
      { id: 'b', symbol: 'ABC' },
      { id: 'a' },
    ]);
    const hidden = await seen({ hides: ['symbols'] });
    expect(hidden.text).not.toMatch(/ABC|pays/);
    expect(hidden.body.data).toHaveLength(3);
  });
});

test('the first cash flows of a journal are stored once keys that show them are agreed to', () => {
  world.db.exec('DELETE FROM cash_flows');
  world.key(['trades:read'], 'me', undefined, { ...NO_LENS, hides: ['money'] });
  world.key(['journals:read']);
  const path = join(temporaryFolder(), 'schwab.csv');
  const rows = 'Date,Action,Symbol,Description,Quantity,Price,Fees & Comm,Amount\n';
  writeFileSync(path, `${rows}11/20/2026,Wire Received,,In,,,,$5.00\n`);
  const { journal, keys } = world.files;
  const take = (more: Partial<ImportOptions> = {}) =>
    importPaths({ paths: [path], journal, keys, now: world.now, ...more }).files[0]
      ?.cash_flows;
  const line = { date: '2026-11-20', kind: 'deposit', amount: 1 } as const;
  const add = () =>
    addCash({ journal, keys, now: world.now, dryRun: true, ...line }, 'cash add');

  // Neither key shows cash flows.
  expect(take({ dryRun: true })).toMatchObject({ added: 1 });
  expect(add().keys).toEqual([]);
  world.key(['trades:read']);
  expect(add().keys).toMatchObject([
    { name: 'test', shows_more: true, first_cash_flows: true },
  ]);
  expect(() => take()).toThrow(
    /has the first cash flows .* \(test\); pass --yes, or revoke them/,
  );
  expect(world.db.prepare('SELECT count(*) FROM cash_flows').pluck().get()).toBe(0);
  expect(take({ mayShowCash: true })).toMatchObject({ added: 1 });
  expect(add().keys).toEqual([]);
});
