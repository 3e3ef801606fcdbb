/** The page to look at, in a real browser, on the sample journal. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { hasBrowser, visit } from '../chromium.ts';
import { type Row, tradeRow, World } from '../helpers.ts';
import { open, seriousFindings, settled, show, VIEWS } from './browse.ts';
import { serve, serveSample } from './sample.ts';

test('its files are under 150 KB, compressed, and name nothing of other hosts to load', async () => {
  const world = new World();
  let bytes = 0;
  for (const path of ['/', '/assets/page.js', '/assets/page.css', '/assets/icon.svg']) {
    const reply = await world.app.request(path);
    expect([path, reply.status]).toEqual([path, 200]);
    const body = Buffer.from(await reply.arrayBuffer());
    // As it is sent: at the level that answers are compressed with.
    bytes += gzipSync(body, { level: 1 }).length;
    if (path === '/') expect(body.toString()).not.toMatch(/<script(?! src="assets\/)|<style|\son\w+=|https?:/);
  }
  expect(bytes).toBeLessThan(150_000);
});

describe.skipIf(!hasBrowser)('the page (needs Chromium)', { timeout: 120_000 }, () => {
  test('shows each view of the sample year, at each width, and asks no other host', async () => {
    const served = await serveSample();
    const { page, asked, complaints } = await visit();
    await open(page, served);
    for (const width of [360, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const view of VIEWS) {
        await show(page, view);
        expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, width]);
      }
    }
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(`${served.url}/`))).toEqual([]);
  });

  test('the overview says what the API says, and a click on a day lists its trades', async () => {
    const served = await serveSample();
    const { data } = (await served.world.ask('/v1/analytics/summary?period=last_month', { key: served.key })).body;
    const { page } = await visit();
    await open(page, served, '#/overview?period=last_month');
    const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', signDisplay: 'exceptZero' });
    const figure = (name: string) =>
      page
        .locator('.figure')
        .filter({ has: page.getByRole('button', { name, exact: true }) })
        .locator('.figure-value');
    expect(await figure('Net P&L').innerText()).toBe(money.format(data.performance.net_pnl));
    expect(await figure('Trades').innerText()).toBe(String(data.performance.trades));
    expect(await page.locator('button.day').count()).toBe(data.daily.length);
    expect(await page.locator('.left-out').innerText()).toContain('without an initial risk');

    await page.getByRole('button', { name: 'Win rate' }).focus();
    expect(await page.getByText('Wins over trades.').isVisible()).toBe(true);

    const day = data.daily.find((row: any) => row.trades > 1);
    await page.locator(`button.day[aria-label*="${day.trades} trades"]`).first().click();
    const list = page.locator('.day-trades tbody tr');
    await list.first().waitFor();
    expect(await list.count()).toBe(day.trades);
    expect(page.url()).toContain(`day=${day.date}`);

    // By keyboard, from day to day.
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe('1');
    await page.keyboard.press('ArrowRight');
    const second = data.daily[1];
    expect(await page.locator('.reading').innerText()).toContain(money.format(second.cumulative_net_pnl));
    await page.getByText('Show as a table: Equity curve').click();
    await expect.poll(() => page.locator('.table-behind table tbody tr').count()).toBe(data.daily.length);
  });

  test('trades are sorted and filtered by the API, the address holds how, and a row leads to its trade', async () => {
    const served = await serveSample();
    const { page } = await visit();
    await open(page, served, '#/trades');
    await page.getByRole('link', { name: 'Net P&L' }).click();
    await page.getByLabel('Outcome').selectOption('loss');
    await settled(page);
    expect(page.url()).toContain('sort=net_pnl');
    expect(page.url()).toContain('outcome=loss');
    const reply = await served.world.ask('/v1/trades?sort=net_pnl&outcome=loss&limit=1', { key: served.key });
    const [best] = reply.body.data;
    const first = page.locator('table.trades tbody tr:not(.space)').first();
    await expect.poll(() => first.innerText()).toContain(best.symbol);
    await first.getByRole('link').click();
    await settled(page);
    expect(page.url()).toContain(`#/trades/${best.id}`);
    expect(await page.locator('h1').innerText()).toBe(best.symbol);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(await page.locator('svg .fill').count()).toBeGreaterThan(1);
  });

  test('however many trades there are, only rows in view are drawn', async () => {
    const served = await serveSample();
    const { page } = await visit();
    await open(page, served, '#/trades');
    const lastRow = async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return page.locator('table.trades tbody tr:not(.space)').last().getAttribute('aria-rowindex');
    };
    const trades = served.world.db.prepare('SELECT count(*) FROM trades').pluck().get() as number;
    await expect.poll(lastRow, { timeout: 20_000 }).toBe(String(trades + 1));
    expect(await page.locator('table.trades tbody tr').count()).toBeLessThan(70);
    const row = page.locator('table.trades tbody tr:not(.space)').last();

    // Back from a trade, the reader is where he was.
    await expect.poll(() => page.evaluate('history.state?.scrolledTo === scrollY')).toBe(true);
    await row.getByRole('link').click();
    await page.locator('.trade-head').waitFor();
    await page.goBack();
    await expect.poll(() => row.getAttribute('aria-rowindex')).toBe(String(trades + 1));
  });

  test('the journal is one feed, newest first, and can be searched', async () => {
    const served = await serveSample();
    const { page } = await visit();
    await open(page, served, '#/journal');
    const kinds = await page.locator('.item-kind').allInnerTexts();
    expect(new Set(kinds).size).toBeGreaterThan(2);
    await page.getByRole('searchbox').fill('"no chasing"');
    await page.getByRole('button', { name: 'Search' }).click();
    await settled(page);
    const texts = await page.locator('.item').allInnerTexts();
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => !/no chasing/i.test(text))).toEqual([]);

    await show(page, '#/journal?kind=reviews');
    expect(new Set(await page.locator('.item-kind').allInnerTexts())).toEqual(new Set(['Review']));
  });

  test('whatever is written in it, the journal stays in its width and in its writing direction', async () => {
    const world = new World();
    const wide = [
      'x'.repeat(2000),
      `|${' a |'.repeat(200)}\n|${'-|'.repeat(200)}\n|${' b |'.repeat(200)}`,
      `${'> '.repeat(80)}deep`,
      `${'\t'.repeat(30)}${'code '.repeat(300)}`,
      `${Array.from({ length: 40 }, (_, i) => `${'  '.repeat(i)}- item`).join('\n')}`,
    ];
    const turned = '\u202egnihton fo';
    world.insert('trades', tradeRow('t-1', { symbol: turned, account: turned }));
    for (const [i, body] of wide.entries()) {
      const at = `2026-11-1${i}T10:00:00.000Z`;
      const said = { title: i === 0 ? wide[0] : turned, body, lesson: body };
      world.insert('trade_journals', {
        id: `j-${i}`,
        trade_id: 't-1',
        phase: 'review',
        created_at: at,
        ...said,
      } as Row);
    }
    const { page } = await visit();
    await open(page, await serve(world), '#/journal');
    expect(await page.locator('.item').count()).toBe(wide.length);
    for (const width of [360, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([width, width]);
      const beyond = `[...document.querySelectorAll('.item')].filter((item) => item.scrollWidth > item.clientWidth).length`;
      expect([width, await page.evaluate(beyond)]).toEqual([width, 0]);
    }
    // What stands behind such a text in the same line is not turned round: each has an element that isolates it.
    const leaking = `[...document.querySelectorAll('.item *')].filter((element) => [...element.childNodes].some((node) =>
      node.nodeType === Node.TEXT_NODE && node.data.includes('\u202e')) &&
      !/isolate|plaintext/.test(getComputedStyle(element).unicodeBidi)).length`;
    expect(await page.evaluate(leaking)).toBe(0);
  });

  test("the agent's view is the summary as sent", async () => {
    const served = await serveSample();
    const { page } = await visit();
    await open(page, served, '#/agent');
    const reply = await served.world.ask('/v1/summary', { key: served.key });
    expect(JSON.parse(await page.locator('.json').innerText())).toEqual(reply.body);
    expect(await page.getByText('tokens').first().innerText()).toMatch(/[\d,]+ tokens/);
    expect(await page.locator('.checks .kept').count()).toBe(7);
  });

  test.each(['light', 'dark'] as const)('axe-core finds nothing serious in the %s scheme', async (colorScheme) => {
    const served = await serveSample();
    const { page } = await visit();
    await page.emulateMedia({ colorScheme });
    const found: Record<string, string[]> = {};
    await page.goto(served.url);
    await page.locator('.gate').waitFor();
    found['gate'] = await seriousFindings(page);
    await open(page, served);
    for (const view of VIEWS) {
      await show(page, view);
      found[view] = await seriousFindings(page);
    }
    expect(found).toEqual(Object.fromEntries(['gate', ...VIEWS].map((view) => [view, []])));
  });

  test('nothing moves where motion is not wanted, and a window prints on one sheet', async () => {
    const served = await serveSample();
    const { page } = await visit();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, served, '#/overview?period=all');
    const moving = `[...document.querySelectorAll('*')].filter((element) => {
      const { animationName, transitionDuration } = getComputedStyle(element);
      return animationName !== 'none' || transitionDuration !== '0s';
    }).length`;
    expect(await page.evaluate(moving)).toBe(0);
    for (const period of ['all', 'this_year', 'last_month']) {
      await show(page, `#/overview?period=${period}`);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect([period, pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length]).toEqual([period, 1]);
    }
  });
});
