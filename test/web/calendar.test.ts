/** The calendar, and the pages of a day and a week behind it. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser, visit } from '../chromium.ts';
import { ROWS, tradeRow, World } from '../helpers.ts';
import { axeFindings, axeFindingsInBothSchemes, open, show } from './browse.ts';
import { serve, serveSample } from './sample.ts';

/** Amounts that are cut by their cell. */
const CUT = `[...document.querySelectorAll('a.day, .month td.week-sum')].filter(
  (cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText)`;

/** The picture behind each day with a loss. */
const HATCHES = `[...new Set([...document.querySelectorAll('a.day.loss')].map(
  (day) => getComputedStyle(day).backgroundImage))]`;

const shown = (page: Page, selector: string) =>
  page.locator(selector).filter({ visible: true }).allInnerTexts();

async function expectAmounts(
  page: Page,
  months: number,
  widths: readonly number[],
): Promise<void> {
  const days = await page.locator('a.day').count();
  expect(await page.locator('.month').count()).toBeGreaterThanOrEqual(months);
  expect(await page.locator('.week-sum a').count()).toBeGreaterThan(months * 3);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const amounts = await shown(page, '.day-sum span');
    expect([width, amounts.length]).toEqual([width, days]);
    expect(amounts.filter((text) => !/^[+-][\d.,]+K?$/.test(text))).toEqual([]);
    expect([width, await page.evaluate(CUT)]).toEqual([width, []]);
  }
}

describe.skipIf(!hasBrowser)('the calendar (needs Chromium)', () => {
  test('has an amount in each day and each week, of three months and of a year, at each width', async () => {
    const { page, complaints } = await visit();
    await open(page, await serveSample(), '#/overview?period=all');
    await expectAmounts(page, 12, [360, 1280]);
    await show(page, '#/overview?period=90d');
    await expectAmounts(page, 3, [360, 390, 768, 1280, 1440]);

    // As strong on the worst day as on the mildest.
    expect(await page.evaluate(HATCHES)).toHaveLength(1);
    expect(await axeFindingsInBothSchemes(page, '.calendar')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a day has the notes on its trades in their order, and says what filters leave whole', async () => {
    const world = new World();
    const hours = { early: '14', late: '19' };
    for (const [id, hour] of Object.entries(hours)) {
      const at = `2026-11-10T${hour}:30:00.000Z`;
      const row = { executed_at: at, account: 'main', notes: `${id} note` };
      world.insert('trades', tradeRow(id, row));
      const entry = {
        id,
        trade_id: id,
        phase: 'review',
        body: `${id} body`,
        created_at: at,
      };
      world.insert('trade_journals', entry);
    }
    world.insert(
      'trades',
      tradeRow('silent', { executed_at: '2026-11-10T16:30:00.000Z' }),
    );
    const missed = ROWS['missed-trades']?.('m-1', '2026-11-10T15:00:00.000Z');
    if (missed) world.insert(missed.table, missed.row);

    const served = await serve(world);
    const { page, complaints } = await visit();
    await open(page, served, '#/overview?period=2026-11-10');
    const notes = page.locator('.day-notes');
    expect(await notes.innerText()).toMatch(
      /early note[\s\S]*early body[\s\S]*late note[\s\S]*late body/,
    );
    expect(await notes.locator('h3 a').count()).toBe(2);
    expect(await page.getByText('filters don’t apply').count()).toBe(0);

    await show(page, '#/overview?period=2026-11-10&account=main');
    await page.getByText('Of the whole day: filters don’t apply here.').waitFor();
    const excluded = page.locator('.excluded');
    expect(await excluded.innerText()).toMatch(/1 missed trade, whatever the account\./);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the filter by side offers credit and debit by position alone', async () => {
    const { page } = await visit();
    const world = new World();
    world.insert('trades', tradeRow('t-1'));
    await open(page, await serve(world), '#/overview?period=all&unit=position');
    const sides = async () => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Filter by').selectOption('side');
      return page.locator('.filter-form select[name=key] option').allInnerTexts();
    };
    expect(await sides()).toEqual(['long', 'short', 'credit', 'debit']);

    await show(page, '#/overview?period=all&side=credit&unit=position');
    await page.getByRole('button', { name: 'By position' }).click();
    await page.locator('.headline').waitFor();
    expect(page.url()).not.toContain('side=');
    await page.reload();
    await page.locator('.headline').waitFor();
    expect(await sides()).toEqual(['long', 'short']);
  });
});
