/** The first screen: how much, how good, what now; single keys; and nothing that moves or breaks. */

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Lens } from '../../src/keys/lens.ts';
import { setRules } from '../account-limits.ts';
import { AGAIN } from '../again.ts';
import { hasBrowser, visit } from '../chromium.ts';
import { sharedByTests, tradeRow, World } from '../helpers.ts';
import { axeFindings, open, settled, show, unfold } from './browse.ts';
import { type Served, serve, serveSample } from './sample.ts';

const WIDTHS = [
  [360, 844],
  [768, 1024],
  [1440, 900],
] as const;

/** A journal of a few trades in November, the first with a risk. */
function few(count: number): World {
  const world = new World();
  for (let i = 0; i < count; i++) {
    const day = `2026-11-${10 + (i % 9)}`;
    const at = { executed_at: `${day}T14:30:00.000Z`, closed_at: `${day}T15:30:00.000Z` };
    world.insert(
      'trades',
      tradeRow(`t-${i}`, { ...at, account: 'Prop', initial_risk: i === 0 ? 100 : null }),
    );
  }
  return world;
}

/** Sums the shifts of the layout while it loads, but for those that follow input. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`globalThis.moved = 0;
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) moved += value;
    }).observe({ type: 'layout-shift', buffered: true });`);
  return () => page.evaluate('moved');
}

/** Amounts and times that go on in a second line, words of tables that break, full cells. */
const BROKEN = `(() => {
  const broken = [];
  const texts = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const isCell = text.parentElement.closest('td') !== null;
    if (text.parentElement.closest('svg, pre, .markdown, .unseen')) continue;
    for (const { 0: part, index } of text.data.matchAll(/[\\d:]+ [AP]M|\\S+/g)) {
      if (!isCell && !/^[-+]?[$€]?[\\d,.]+%?$/.test(part)) continue;
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + part.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) broken.push(part);
    }
  }
  for (const cell of document.querySelectorAll('.heatmap td'))
    if (cell.scrollWidth > cell.clientWidth + 1) broken.push(cell.textContent);
  return broken;
})()`;

/** For tests that change nothing in it. */
const sample = sharedByTests(serveSample);

const headline = (page: Page) => page.locator('.headline').innerText();

describe.skipIf(!hasBrowser)('the first screen (needs Chromium)', () => {
  test.each([
    ['no trade', 0, false],
    ['one trade', 1, false],
    ['one trade and limits', 1, true],
    ['40 trades and limits', 40, true],
  ])(
    'almost nothing moves while a journal of %s loads',
    AGAIN,
    async (_, count, hasLimits) => {
      const world = few(count);
      if (hasLimits) setRules(world, 'Prop', { max_loss: 2000, daily_loss: 500 });
      const served = await serve(world);
      const { page } = await visit();
      const moved = await watchShifts(page);
      for (const [width, height] of WIDTHS) {
        await page.setViewportSize({ width, height });
        await open(page, served);
        await settled(page);
        expect([width, await moved()]).toEqual([
          width,
          expect.toSatisfy((sum: number) => sum < 0.01),
        ]);
      }
    },
  );

  test('it says how much, how good and what now, and names figures without a sample', async () => {
    const served = await serve(few(9));
    const { page } = await visit();
    await open(page, served, '#/overview?period=90d');
    const text = await headline(page);
    expect(text).toMatch(/^Realised P&L\n[+-]\$[\d,.]+\n+9 trades closed · /);
    expect(text).toMatch(/Win rate[\s\S]*95%[\s\S]*Profit factor[\s\S]*Expectancy/);
    expect(text).not.toMatch(/Sharpe\n|–\n|R\n/);
    expect(await page.locator('.now').innerText()).toContain(
      'No notes yet. To write about today',
    );

    await page.getByText('More figures').click();
    await expect
      .poll(() => headline(page))
      .toContain(
        'Not shown: Expectancy in R, SQN: from 20 trades with a risk, and a tenth of all; ' +
          '1 of 9 has one; Sharpe, Sortino: from 30 trading days, has 9.',
      );
  });

  test('limits come first, with the buffer and what is left today', async () => {
    const world = few(3);
    setRules(world, 'Prop', { max_loss: 2000, daily_loss: 500 });
    const { page } = await visit();
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, await serve(world), '#/overview?period=90d');
    const cards = page.locator('.limits, .headline');
    expect(
      await cards.evaluateAll((all) =>
        all.map((card) => card.querySelector('h2')?.textContent),
      ),
    ).toEqual(['Limits', 'More figures']);
    expect(await page.locator('.gauges').innerText()).toMatch(
      /^\$[\d,.]+ buffer\n+\$[\d,.]+ left today$/,
    );
  });

  test('a mean whose interval holds 0 has no colour, an amount has', async () => {
    const world = new World();
    for (const [i, gross] of [300, -100, -120, 80, -60].entries())
      world.insert('trades', tradeRow(`t-${i}`, { gross_pnl: gross, fees: 0 }));
    const { page } = await visit();
    await open(page, await serve(world), '#/overview?period=all');
    const classOf = (name: string) =>
      page
        .locator('.figure', { has: page.getByRole('button', { name, exact: true }) })
        .locator('.figure-value')
        .getAttribute('class');
    expect(await classOf('Realised P&L')).toContain('gain');
    expect(await classOf('Expectancy')).not.toMatch(/gain|loss/);
  });

  test('at 360 pixels no amount and no word of a table breaks in two', async () => {
    const served = sample();
    const { page } = await visit();
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, served, '#/overview?period=this_year');
    await unfold(page);
    for (const view of [
      '',
      '#/trades',
      '#/trades/t-0100',
      '#/overview?period=2026-11-20',
    ]) {
      if (view !== '') await show(page, view);
      for (const table of await page.locator('.table-behind > summary').all())
        await table.click();
      expect([view, await page.evaluate(BROKEN)]).toEqual([view, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    }
  });

  test('at 360 pixels tables fit without money, where each result in R has its number of trades', async () => {
    const world = few(40);
    const lens: Lens = { accounts: null, since: null, hides: ['money'] };
    const key = world.key(undefined, undefined, undefined, lens);
    const { page } = await visit();
    await page.setViewportSize({ width: 360, height: 740 });
    await open(
      page,
      { ...(await serve(world)), key },
      '#/overview?period=2026-11&unit=position',
    );
    await unfold(page);
    expect(await page.locator('.bars td').allInnerTexts()).toContain(
      '+0.01 R in 1 of 40',
    );
    expect(await page.evaluate(BROKEN)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  test('on a phone a trade has two lines, and filters unfold', async () => {
    const served = sample();
    const { page } = await visit();
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, served, '#/trades');
    const rows = page.locator('table.trades tbody tr:not(.space)');
    const [first] = await rows.all();
    expect((await first?.boundingBox())?.height).toBe(58);
    expect((await first?.boundingBox())?.y).toBeLessThan(400);
    expect(await page.getByLabel('Outcome').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Sort and filter' }).click();
    await page.getByLabel('Outcome').selectOption('loss');
    await settled(page);
    expect(page.url()).toContain('outcome=loss');
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Outcome').isVisible()).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('keys (need Chromium)', () => {
  const focused = (page: Page) =>
    page.evaluate('document.activeElement.name || document.activeElement.textContent');

  async function opened(view: string): Promise<[Page, Served]> {
    const served = sample();
    const { page } = await visit();
    await open(page, served, view);
    return [page, served];
  }

  test('/ searches, j and k move, brackets change the period, Escape closes', async () => {
    const [page] = await opened('#/overview?period=2026-10');
    await page.keyboard.press('[');
    await expect.poll(() => page.url()).toContain('period=2026-09');
    // The page follows its address a moment later.
    const next = page.locator('a[rel=next]').first();
    await expect.poll(() => next.getAttribute('href')).toContain('period=2026-10');
    await page.keyboard.press(']');
    await expect.poll(() => page.url()).toContain('period=2026-10');
    await page.getByLabel('Period', { exact: true }).last().selectOption('days');
    expect(await page.locator('.days-form').isVisible()).toBe(true);
    await settled(page);
    await page.keyboard.press('Escape');
    await page.locator('.days-form').waitFor({ state: 'detached' });

    await page.locator('h1').click();
    await page.keyboard.press('/');
    await expect.poll(() => focused(page)).toBe('q');
    expect(page.url()).toContain('#/trades');
    // A field takes the keys.
    await page.keyboard.type('j/k?[');
    expect(await page.getByRole('searchbox').inputValue()).toBe('j/k?[');
    await page.getByRole('searchbox').fill('');
    await page.keyboard.press('Enter');
    await settled(page);
    await page.locator('h1').click();
    const names = await page.locator('table.trades tbody th a').allInnerTexts();
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    expect(await focused(page)).toBe(names[0]);
  });

  test('? lists the keys, and they can be switched off for later visits', async () => {
    const [page, served] = await opened('#/overview?period=2026-10');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(await dialog.innerText()).toMatch(/Search[\s\S]*Close what is open/);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel('Shortcuts of a single key').uncheck();
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(false);
    await page.keyboard.press('[');
    await open(page, served, '#/overview?period=2026-08');
    await page.keyboard.press('[');
    await page.keyboard.press('?');
    expect(await dialog.isVisible()).toBe(false);
    expect(page.url()).toContain('period=2026-08');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    expect(await dialog.isVisible()).toBe(true);
  });
});
