/** `report`: one file of a period, with the API's figures and nothing hidden. */
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Hidden } from '../../src/keys/lens.ts';
import { formatsOf } from '../../src/web/format.ts';
import { addUnmatched, type Row, temporaryFolder, tradeRow, World } from '../helpers.ts';
import { runHere } from '../program.ts';

const USER = {
  timezone: 'America/New_York',
  name: 'Walter Xavier',
  starting_balance: 98765,
};

let world: World;
let home: string[];
let folder: string;

beforeEach(() => {
  world = new World(USER);
  home = ['--home', world.files.home];
  folder = temporaryFolder();
});

/** Trades of two accounts and what was written on one, in November 2026. @param factor of all amounts */
function fill({
  factor = 1,
  symbol = 'ZZTOP',
  text = 'Zebra',
  id = 'trade-7531',
} = {}): void {
  for (const day of [9, 10, 11, 12]) {
    for (const account of ['main', 'prop-8642']) {
      const at = `2026-11-${String(day).padStart(2, '0')}T15:0${day % 5}:00.000Z`;
      const amount = (value: number) => Math.round(value * factor * 100) / 100;
      world.insert(
        'trades',
        tradeRow(`${id}-${account}-${day}`, {
          ...{
            executed_at: at,
            closed_at: at,
            account,
            symbol,
            underlying: symbol,
            setup: 'breakout',
          },
          ...{
            gross_pnl: amount((day % 2 === 0 ? -1 : 2) * 7351.25),
            fees: amount(13.25),
            initial_risk: amount(6113),
          },
          ...{
            mae: amount(-3119.5),
            mfe: amount(9187.5),
            quantity: 311 * factor,
            notes: `${text} note`,
          },
        }),
      );
      world.insert('trade_journals', {
        ...{
          id: `j-${account}-${day}`,
          trade_id: `${id}-${account}-${day}`,
          phase: 'review',
          body: `${text} body`,
        },
        ...{ title: `${text} title`, lesson: `${text} lesson`, created_at: at },
        attachments: JSON.stringify([
          { url: `https://pictures.example/${text}.png`, caption: `${text} caption` },
        ]),
      } as Row);
    }
    world.insert('sessions', {
      id: `s-${day}`,
      date: `2026-11-${String(day).padStart(2, '0')}`,
      plan: `${text} plan`,
    });
  }
}

async function report(
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string; html: string }> {
  const out = join(folder, 'report.html');
  const finished = await runHere([
    'report',
    '2026-11',
    '--out',
    out,
    '--force',
    ...args,
    ...home,
  ]);
  return { ...finished, html: finished.code === 0 ? readFileSync(out, 'utf8') : '' };
}

/** Without when it was written, and the account's pseudonyms, which are random. */
const written = / · written [^<]*/;

describe('report', () => {
  test("has the API's figures and says that amounts are shown", async () => {
    fill();
    const { code, stdout, stderr, html } = await report();
    expect([code, stdout]).toEqual([0, `${join(folder, 'report.html')}\n`]);
    expect(stderr).toBe('Amounts are shown; to hide them, pass --hide money\n');
    expect(html).toContain('<strong>Amounts are shown.</strong>');
    const { data } = (
      await world.ask('/v1/analytics/summary?period=2026-11', { key: world.key() })
    ).body;
    const format = formatsOf({ timezone: 'America/New_York', base_currency: 'USD' });
    const { net_pnl, expectancy, win_rate, confidence, fees } = data.performance;
    for (const figure of [
      ...[
        format.gain(net_pnl),
        format.gain(expectancy),
        format.percent(win_rate),
        format.money(fees),
      ],
      `95%: ${confidence.win_rate.map(format.wholePercent).join(' to ')}`,
      ...data.breakdowns.account.map((row: any) => format.gain(row.net_pnl)),
    ])
      expect(html).toContain(figure);
    expect(html.match(/Zebra lesson/g)).toHaveLength(8);
    expect(html.match(/Zebra plan/g)).toHaveLength(4);
    // Trades have numbers, the same in the tables and above their entries; days are linked.
    expect(html).not.toContain('trade-7531');
    expect(html.match(/(?<=")Trades \d to \d/g)).toEqual([
      'Trades 1 to 2',
      'Trades 3 to 4',
      'Trades 5 to 6',
      'Trades 7 to 8',
    ]);
    const numbers = ['1', '2', '3', '4', '5', '6', '7', '8'];
    expect(html.match(/(?<=<tr><td>)\d(?=<)/g)).toEqual(numbers);
    expect(html.match(/(?<=>Trade )\d/g)).toEqual(numbers);
    expect(html).toContain('href="#2026-11-09"');
    expect(html).toContain('id="2026-11-09"');
  });

  test('runs nothing, loads nothing, and its policy allows its own style alone', async () => {
    fill();
    const { html } = await report();
    const { tags, attributes } = elementsOf(html);
    expect(
      [...tags].filter((tag) =>
        /^(script|img|iframe|object|embed|link|base|form|video|audio)$/.test(tag),
      ),
    ).toEqual([]);
    expect(attributes.filter(([name]) => /^on|^style$|^src/.test(name))).toEqual([]);
    expect(html).toMatch(
      /content="default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'"/,
    );
    const links = attributes
      .filter(([name]) => name === 'href')
      .map(([, value]) => value);
    expect(links.filter((link) => !/^(https:|#\d{4}-\d\d-\d\d$)/.test(link))).toEqual([]);
    expect(links).toContain('https://pictures.example/Zebra.png');
    expect(
      attributes.filter(
        ([name, value]) => name === 'rel' && !value.includes('noreferrer'),
      ),
    ).toEqual([]);
  });

  test.each<[readonly Hidden[], readonly string[]]>([
    [['money'], []],
    [['texts'], ['Zebra', 'pictures.example', 'Walter']],
    [['symbols'], ['Zebra', 'pictures.example', 'ZZTOP', 'trade-7531', 'Walter']],
    [
      ['money', 'texts', 'symbols'],
      ['Zebra', 'pictures.example', 'ZZTOP', 'trade-7531', 'Walter'],
    ],
  ])('with %j hidden, no byte tells', async (hides, absent) => {
    fill();
    const { html, stderr } = await report(
      '--hide',
      hides.join(','),
      '--accounts',
      'main',
    );
    for (const text of [...absent, 'prop-8642'])
      expect(html.toLowerCase()).not.toContain(text.toLowerCase());
    expect(html).toContain('Hidden: ');
    const warning = !hides.includes('money')
      ? /Amounts are shown/
      : hides.length === 1
        ? /^Texts are shown and/
        : /^$/;
    expect(stderr).toMatch(warning);
    // No bare amount either, however it is written.
    const digits = html.replaceAll(/(?<=\d)[,.\u202f\u00a0](?=\d)/g, '');
    const amounts = [
      '735125',
      '7351',
      '1470250',
      '1468925',
      '14689',
      '73645',
      '7365',
      '1325',
      '6113',
      '31195',
      '91875',
      '735K',
      '147K',
    ];
    const found = amounts.filter((amount) =>
      new RegExp(`(?<!\\d)${amount}`).test(digits.replace(/<style>.*?<\/style>/s, '')),
    );
    if (hides.includes('money')) expect(found).toEqual([]);
    else expect(found).toContain('1468925');
    if (!hides.includes('symbols')) expect(html).toContain('ZZTOP');
  });

  test('with money hidden, a journal with all amounts multiplied gives the same bytes', async () => {
    fill();
    const { html } = await report('--hide', 'money');
    world = new World({ ...USER, starting_balance: 4 * USER.starting_balance });
    home = ['--home', world.files.home];
    fill({ factor: 4 });
    const other = await report('--hide', 'money');
    expect(other.html.replace(written, '')).toBe(html.replace(written, ''));
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('with symbols hidden, other symbols, texts and ids of the same journal give no other words', async () => {
    fill();
    const { html } = await report('--hide', 'money,symbols');
    world = new World(USER);
    home = ['--home', world.files.home];
    fill({ symbol: 'QQXYZ', text: 'Giraffe', id: 'other-id' });
    const other = await report('--hide', 'money,symbols');
    const withoutNames = (text: string) =>
      text.replace(written, '').replaceAll(/(sym|label|id)-[a-z2-9]{6,}/g, '$1');
    expect(withoutNames(other.html)).toBe(withoutNames(html));
    // Pseudonyms are new in each report.
    const names = (text: string) => new Set(text.match(/sym-[a-z2-9]{6,}/g));
    expect(names(html).size).toBe(1);
    expect([...names(html)]).not.toEqual([
      ...names((await report('--hide', 'money,symbols')).html),
    ]);
  });

  test('texts stay texts, and links that are not https are none', async () => {
    const hostile = '</style><script>alert(1)</script><img src=x onerror=alert(1)>"\'`';
    const markdown = `${hostile}\n\n[a](javascript:alert(1)) [b](http://plain.example/) ![c](https://p.example/c.png) <https://ok.example/>`;
    world.insert(
      'trades',
      tradeRow('t-1', {
        ...{
          executed_at: '2026-11-10T15:00:00.000Z',
          closed_at: '2026-11-10T15:00:00.000Z',
          notes: markdown,
        },
        ...{
          symbol: hostile,
          account: hostile,
          setup: hostile,
          underlying: hostile,
          tags: JSON.stringify([hostile]),
        },
      }),
    );
    world.insert('sessions', {
      id: 's-1',
      date: '2026-11-10',
      name: hostile,
      plan: markdown,
      mood: hostile,
    });
    const { html } = await report();
    const { tags, attributes } = elementsOf(html);
    expect([tags.has('script'), tags.has('img')]).toEqual([false, false]);
    const links = attributes
      .filter(([name]) => name === 'href')
      .map(([, value]) => value);
    expect(new Set(links)).toEqual(
      new Set(['#2026-11-10', 'https://p.example/c.png', 'https://ok.example/']),
    );
    expect(attributes.filter(([name]) => name.startsWith('on'))).toEqual([]);
  });

  test('lists the latest 200 trades and says how many it leaves out', async () => {
    for (let i = 0; i < 203; i++) {
      const at = new Date(
        Date.parse('2026-11-02T15:00:00.000Z') + i * 3_600_000,
      ).toISOString();
      world.insert('trades', tradeRow(`t-${i}`, { executed_at: at, closed_at: at }));
    }
    const { html } = await report();
    expect(html).toContain('Left out: 3 older trades.');
    expect(
      html.match(/<th scope="row">[^<]*<\/th><td class="optional">(long|short)/g),
    ).toHaveLength(200);
  });

  test('an existing file stays unless --force is given, and the file is for its owner alone', async () => {
    fill();
    const write = (...args: string[]) =>
      runHere(['report', '2026-11', ...args, ...home], { cwd: folder });
    expect((await write()).code).toBe(0);
    const path = join(folder, 'journal-2026-11.html');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { ino } = statSync(path);
    const again = await write();
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toMatch(
      /journal-2026-11\.html already exists; to replace it, pass --force/,
    );
    expect(statSync(path).ino).toBe(ino);
    // An empty one and a link, too; a folder is named as such.
    writeFileSync(join(folder, 'empty.html'), '');
    symlinkSync(path, join(folder, 'link.html'));
    for (const name of ['empty.html', 'link.html'])
      expect((await write('--out', name)).stderr).toContain(
        'already exists; to replace it, pass --force',
      );
    expect((await write('--out', folder, '--force')).stderr).toContain(
      'is a folder; name a file, such as',
    );
    expect((await write('--force', '--hide', 'money')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('Hidden: amounts');
    expect(readdirSync(folder)).toEqual([
      'empty.html',
      'journal-2026-11.html',
      'link.html',
    ]);
  });

  test('what exits made is in the headline, with the difference to closed trades, and commands stay out', async () => {
    const at = '2026-11-11T15:00:00.000Z';
    world.insert('trades', tradeRow('t-1', { executed_at: at, gross_pnl: 100 }));
    addUnmatched(world, 'ONDS', 18.3);
    const { html } = await report();
    expect(html).toContain('+$118.30');
    expect(html).toContain('Closed trades: +$100.00; unmatched closes +$18.30');
    expect(html).toContain('1 unmatched close of ONDS');
    expect(html).not.toContain('journal-api fill');
    const hidden = await report('--hide', 'money,symbols');
    expect(hidden.html).toMatch(/1 unmatched close of (?!ONDS)/);
    expect(hidden.html).not.toMatch(/18\.30|Closed trades:|ONDS/);
  });

  test('begins with the result in percent and in R, and the best and worst trades with their notes', async () => {
    fill();
    world.insert(
      'trades',
      tradeRow('earlier', { executed_at: '2026-10-05T15:00:00.000Z', gross_pnl: 1235 }),
    );
    const { html } = await report();
    const { data } = (
      await world.ask('/v1/analytics/summary?period=2026-11', { key: world.key() })
    ).body;
    const { return: of, total_r } = data.performance;
    const format = formatsOf({ timezone: 'America/New_York', base_currency: 'USD' });
    const first = html.slice(0, html.indexOf('class="rest'));
    expect(of.time_weighted).toBeGreaterThan(0);
    expect(first).toContain(
      `${format.signedPercent(of.time_weighted)}</strong> return on the`,
    );
    expect(first).toContain(`${format.r(total_r)}</strong> in 8 of 8 trades`);
    for (const part of ['Equity curve', 'November 2026', 'Best trades', 'Worst trades'])
      expect(first).toContain(part);
    expect(first.match(/<p class="fine">Zebra note/g)).toHaveLength(6);

    // A part of the journal has no balance.
    const ofAccount = await report('--accounts', 'main');
    expect(ofAccount.html).not.toContain('return on the balance');
  });

  test.each([
    [[], 'This report shows amounts alone'],
    [['--hide', 'money'], 'this report shows counts, rates and ratios'],
  ])('without balance and risks, with %j, it says what it shows', async (lens, words) => {
    world.db.prepare('UPDATE users SET starting_balance = NULL').run();
    world.insert('trades', tradeRow('t-1', { notes: 'Zebra note' }));
    const { html } = await report(...lens);
    expect(html).toContain(words);
    expect(html).toContain('Zebra note');
    expect(html).not.toMatch(/NaN|undefined|class="figure-value[^>]*>–/);
  });

  test('a period without trades is written and says so', async () => {
    const { code } = await runHere(['report', '2026-01-05', ...home], { cwd: folder });
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'journal-2026-01-05.html'), 'utf8')).toContain(
      'No trade was closed in this period',
    );
  });

  test.each([
    [['3q'], 2, /the period takes last_week.*got "3q"/],
    [
      ['--accounts', 'mian'],
      1,
      /no trade has the account "mian"; list the accounts with: journal-api account list/,
    ],
    [['--hide', 'amounts'], 2, /--hide takes money, texts, symbols/],
    [['--since', 'monday'], 2, /--since takes a day such as/],
    [['--out', '/dev/null/report.html'], 1, /can't write \/dev\/null\/report\.html: /],
  ])('%j is refused', async (args, code, words) => {
    fill();
    const refused = await runHere(['report', ...args, ...home], { cwd: folder });
    expect([refused.code, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toMatch(words);
    expect(readdirSync(folder)).toEqual([]);
  });
});

function elementsOf(html: string): {
  tags: Set<string>;
  attributes: [name: string, value: string][];
} {
  const tags = new Set<string>();
  const attributes: [string, string][] = [];
  const parser = new Parser({
    onopentag(name, given) {
      tags.add(name);
      attributes.push(...Object.entries(given));
    },
  });
  parser.end(html);
  return { tags, attributes };
}
