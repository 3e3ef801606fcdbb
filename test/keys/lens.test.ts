/** Lenses in keys.db and on the command line: typed, stored, shown, kept and refused. */
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { lensInWords, storedLens, typedLens } from '../../src/keys/lens.ts';
import { listKeys } from '../../src/keys/store.ts';
import { tradeRow, World } from '../helpers.ts';
import { runHere } from '../program.ts';

const OF_MAIN = { accounts: ['main'], since: '2026-11-01', hides: [] };

test.each([
  [{}, null],
  [{ accounts: 'main, swing' }, { accounts: ['main', 'swing'], since: null, hides: [] }],
  [{ since: '2026-01-01' }, { accounts: null, since: '2026-01-01', hides: [] }],
  [{ hide: 'texts, money' }, { accounts: null, since: null, hides: ['money', 'texts'] }],
  [{ hide: 'symbols' }, { accounts: null, since: null, hides: ['texts', 'symbols'] }],
  [
    { hide: 'symbols,texts,money' },
    { accounts: null, since: null, hides: ['money', 'texts', 'symbols'] },
  ],
])('%j', (typed, lens) => {
  expect(typedLens(typed)).toEqual(lens);
  expect(storedLens(lens && JSON.stringify(lens))).toEqual(lens);
});

test.each([
  [{ accounts: 'main,,swing' }, /names separated by commas/],
  [{ accounts: '' }, /names separated by commas/],
  [{ since: '2026-13-01' }, /takes a day such as/],
  [{ since: '30d' }, /takes a day such as/],
  [{ hide: 'text' }, /--hide takes money, texts.*did you mean texts/],
  [{ hide: '' }, /--hide takes money, texts/],
])('%j is refused', (typed, message) => {
  expect(() => typedLens(typed)).toThrow(message);
});

test('a key is limited to at most 50 accounts', () => {
  const names = Array.from({ length: 51 }, (_, i) => `account ${i}`);
  expect(typedLens({ accounts: names.slice(1).join(',') })?.accounts).toHaveLength(50);
  expect(() => typedLens({ accounts: names.join(',') })).toThrow(
    '--accounts takes at most 50 names',
  );
});

test.each([
  ...[
    '',
    'x',
    '[]',
    '{}',
    '{"accounts":[],"since":null}',
    '{"accounts":null,"since":null,"hide":["all"]}',
    7,
  ],
  // Limits of a later version, which this one would ignore.
  '{"accounts":null,"since":null,"hides":[],"until":"2026-01-01"}',
  '{"accounts":null,"since":null,"hides":["names"]}',
])('a stored lens %s can not be read', (stored) => {
  expect(storedLens(stored)).toBeUndefined();
});

test('a key whose lens is damaged shows nothing, and can be listed and revoked', async () => {
  for (const change of ["lens = '{}'", "lens = 'x'", "lens = ''", 'seed = NULL']) {
    const world = new World();
    world.insert('trades', tradeRow('t'));
    const key = world.key(undefined, 'me', 'key_a', OF_MAIN);
    expect((await world.ask('/v1/trades', { key })).body.data).toEqual([]);
    const db = new Database(world.files.keys);
    db.exec(`UPDATE keys SET ${change}`);
    db.close();
    const { status, body } = await world.ask('/v1/trades', { key });
    expect([change, status, body.code]).toEqual([change, 503, 'journal_unavailable']);
    expect(listKeys(world.files.keys)).toMatchObject([{ id: 'key_a', scopes: [] }]);
    expect(
      (await runHere(['key', 'revoke', 'key_a', '--home', world.files.home])).code,
    ).toBe(0);
  }
});

test('lens and seed survive rotation; the list shows the lens, and no command shows the seed', async () => {
  const world = new World();
  const home = ['--home', world.files.home];
  const create = [
    'key',
    'create',
    '--name',
    'k',
    '--scopes',
    'all',
    '--expires',
    '1h',
    ...home,
  ];
  const made = await runHere([
    ...create,
    '--accounts',
    'main',
    '--accounts',
    'swing',
    '--since',
    '2026-01-01',
  ]);
  expect(made.stderr).toContain(
    'It shows trades of the accounts main and swing since 2026-01-01.',
  );
  const [before] = listKeys(world.files.keys);
  expect(before?.seed).toHaveLength(32);
  await runHere(['key', 'rotate', before?.id as string, ...home]);
  const [, after] = listKeys(world.files.keys);
  expect(after).toMatchObject({
    lens: { accounts: ['main', 'swing'], since: '2026-01-01', hides: [] },
    seed: before?.seed,
  });
  const list = await runHere(['key', 'list', ...home]);
  expect(list.stdout).toContain(lensInWords(after?.lens ?? null));
  const json = await runHere(['key', 'list', '--json', ...home]);
  expect(JSON.parse(json.stdout)[1]).toMatchObject({ lens: after?.lens });
  expect(json.stdout).not.toContain('seed');
  expect((await runHere(create)).stderr).not.toContain('It shows');
  expect((await runHere([...create, '--since', 'yesterday'])).code).toBe(2);
});

test('a store of version 1 is read as it is, and migrated by the next key that is created, rotated or revoked', async () => {
  for (const command of [
    ['create', '--name', 'n', '--scopes', 'all', '--expires', '1h'],
    ['rotate', 'key_a'],
    ['revoke', 'key_a'],
  ]) {
    const world = new World();
    world.now = Date.now();
    world.insert('trades', tradeRow('t'));
    const key = world.key(undefined, 'me', 'key_a');
    const db = new Database(world.files.keys);
    db.exec(
      'ALTER TABLE keys DROP COLUMN lens; ALTER TABLE keys DROP COLUMN seed; PRAGMA user_version = 1',
    );
    const version = () => db.pragma('user_version', { simple: true });
    expect((await world.ask('/v1/trades', { key })).body.data).toHaveLength(1);
    expect(listKeys(world.files.keys)).toMatchObject([
      { id: 'key_a', lens: null, seed: null },
    ]);
    expect(version()).toBe(1);
    expect((await runHere(['key', ...command, '--home', world.files.home])).code).toBe(0);
    expect(version()).toBe(2);
    db.close();
    const status = command[0] === 'create' ? 200 : 401;
    expect((await world.ask('/v1/trades', { key })).status).toBe(status);
  }
});

test.each([
  [{ hide: 'texts,money' }, 'everything, without money and texts'],
  [
    { hide: 'symbols' },
    'everything, without texts and prices, with pseudonyms for symbols and ids',
  ],
  [
    { accounts: 'main', hide: 'money,symbols' },
    'trades of the account main, without money, texts and prices, with pseudonyms for symbols and ids',
  ],
])('%j in words', (typed, words) => expect(lensInWords(typedLens(typed))).toBe(words));

test('/v1/me gives pseudonyms to names of accounts and keys that contain a symbol', async () => {
  const world = new World();
  world.insert('trades', tradeRow('t', { account: 'TSLAQQ bets', symbol: 'TSLAQQ' }));
  const key = world.key(undefined, 'me', 'key_a', {
    accounts: ['TSLAQQ bets'],
    since: null,
    hides: ['texts', 'symbols'],
  });
  const { text, body } = await world.ask('/v1/me', { key, lens: true });
  expect(text).not.toMatch(/tslaqq/i);
  const [label] = body.data.key.shows.accounts;
  expect(label).toMatch(/^label-/);
  expect(body.data.key.shows.in_words).toContain(
    `trades of the account ${label}, without texts and prices`,
  );
  expect(
    (await world.ask(`/v1/trades?account=${label}`, { key, lens: true })).body.data,
  ).toHaveLength(1);
});

test('/v1/me states what the key shows', async () => {
  const world = new World();
  const shown = async (key: string) =>
    (await world.ask('/v1/me', { key })).body.data.key.shows;
  expect(await shown(world.key())).toEqual({
    accounts: null,
    since: null,
    hides: [],
    in_words: 'everything',
  });
  const in_words = 'trades of the account main since 2026-11-01';
  expect(await shown(world.key(undefined, 'me', 'key_a', OF_MAIN))).toEqual({
    ...OF_MAIN,
    in_words,
  });
});

test('keys of one user with other lenses share no cached answer', async () => {
  const world = new World();
  world.insert(
    'trades',
    tradeRow('a', { account: 'main' }),
    tradeRow('b', { account: 'swing' }),
  );
  const of = (id: string, account: string) =>
    world.key(undefined, 'me', id, { accounts: [account], since: null, hides: [] });
  const keys = [
    world.key(),
    of('key_a', 'main'),
    of('key_b', 'swing'),
    of('key_c', 'none'),
  ];
  for (let i = 0; i < 3; i++) {
    const ids = await Promise.all(
      keys.map(async (key) =>
        (await world.ask('/v1/trades', { key })).body.data.map(
          (trade: { id: string }) => trade.id,
        ),
      ),
    );
    expect(ids).toEqual([['b', 'a'], ['a'], ['b'], []]);
  }
});
