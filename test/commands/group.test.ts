/** `group` and `ungroup`: positions grouped by hand, and their undo. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from '../import/exports.ts';
import { FillHome } from '../import/fill-home.ts';
import { TRADE } from '../import/home.ts';
import { runHere } from '../program.ts';

const [file] = exportsWith(['webull/Webull_Orders_Records_Options.csv', null]);

/** Two verticals and a covered call found by an import, and two stock trades in euros. */
function journal(): FillHome {
  const home = new FillHome().withUser();
  home.import(String(file?.path()));
  home.import(
    home.lines(
      'trades.jsonl',
      ...['e1', 'e2'].map((id) => ({ ...TRADE, id, currency: 'EUR' })),
    ),
  );
  return home;
}

async function run(home: FillHome, ...args: string[]) {
  return await runHere([...args, '--home', home.folder]);
}

const groups = (home: FillHome) =>
  home
    .rows(
      'SELECT name, kind, strategy, status, initial_risk, (SELECT count(*) FROM trades AS t WHERE t.group_id = g.id) AS legs FROM trade_groups AS g ORDER BY name, opened_at',
    )
    .map((row) => Object.values(row).join(' '));

const idsOf = (home: FillHome, name: string) =>
  home
    .rows('SELECT id FROM trade_groups WHERE name LIKE ? ORDER BY id', `%${name}%`)
    .map(({ id }) => String(id));

const legsOf = (home: FillHome, group: string) =>
  home
    .rows('SELECT id FROM trades WHERE group_id = ? ORDER BY id', group)
    .map(({ id }) => String(id));

const contents = (home: FillHome) => {
  const { imports: _, import_records: __, ...tables } = home.tables();
  return tables;
};

const FOUND = [
  'IWM 2026-11-13 call vertical 230/235 multi_leg vertical closed 180 2',
  'IWM 2026-11-13 call vertical 230/235 multi_leg vertical open 390 2',
  'KR 2026-11-06 covered call 70 multi_leg covered call open  2',
];

test('a roll is one group made of two; undo restores both', async () => {
  const home = journal();
  const found = groups(home);
  expect(found).toEqual(FOUND);
  const before = contents(home);
  const options = ['--name', 'IWM roll', '--kind', 'rolled'];
  const { code, stdout, stderr } = await run(
    home,
    'group',
    ...idsOf(home, 'IWM'),
    ...options,
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining('name "IWM roll"')]);
  expect(groups(home)).toEqual(['IWM roll rolled  open  4', found[2]]);
  const id = /import undo (\d+)/.exec(stderr)?.[1] as string;
  const list = await run(home, 'import', 'list');
  expect(list.stdout).toContain(' group webull:spread:');
  home.undo(Number(id));
  expect(contents(home)).toEqual(before);
});

test("a later import of the same fills keeps the user's groups and ungrouped trades", async () => {
  const home = journal();
  await run(
    home,
    'group',
    ...idsOf(home, 'IWM'),
    '--name',
    'IWM roll',
    '--kind',
    'rolled',
  );
  await run(home, 'ungroup', ...idsOf(home, 'KR'));
  expect(groups(home)).toEqual(['IWM roll rolled  open  4']);
  home.import(String(file?.path()));
  expect(groups(home)).toEqual(['IWM roll rolled  open  4']);
});

test('ungroup takes out single trades, and removes a group with one trade left', async () => {
  const home = journal();
  const [first = '', second = ''] = idsOf(home, 'IWM');
  const before = contents(home);
  const { stdout } = await run(home, 'ungroup', legsOf(home, first)[0] as string);
  expect(stdout).toContain(`removed ${first} (trade-groups)`);
  expect(legsOf(home, first)).toEqual([]);
  expect(legsOf(home, second)).toHaveLength(2);
  home.undo();
  expect(contents(home)).toEqual(before);
});

test('an empty group with journal entries is kept and reported', async () => {
  const home = journal();
  const [kr = ''] = idsOf(home, 'KR');
  home.import(
    home.lines('group-journals.jsonl', { id: 'j', group_id: kr, phase: 'review' }),
  );
  const { stderr } = await run(home, 'ungroup', kr);
  expect(stderr).toContain(
    `Group ${kr} has no trades left; it is kept for its journal entries and notes.`,
  );
  expect(idsOf(home, 'KR')).toEqual([kr]);
});

test('legs grouped by hand as multi_leg get their strategy and risk', async () => {
  const home = journal();
  const [first = ''] = idsOf(home, 'IWM');
  const legs = legsOf(home, first);
  await run(home, 'ungroup', first);
  await run(home, 'group', ...legs, '--name', 'Legged in', '--kind', 'multi_leg');
  expect(groups(home).find((own) => own.startsWith('Legged'))).toMatch(
    /^Legged in multi_leg vertical (open|closed) \d+ 2$/,
  );
});

test('an existing group of the name is joined', async () => {
  const home = journal();
  await run(home, 'group', 'e1', 'e2', '--name', 'Pair');
  home.import(home.lines('trades.jsonl', { ...TRADE, id: 'e3', currency: 'EUR' }));
  await run(home, 'group', 'e3', '--name', 'pair');
  expect(groups(home).filter((own) => own.startsWith('Pair'))).toEqual([
    'Pair custom  closed  3',
  ]);
});

test('a dry run changes nothing', async () => {
  const home = journal();
  const before = home.hash();
  const { code, stderr } = await run(
    home,
    'group',
    'e1',
    'e2',
    '--name',
    'Pair',
    '--dry-run',
  );
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('Dry run: nothing was written.'),
  ]);
  expect(home.hash()).toBe(before);
});

describe('is refused', () => {
  test.each([
    [
      ['group', 'e1', '--name', 'One'],
      'a group needs at least 2 trades; add trades to "One"',
      1,
    ],
    [
      ['group', 'e1', 'nobody', '--name', 'X'],
      'no trade, and no group with trades, has the id "nobody"',
      1,
    ],
    [['ungroup', 'e1'], "trade e1 isn't in a group; omit it", 1],
    [['group', 'e1', 'e2'], "required option '--name <name>' not specified", 2],
    [
      ['group', 'e1', 'e2', '--name', 'X', '--kind', 'roll'],
      'Allowed choices are multi_leg, scaled, rolled, hedge, custom',
      2,
    ],
  ])('%j', async (args, message, status) => {
    const home = journal();
    const before = home.hash();
    const { code, stderr } = await run(home, ...args);
    expect([code, stderr]).toEqual([status, expect.stringContaining(message)]);
    expect(home.hash()).toBe(before);
  });

  test('several currencies', async () => {
    const home = journal();
    const { code, stderr } = await run(
      home,
      'group',
      'e1',
      ...idsOf(home, 'KR'),
      '--name',
      'X',
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /the trades of "X" have several currencies \((USD, EUR|EUR, USD)\)/,
      ),
    ]);
  });
});
