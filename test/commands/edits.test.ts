/** annotate, note, remove and import --prune, by the real program on a real data folder. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import { PROGRAM, runHere } from '../program.ts';

const FILLS = `symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp
MESZ6,2,1,1,6800.00,6801.00,$5.00,11/20/2026 09:31:00,11/20/2026 09:30:00`;

let home: ImportHome;

beforeEach(() => {
  home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  home.import(home.file('Performance.csv', FILLS));
  home.import(
    home.lines(
      'trades.jsonl',
      TRADE,
      { ...TRADE, id: 't2', setup: 'ORB', tags: ['news'] },
      {
        ...TRADE,
        id: 'eur',
        currency: 'EUR',
        executed_at: '2026-11-03T14:30:00Z',
        closed_at: '2026-11-03T15:30:00Z',
      },
    ),
  );
});

const run = (...args: string[]) => runHere([...args, '--home', home.folder]);
const trade = (id: string) => home.rows('SELECT * FROM trades WHERE id = ?', id)[0];
const MES = 'tradovate:MESZ6:1';

describe('annotate', () => {
  test('changes matching trades, in one entry of the list of imports, which undo reverts', async () => {
    const before = home.rows('SELECT * FROM trades ORDER BY id');
    const words = [
      '--setup',
      'VWAP',
      '--add-tag',
      '#Late',
      '--add-mistake',
      'chased',
      '--rating',
      '3',
      '--stop',
      '99',
    ];
    const { code, stdout, stderr } = await run(
      'annotate',
      'symbol=aapl',
      'setup=orb',
      ...words,
    );
    expect([code, stdout]).toEqual([
      0,
      'changed t2 (AAPL long, 2026-11-02T14:30:00.000Z): stop_loss null -> 99, setup "ORB" -> "VWAP", tags ["news"] -> ["news","Late"], mistakes [] -> ["chased"], rating null -> 3\n',
    ]);
    expect(stderr).toBe('To undo: journal-api import undo 3\n');
    // One before this change.
    expect(readdirSync(join(home.folder, 'backups'))).toHaveLength(1);
    expect(trade('t2')).toMatchObject({
      setup: 'VWAP',
      tags: '["news","Late"]',
      rating: 3,
      stop_loss: 99,
    });
    const list = JSON.parse((await run('import', 'list', '--json')).stdout);
    expect(list[0]).toMatchObject({
      id: 3,
      format: 'annotate',
      file: 'annotate symbol=aapl setup=orb --setup VWAP --add-tag #Late --add-mistake chased --rating 3 --stop 99',
      records: 1,
    });
    expect((await run('import', 'undo')).code).toBe(0);
    const timeless = (rows: Record<string, unknown>[]) =>
      rows.map(({ updated_at: _, ...row }) => row);
    expect(timeless(home.rows('SELECT * FROM trades ORDER BY id'))).toEqual(
      timeless(before),
    );
  });

  test('last is the trade entered last, even if made from fills; - empties a field; labels ignore case', async () => {
    expect(
      (
        await run(
          'annotate',
          'last',
          '--setup',
          'ORB',
          '--risk',
          '50',
          '--add-tag',
          'news',
        )
      ).code,
    ).toBe(0);
    expect(trade(MES)).toMatchObject({
      setup: 'ORB',
      initial_risk: 50,
      tags: '["news"]',
    });
    const changes = '--setup - --add-tag NEWS --remove-tag x --target 6790';
    const again = await run('annotate', MES, ...changes.split(' '));
    expect(again.stdout).toContain('setup "ORB" -> null');
    expect(trade(MES)).toMatchObject({
      setup: null,
      initial_risk: 50,
      tags: '["news"]',
      take_profit: 6790,
    });
    const same = await run('annotate', MES, '--setup', '-');
    // It is said again: undo of the first leaves it so.
    expect([same.code, same.stderr]).toEqual([
      0,
      '1 record is unchanged.\nTo undo: journal-api import undo 5\n',
    ]);
    await run('import', 'undo', '4');
    expect(trade(MES)).toMatchObject({
      setup: null,
      initial_risk: 50,
      tags: '["news"]',
      take_profit: null,
    });
  });

  test('several trades need --yes without a terminal, and a dry run shows them', async () => {
    const refused = await run('annotate', 'symbol=AAPL', '--rating', '2');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('this changes 3 trades; pass --yes'),
    ]);
    const dry = await run(
      'annotate',
      'symbol=AAPL',
      '--rating',
      '2',
      '--dry-run',
      '--json',
    );
    expect(JSON.parse(dry.stdout)).toMatchObject({
      dry_run: true,
      import: null,
      records: [{}, {}, {}],
    });
    expect(home.rows('SELECT rating FROM trades WHERE rating IS NOT NULL')).toEqual([]);
    expect((await run('annotate', '--all', '--rating', '2', '--yes')).code).toBe(0);
    expect(home.rows('SELECT count(*) AS n FROM trades WHERE rating = 2')).toEqual([
      { n: 4 },
    ]);
  });

  test.skipIf(spawnSync('script', ['--version']).status !== 0)(
    'several trades need a confirmation at a terminal',
    () => {
      const command = `'${process.execPath}' '${PROGRAM}' annotate symbol=AAPL --rating 2 --home '${home.folder}'`;
      const answer = (input: string) =>
        spawnSync('script', ['-qec', command, '/dev/null'], { input, encoding: 'utf8' })
          .stdout;
      expect(answer('what\nn\n')).toMatch(
        /Change 3 trades\? \[y\/N\][\s\S]*Type y or n\.[\s\S]*nothing was changed/,
      );
      expect(home.rows('SELECT count(*) AS n FROM trades WHERE rating = 2')).toEqual([
        { n: 0 },
      ]);
      expect(answer('y\n')).toContain('To undo: journal-api import undo');
      expect(home.rows('SELECT count(*) AS n FROM trades WHERE rating = 2')).toEqual([
        { n: 3 },
      ]);
    },
  );

  test('a period selects trades by entry date', async () => {
    expect((await run('annotate', 'period=2026-10', '--setup', 'x')).stderr).toContain(
      'no trade matches period=2026-10',
    );
    expect((await run('annotate', 'period=2026-W47', '--setup', 'late')).code).toBe(0);
    expect(trade(MES)).toMatchObject({ setup: 'late' });
    expect(
      (await run('annotate', 'period=2026-11', '--setup', 'x', '--yes')).stdout.match(
        /changed/g,
      ),
    ).toHaveLength(4);
  });

  test('--group creates a group, joins it, and refuses two currencies', async () => {
    expect(
      (await run('annotate', 't1', 't2', '--group', 'AAPL pair', '--yes')).code,
    ).toBe(0);
    expect(home.everything()['trade-groups']).toMatchObject([
      {
        id: 'group:AAPL-pair',
        name: 'AAPL pair',
        kind: 'custom',
        underlying: 'AAPL',
        market: 'stock',
        status: 'closed',
        opened_at: '2026-11-02T14:30:00.000Z',
        trade_ids: ['t1', 't2'],
        net_pnl: 70,
      },
    ]);
    expect((await run('annotate', MES, '--group', 'aapl PAIR')).code).toBe(0);
    expect(home.everything()['trade-groups']).toMatchObject([
      { leg_count: 3, market: 'other', underlying: null },
    ]);
    const { code, stderr } = await run('annotate', 'eur', '--group', 'AAPL pair');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('have several currencies'),
    ]);
    // What the later line says is enough for the group.
    expect((await run('import', 'undo', '3')).code).toBe(0);
    expect(home.everything()['trade-groups']).toMatchObject([
      { name: 'AAPL pair', leg_count: 1 },
    ]);
    await run('import', 'undo');
    expect(home.everything()['trade-groups']).toEqual([]);
  });

  test.each([
    [[], /no trades selected/],
    [['last'], /nothing to change/],
    [['--all', 'last', '--rating', '1'], /remove the filters/],
    [
      ['last', 'symbol=A', '--rating', '1'],
      /filters and ids exclude each other; "last" isn't a filter/,
    ],
    [['last', '--rating', 'good'], /--rating takes a number.*got "good"/],
    [['last', '--rating', '9'], /rating: must be 5 or less; got 9/],
    [['last', '--add-tag', ' '], /empty tag or mistake/],
    [['symbl=A', '--rating', '1'], /no parameter "symbl"; did you mean symbol\?/],
    [['period=soon', '--rating', '1'], /period must be a length/],
  ])('%j is wrong usage', async (args, words) => {
    const options =
      args.includes('--rating') || args.length === 1 || args.includes('--add-tag')
        ? args
        : [...args, '--rating', '1'];
    const { code, stderr } = await run(
      'annotate',
      ...(args.length === 0 ? ['--rating', '1'] : options),
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  test('an unknown trade or no match is an error, and creates no journal', async () => {
    expect((await run('annotate', 'gone', '--rating', '1')).stderr).toContain(
      'there is no trade with the id "gone"',
    );
    expect((await run('annotate', 'symbol=X', '--rating', '1')).stderr).toContain(
      'no trade matches symbol=X',
    );
    const near = await run('annotate', 'setup=OBR', '--rating', '1');
    expect([near.code, near.stderr]).toEqual([
      1,
      expect.stringMatching(/no trade matches setup=OBR\. .*"ORB"/),
    ]);
    const empty = temporaryFolder();
    const { code, stderr } = await runHere([
      'annotate',
      'last',
      '--rating',
      '1',
      '--home',
      empty,
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no journal at')]);
  });
});

describe('note', () => {
  test('adds an entry to a trade named by last, id or symbol', async () => {
    for (const name of ['last', 't1', 'MES', 'aapl'])
      expect((await run('note', `On ${name}.`, '--trade', name)).code).toBe(0);
    await run('note', 'Before.', '--trade', 't1', '--phase', 'pre-trade');
    const entries = home.rows('SELECT trade_id, phase, body FROM trade_journals');
    expect(
      entries.sort((a, b) => (String(a['body']) < String(b['body']) ? -1 : 1)),
    ).toEqual([
      { trade_id: 't1', phase: 'pre_trade', body: 'Before.' },
      { trade_id: MES, phase: 'post_trade', body: 'On MES.' },
      { trade_id: 'eur', phase: 'post_trade', body: 'On aapl.' },
      { trade_id: MES, phase: 'post_trade', body: 'On last.' },
      { trade_id: 't1', phase: 'post_trade', body: 'On t1.' },
    ]);
    expect((await run('note', 'x', '--trade', 'gone')).stderr).toContain(
      'no trade has the id or the symbol "gone"',
    );
    expect((await run('note', 'x', '--trade', 't1', '--phase', 'later')).code).toBe(2);
    expect((await run('note', ' ')).code).toBe(2);
  });

  test("without a trade the text goes to today's session", async () => {
    // Empty values of a new record aren't shown.
    expect((await run('note', 'First.')).stdout).toMatch(/, notes "First\."\n$/);
    await run('note', 'Second.');
    const today = new Intl.DateTimeFormat('en-CA', {
      timeZone: 'America/New_York',
    }).format(Date.now());
    expect(home.rows('SELECT id, date, notes FROM sessions')).toEqual([
      { id: `day:${today}`, date: today, notes: 'First.\n\nSecond.' },
    ]);
    expect((await run('import', 'undo', '3')).code).toBe(0);
    expect(home.rows('SELECT notes FROM sessions')).toEqual([{ notes: 'Second.' }]);
    await run('import', 'undo');
    expect(home.rows('SELECT * FROM sessions')).toEqual([]);
  });
});

describe('remove', () => {
  test('removes records that the user wrote, and undo restores them', async () => {
    home.import(
      home.lines('trade-journals.jsonl', {
        id: 'e1',
        trade_id: 't1',
        phase: 'review',
        rules: [],
      }),
    );
    const now = () =>
      home
        .rows('SELECT * FROM trades ORDER BY id')
        .map(({ updated_at: _, ...row }) => row);
    const before = now();
    const named = await run('remove', 'trades', 't1');
    expect([named.code, named.stderr]).toEqual([
      1,
      expect.stringContaining('e1 (trade journals)'),
    ]);
    expect((await run('remove', 'trades', 't2', 'eur')).stdout).toBe(
      'removed t2 (AAPL long, 2026-11-02T14:30:00.000Z)\nremoved eur (AAPL long, 2026-11-03T14:30:00.000Z)\n',
    );
    expect(home.rows('SELECT id FROM trades ORDER BY id')).toEqual([
      { id: 't1' },
      { id: MES },
    ]);
    expect((await run('import', 'undo', '2')).stderr).toContain(
      'import 3 (trade-journals.jsonl) is about trade t1',
    );
    await run('import', 'undo');
    expect(now()).toEqual(before);
    expect(home.findings()).toEqual([]);
  });

  test.each([
    [['trades', MES], 1, /is made from fills; undo the import/],
    [['sessions', 'none'], 1, /there is no record "none" in trading sessions/],
    [['journal-rows', 'x'], 2, /journal-rows combines other resources/],
    [['session', 'x'], 2, /did you mean sessions\?/],
  ])('%j is refused', async (args, expected, words) => {
    const { code, stderr } = await run('remove', ...args);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(words)]);
  });
});

describe('import --prune', () => {
  let vault: string;
  const note = (name: string, text: string) => writeFileSync(join(vault, name), text);
  const sessions = () =>
    home.rows('SELECT id FROM sessions ORDER BY date').map(({ id }) => id);

  beforeEach(async () => {
    vault = temporaryFolder();
    mkdirSync(join(vault, 'days'));
    for (let day = 1; day <= 6; day++)
      note(`days/2026-11-0${day}.md`, '---\ntype: session\n---\nCalm.');
    note('named.md', '---\ntype: session\nid: own\ndate: 2026-11-07\n---\nNamed.');
    expect((await run('import', vault)).code).toBe(0);
  });

  test('removes the records of deleted notes, which undo restores', async () => {
    rmSync(join(vault, 'days/2026-11-02.md'));
    const dry = await run('import', vault, '--prune', '--dry-run');
    expect(dry.stdout).toContain('removed note:days~2026-11-02 (sessions)');
    expect(sessions()).toHaveLength(7);
    const { code, stdout } = await run('import', vault, '--prune');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('removed note:days~2026-11-02 (sessions)\n'),
    ]);
    expect(sessions()).not.toContain('note:days~2026-11-02');
    expect(sessions()).toHaveLength(6);
    await run('import', vault, '--prune');
    const list = JSON.parse((await run('import', 'list', '--json')).stdout);
    expect(list.map(({ format }: { format: string }) => format)).toEqual([
      'prune',
      'markdown',
      'jsonl',
      'tradovate',
    ]);
    await run('import', 'undo');
    expect(sessions()).toHaveLength(7);
  });

  test('keeps the records of a note that moved with its id, of other files, and of other folders', async () => {
    renameSync(join(vault, 'named.md'), join(vault, 'days/elsewhere.md'));
    home.import(
      home.lines('sessions.jsonl', {
        id: 'note:days~2026-11-02',
        date: '2026-11-02',
        mood: 'calm',
      }),
    );
    rmSync(join(vault, 'days/2026-11-02.md'));
    const { code } = await run('import', join(vault, 'days'), '--prune', '--yes');
    expect(code).toBe(0);
    expect(sessions()).toContain('own');
    expect(sessions()).toContain('note:days~2026-11-02');
  });

  test('refuses an empty folder, a file, and more than a fifth without --yes', async () => {
    expect((await run('import', join(vault, 'named.md'), '--prune')).code).toBe(2);
    for (const day of [1, 2]) rmSync(join(vault, `days/2026-11-0${day}.md`));
    const many = await run('import', vault, '--prune');
    expect([many.code, many.stderr]).toEqual([
      2,
      expect.stringContaining('2 of 7 notes are missing'),
    ]);
    expect((await run('import', vault, '--prune', '--yes')).code).toBe(0);
    expect(sessions()).toHaveLength(5);
    rmSync(vault, { recursive: true });
    mkdirSync(vault);
    expect((await run('import', vault, '--prune', '--yes')).code).toBe(1);
    expect(sessions()).toHaveLength(5);
  });
});
