/** A journal of spreads has the same two tables, by trade and by position, by every way in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasBrowser, visit } from '../chromium.ts';
import { NOW, sharedByTests, temporaryFolder } from '../helpers.ts';
import {
  byPosition,
  byTrade,
  fillSpreads,
  SPREADS,
  type Table,
} from '../journal/spreads.ts';
import { call, connectOverHttp, mcpWorld } from '../mcp/connect.ts';
import { runHere } from '../program.ts';
import { open, show } from './browse.ts';
import { serve } from './sample.ts';

const TRUTHS = { trade: byTrade(), position: byPosition() } as const;
type Unit = keyof typeof TRUTHS;
const UNITS = ['trade', 'position'] as const;

/** Figures of a table as a page or terminal shows them. */
function written({ trades, win_rate, profit_factor }: Table) {
  return {
    trades: String(trades),
    winRate: `${(100 * win_rate).toFixed(1).replace(/\.0$/, '')}%`,
    profitFactor: profit_factor.toFixed(2),
  };
}

const close = (table: Table) => ({
  trades: table.trades,
  net_pnl: expect.closeTo(table.net_pnl, 6),
  win_rate: expect.closeTo(table.win_rate, 3),
  profit_factor: expect.closeTo(table.profit_factor, 3),
});

const service = sharedByTests(() => {
  const world = mcpWorld({ timezone: 'America/New_York' });
  world.now = NOW;
  fillSpreads(world);
  return serve(world);
});

/** The figure after a name in a text of lines. */
const after = (text: string, name: string) =>
  new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(text)?.[1];

test('the two tables differ', () => {
  expect(TRUTHS.trade.win_rate).toBeLessThan(TRUTHS.position.win_rate - 0.1);
  expect(TRUTHS.trade.trades).toBeGreaterThan(1.5 * TRUTHS.position.trades);
});

test.each(UNITS)('over HTTP, as JSON and CSV, by %s', async (unit) => {
  const { world, key } = service();
  for (const path of ['/v1/analytics/summary?', '/v1/summary?days=365&end=2026-11-20&']) {
    const { body } = await world.ask(`${path}unit=${unit}`, { key });
    expect(body.data.performance).toMatchObject(close(TRUTHS[unit]));
  }
  const asCsv = { key, headers: { Accept: 'text/csv' } };
  const csv = await world.ask(`/v1/analytics/summary?unit=${unit}&group_by=year`, asCsv);
  const [names = '', row = ''] = csv.text.split('\r\n');
  const cells = Object.fromEntries(
    names.split(',').map((name, i) => [name, Number(row.split(',')[i])]),
  );
  expect(cells).toMatchObject(close(TRUTHS[unit]));
  const list = await world.ask(`/v1/${unit}s?limit=1000&fields=net_pnl`, asCsv);
  const nets = list.text.trimEnd().split('\r\n').slice(1);
  expect(nets).toHaveLength(TRUTHS[unit].trades);
});

test('without a unit, /v1 says how many of its trades are legs', async () => {
  const { world, key } = service();
  const groups = SPREADS.filter(({ strategy }) => strategy !== null);
  const legs = groups.reduce((sum, own) => sum + own.legs.length, 0);
  const { body } = await world.ask('/v1/analytics/summary', { key });
  expect(body.hint).toBe(
    `${legs} of ${TRUTHS.trade.trades} trades are legs of ${groups.length} positions; ` +
      'add unit=position',
  );
});

test('over MCP, by position unless asked otherwise', async () => {
  const { url, key } = service();
  const client = await connectOverHttp('2.4, automatic', `${url}/mcp`, key);
  for (const [tool, period] of [
    ['analyze_performance', 'all'],
    ['journal_summary', '1y'],
  ] as const) {
    for (const unit of [undefined, ...UNITS]) {
      const { performance } = await call(client, tool, { period, ...(unit && { unit }) });
      expect(performance).toMatchObject(close(TRUTHS[unit ?? 'position']));
    }
  }
  const found = await call(client, 'find_trades', { limit: 50 });
  expect(found.matches).toMatchObject({ trades: SPREADS.length });
  expect(found.trades.rows).toHaveLength(SPREADS.length);
});

const unitOf = (unit: Unit | undefined) => (unit === undefined ? [] : ['--unit', unit]);

/** Without a unit, and with each; the words are for the tests' titles. */
const CHOICES: readonly (readonly [words: string, unit: Unit | undefined])[] = [
  ['position unless asked otherwise', undefined],
  ...UNITS.map((unit) => [unit, unit] as const),
];

test.each(CHOICES)('in the terminal and a report, by %s', async (_, unit) => {
  const { world } = service();
  const home = ['--home', world.files.home, ...unitOf(unit)];
  const figures = written(TRUTHS[unit ?? 'position']);
  const { stdout } = await runHere(['summary', '--period', 'all', ...home]);
  expect([
    after(stdout, 'Trades'),
    after(stdout, 'Win rate'),
    after(stdout, 'Profit factor'),
  ]).toEqual([figures.trades, figures.winRate, figures.profitFactor]);

  const out = join(temporaryFolder(), 'report.html');
  expect((await runHere(['report', 'all', '--out', out, ...home])).code).toBe(0);
  const text = readFileSync(out, 'utf8').replaceAll(/<[^>]+>/g, ' ');
  expect(text).toContain(` ${figures.winRate} `);
  expect(text).toMatch(new RegExp(`Profit factor\\s.*?${figures.profitFactor}`));
  expect(text.includes('legs of a spread count as one')).toBe(unit !== 'trade');
});

test.skipIf(!hasBrowser)(
  'on the page, by position unless asked otherwise, and by each (needs Chromium)',
  async () => {
    const { page } = await visit();
    await open(page, service());
    for (const [words, unit] of CHOICES) {
      const query = unit === undefined ? '' : `&unit=${unit}`;
      await show(page, `#/overview?period=all${query}`);
      const figures = written(TRUTHS[unit ?? 'position']);
      const headline = await page.locator('.headline').innerText();
      expect([words, headline]).toEqual([
        words,
        expect.stringMatching(
          new RegExp(`^${figures.trades} (trades|positions) closed`, 'm'),
        ),
      ]);
      expect(headline).toMatch(new RegExp(`Win rate\\s+${figures.winRate}`));
      expect(headline).toMatch(new RegExp(`Profit factor\\s+${figures.profitFactor}`));
      await show(page, `#/trades?${query}`);
      expect(await page.locator('.totals').innerText()).toContain(
        `in ${figures.trades} closed`,
      );
    }
  },
);
