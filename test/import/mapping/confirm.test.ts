/** What a mapping reads is shown and confirmed before it is stored for the first time. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { refuseUnconfirmed } from '../../../src/commands/shared/confirm-mapping.ts';
import { loadMapping } from '../../../src/import/mapping/load.ts';
import { temporaryFolder } from '../../helpers.ts';
import { run, runHere } from '../../program.ts';

const HEADER = 'Time,Symbol,Side,Quantity,Price,Fee,Amount,State';
const at = (day: number, side: string, price: number, state = 'Filled') =>
  `2026-05-0${day} 10:00,ABC,${side},10,${price},1,${10 * price},${state}`;
const ROWS = [
  at(1, 'Buy', 5),
  at(2, 'Sell', 6),
  at(3, 'Buy', 5),
  at(4, 'Sell', 7),
  at(5, 'Buy', 5),
];

const MAPPING = {
  name: 'own',
  target: 'fills',
  fields: {
    symbol: 'Symbol',
    market: { value: 'stock' },
    currency: { value: 'USD' },
    executed_at: 'Time',
    side: 'Side',
    quantity: 'Quantity',
    price: 'Price',
    fees: 'Fee',
  },
};

class Home {
  readonly folder = temporaryFolder();
  readonly journal = join(this.folder, 'home', 'journal.db');

  constructor(mapping: object = MAPPING) {
    this.file('my.json', JSON.stringify(mapping));
    this.file('first.csv', [HEADER, ...ROWS].join('\n'));
  }

  file(name: string, text: string): string {
    writeFileSync(join(this.folder, name), text);
    return name;
  }

  /** A later file, with rows of its own. */
  later(name: string, ...rows: string[]): string {
    return this.file(name, [HEADER, ...rows].join('\n'));
  }

  import(...args: string[]) {
    const env = { JOURNAL_API_HOME: join(this.folder, 'home') };
    return runHere(['import', ...args, '--map', 'my.json'], { cwd: this.folder, env });
  }

  /** Whether a file is stored without a question. */
  async isStored(...args: string[]): Promise<boolean> {
    const { code, stderr } = await this.import(...args);
    if (code === 0) return true;
    expect(stderr).toContain('pass --yes');
    return false;
  }
}

test('the first rows and the last are shown in words, with a sum to check and the columns that are not used', async () => {
  const home = new Home();
  const { code, stderr, stdout } = await home.import('first.csv');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n').slice(0, -2)).toEqual([
    'first.csv, read with my.json:',
    '  line 2: Bought 10 ABC at 5.00 on 2026-05-01 10:00, fee 1.00',
    '  line 3: Sold 10 ABC at 6.00 on 2026-05-02 10:00, fee 1.00',
    '  line 4: Bought 10 ABC at 5.00 on 2026-05-03 10:00, fee 1.00',
    '  ...',
    '  line 6: Bought 10 ABC at 5.00 on 2026-05-05 10:00, fee 1.00',
    '  all rows: stock; in USD; times of UTC (your time zone; set "zone" if the file has another)',
    '  sum of quantity x price: 280.00; in the file: Amount 280.00',
    '  columns not used: Amount, State',
  ]);
  expect(existsSync(home.journal)).toBe(false);
});

test.each([
  ['y', 0],
  ['n', 1],
])('a terminal is asked; %s', async (answer, expected) => {
  const home = new Home();
  await runHere(['init', '--timezone', 'UTC'], {
    env: { JOURNAL_API_HOME: join(home.folder, 'home') },
  });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const typing = vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never);
  stdin.write(`${answer}\n`);
  const running = home.import('first.csv', '--timezone', 'UTC');
  Object.assign(process.stderr, { isTTY: true });
  const { code, stderr } = await running;
  typing.mockRestore();
  expect(stderr).toContain('Is this what the file states? [y/N]');
  expect([code, stderr.includes('nothing was changed')]).toEqual([
    expected,
    answer === 'n',
  ]);
});

describe('once for each content of a mapping', () => {
  test('--dry-run needs none; after the first stored import, later files need none, until it is edited or undone', async () => {
    const home = new Home();
    expect(await home.isStored('first.csv', '--dry-run')).toBe(true);
    expect(await home.isStored('first.csv')).toBe(false);
    expect(await home.isStored('first.csv', '--yes')).toBe(true);
    expect(await home.isStored(home.later('second.csv', at(6, 'Sell', 6)))).toBe(true);

    home.file('my.json', JSON.stringify({ ...MAPPING, zone: 'America/New_York' }));
    expect(await home.isStored(home.later('third.csv', at(7, 'Buy', 6)))).toBe(false);
    home.file('my.json', JSON.stringify(MAPPING));
    expect(await home.isStored('third.csv')).toBe(true);
  });

  test('an import of an earlier version counts, which kept no contents of its mapping', async () => {
    const home = new Home();
    await home.import('first.csv', '--yes');
    const db = new Database(home.journal);
    db.exec('UPDATE imports SET mapping = NULL; DELETE FROM import_files');
    db.close();
    expect(await home.isStored(home.later('second.csv', at(6, 'Sell', 6)))).toBe(true);
  });

  const withTax = (name: string, row: string) =>
    [name, [`${HEADER},Stamp Tax`, `${row},0.5`].join('\n')] as const;

  test('again for a column of costs that no earlier file had', async () => {
    const home = new Home();
    await home.import('first.csv', '--yes');
    const tax = home.file(...withTax('tax.csv', at(6, 'Sell', 6)));
    const { code, stderr } = await home.import(tax);
    expect(code).toBe(2);
    expect(stderr).toContain('a column named like costs that is not used: "Stamp Tax"');
    expect(stderr).toContain('not used, but named like costs: Stamp Tax');
    expect(await home.isStored(tax, '--yes')).toBe(true);
    expect(await home.isStored(home.file(...withTax('more.csv', at(7, 'Buy', 6))))).toBe(
      true,
    );
  });

  test.each<[string, object]>([
    ['an unused column', MAPPING],
    ['a column of skip', { ...MAPPING, skip: [{ column: 'State', is: ['Cancelled'] }] }],
    [
      'a draft, whose words are known',
      { ...MAPPING, columns: { State: { Filled: 5, Cancelled: 1 } } },
    ],
  ])(
    'again for a word in a column of kinds that no earlier file had: %s',
    async (_, mapping) => {
      const home = new Home(mapping);
      await home.import('first.csv', '--yes');
      const isKnown = mapping !== MAPPING;
      expect(
        await home.isStored(
          home.later('known.csv', at(6, 'Sell', 6, 'Cancelled'), at(6, 'Sell', 6)),
        ),
      ).toBe(isKnown);
      const rejected = home.later(
        'new.csv',
        at(7, 'Buy', 6, 'Rejected'),
        at(7, 'Buy', 6),
      );
      const { code, stderr } = await home.import(rejected);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('a word in "State" for the first time: "Rejected"'),
      ]);
      expect(await home.isStored(rejected, '--yes')).toBe(true);
      expect(
        await home.isStored(
          home.later('again.csv', at(8, 'Sell', 6, 'Rejected'), at(8, 'Sell', 6)),
        ),
      ).toBe(true);
    },
  );

  test('a watched file needs none later; before, or with something new, it is refused with the command', async () => {
    const home = new Home();
    const loaded = loadMapping(join(home.folder, 'my.json'));
    const watch = (name: string) => () =>
      refuseUnconfirmed(
        join(home.folder, name),
        loaded,
        { home: join(home.folder, 'home') },
        home.folder,
      );
    expect(watch('first.csv')).toThrow(
      /Bought 10 ABC[\s\S]*import this file once by itself: journal-api import .*first\.csv --map /,
    );
    await home.import('first.csv', '--yes');
    expect(watch(home.later('second.csv', at(6, 'Sell', 6)))).not.toThrow();
    expect(watch(home.file(...withTax('tax.csv', at(6, 'Sell', 6))))).toThrow(
      'Stamp Tax',
    );
  });
});

test('standard input needs --yes, since it can be read only once', async () => {
  const home = new Home();
  const { code, stderr } = await home.import('-');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('standard input can be read only once'),
  ]);
});

test('closed trades and journal records are shown in words, too', async () => {
  const fields = {
    symbol: 'S',
    market: { value: 'stock' },
    executed_at: 'A',
    closed_at: 'B',
    quantity: 'Q',
    entry_price: 'I',
    exit_price: 'O',
  };
  const trades = new Home({ name: 'own', target: 'trades', fields });
  trades.file(
    'first.csv',
    'S,A,B,Q,I,O,Result\nABC,2026-05-01 10:00,2026-05-01 11:00,-2,5,4.5,1\nABC,2026-05-01 10:00,,2,5,,\n',
  );
  const shown = (await trades.import('first.csv')).stderr;
  expect(shown).toContain(
    'line 2: Short 2 ABC from 5.00 on 2026-05-01 10:00 to 4.50 on 2026-05-01 11:00, P&L 1.00 before fees\n',
  );
  expect(shown).toContain(
    'line 3: Long 2 ABC from 5.00 on 2026-05-01 10:00, still open\n',
  );
  expect(shown).toContain('sum of P&L before fees: 1.00; in the file: Result 1.00\n');

  const days = new Home({
    name: 'own',
    target: 'sessions',
    fields: { date: 'Day', notes: 'Text' },
  });
  days.file('first.csv', 'Day,Text\n2026-05-01,waited\n');
  expect((await days.import('first.csv')).stderr).toContain(
    'line 2: date 2026-05-01, notes waited\n',
  );
});

test('a draft is refused with its questions and the columns that could answer them, also in a dry run', async () => {
  const home = new Home();
  home.file(
    'deals.csv',
    'When,Symbol,Side,Size,Filled,Price,Status\n02/05/2026 10:00,ABC,Buy,20,10,5,Filled\n02/06/2026 10:00,ABC,Sell,10,0,5,New\n',
  );
  const draft = await runHere(['import', 'deals.csv', '--map', 'new'], {
    cwd: home.folder,
  });
  expect(draft).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Wrote a draft of a mapping to deals.map.json.'),
  });
  home.file('my.json', readFileSync(join(home.folder, 'deals.map.json'), 'utf8'));
  for (const more of [[], ['--yes'], ['--dry-run']]) {
    const { code, stderr } = await home.import('deals.csv', ...more);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'my.json: has open questions; replace each "?" and import again:\n',
    );
    expect(stderr).toMatch(/ {2}skip: .*could be "Status" \(Filled 1, New 1\)\n/);
    expect(stderr).toMatch(
      / {2}executed_at: .*could be "When" \(02\/05\/2026 10:00, 02\/06\/2026 10:00\)\n/,
    );
    expect(stderr).toMatch(
      / {2}quantity: .*could be "Size" \(20, 10\), "Filled" \(10, 0\)\n/,
    );
  }
});

test('the file of a changed import is read with its mapping again, although none is given', async () => {
  const home = new Home();
  await home.import('first.csv', '--yes');
  const own = { cwd: home.folder, env: { JOURNAL_API_HOME: join(home.folder, 'home') } };
  await run(['import', 'change', '1', '--account', 'main', '--yes'], own);
  const { stdout, stderr } = await run(['import', 'first.csv', '--json'], own);
  expect([JSON.parse(stdout || '{}').files, stderr]).toMatchObject([
    [{ format: 'map:own', added: 0, changed: 0 }],
    expect.stringContaining('first.csv: already imported'),
  ]);
});
