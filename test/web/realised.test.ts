/** Realised P&L where the dashboard shows the money of days, and what doesn't reconcile. */
import { describe, expect, test } from 'vitest';
import type { Lens } from '../../src/keys/lens.ts';
import { hasBrowser, visit } from '../chromium.ts';
import { addUnmatched, ROWS, tradeRow, World } from '../helpers.ts';
import { axeFindingsInBothSchemes, open, show, unfold } from './browse.ts';
import { serve } from './sample.ts';

const MONTH = '#/overview?period=2026-11';

interface Fill {
  at: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
}

const at = (day: string, side: Fill['side'], quantity: number, price: number): Fill => ({
  at: `${day}T15:00:00.000Z`,
  side,
  quantity,
  price,
});

function addTrade(world: World, id: string, fills: readonly Fill[], row: object): void {
  const [first] = fills as [Fill];
  world.insert('trades', { ...tradeRow(id, { executed_at: first.at }), ...row });
  for (const [position, { at: executed_at, ...fill }] of fills.entries())
    world.insert('executions', { trade_id: id, position, executed_at, ...fill });
}

/** Of November: closed trades +100, 12 of them in October, and +30 by a trade that is open. */
function journal(): World {
  const world = new World();
  const early = [at('2026-10-29', 'buy', 2, 100), at('2026-10-30', 'sell', 1, 112)];
  addTrade(world, 't-closed', [...early, at('2026-11-10', 'sell', 1, 188)], {
    quantity: 2,
    gross_pnl: 100,
    closed_at: '2026-11-10T15:00:00.000Z',
  });
  addTrade(
    world,
    't-open',
    [
      at('2026-11-11', 'buy', 2, 70),
      at('2026-11-12', 'sell', 0.5, 50),
      at('2026-11-12', 'sell', 0.5, 150),
    ],
    { status: 'open', closed_at: null, quantity: 2, open_quantity: 1, gross_pnl: 30 },
  );
  return world;
}

describe.skipIf(!hasBrowser)('realised P&L (needs Chromium)', () => {
  test('is in the headline, the calendar and the curve, and a line names the difference', async () => {
    const world = journal();
    addUnmatched(world, 'ONDS', 18.3);
    const { page, complaints } = await visit();
    await open(page, await serve(world), MONTH);
    expect(await page.locator('.figure-main').innerText()).toContain('+$136.30');
    expect(await page.locator('.difference').innerText()).toBe(
      'Closed trades: +$100.00; exits of open trades +$30.00; ' +
        'exits and costs of closed trades in other periods -$12.00; unmatched closes +$18.30',
    );

    const days = await page.locator('a.day').allInnerTexts();
    expect(days.map((text) => text.split('\n')[0])).toEqual([
      expect.stringMatching(/Nov.* 10.*: \+\$88\.00, 1 trade$/),
      expect.stringMatching(/Nov.* 12.*: \+\$30\.00, 2 exits$/),
      expect.stringMatching(/Nov.* 17.*: \+\$18\.30, 1 exit$/),
    ]);
    expect(await page.locator('.month caption').innerText()).toContain('+$136');

    expect(await page.locator('.reading').innerText()).toMatch(
      /\+\$136\.30[\s\S]* in 1 exit/,
    );
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.reading').innerText()).toMatch(
      /\+\$118\.00[\s\S]* in 2 exits/,
    );

    // A period without unmatched closes doesn't count those of the one before.
    await show(page, '#/overview?period=2026-10');
    expect(await page.locator('.difference').innerText()).toBe(
      'Closed trades: $0.00; exits and costs of closed trades in other periods +$12.00',
    );
    expect(complaints).toEqual([]);
  });

  test('its drawdown is one figure: that of the headline, and the deepest of the curve', async () => {
    const world = journal();
    world.insert(
      'trades',
      tradeRow('t-fall', { executed_at: '2026-11-12T18:00:00.000Z', gross_pnl: -50 }),
    );
    world.insert(
      'trades',
      tradeRow('t-rise', { executed_at: '2026-11-12T19:00:00.000Z', gross_pnl: 60 }),
    );
    const served = await serve(world);
    const { page } = await visit();
    await open(page, served, MONTH);
    await page.getByText('More figures').click();
    const figure = page.locator('.figure', {
      has: page.getByRole('button', { name: 'Max drawdown', exact: true }),
    });
    expect(await figure.locator('.figure-value').innerText()).toBe('-$50.00');
    await page.getByText('Show as a table: Equity curve').click();
    const falls = await page
      .locator('.table-behind tbody tr td:last-child')
      .allInnerTexts();
    expect(falls).toEqual(['$0.00', '$50.00']);
  });

  test('of a day with exits of other trades is that of the day, with its trades', async () => {
    const { page } = await visit();
    await open(page, await serve(journal()), '#/overview?period=2026-11-10');
    expect(await page.locator('.figure-main').innerText()).toContain('+$88.00');
    expect(await page.locator('.difference').innerText()).toBe(
      'Closed trades: +$100.00; exits and costs of closed trades in other periods -$12.00',
    );
    expect(await page.locator('.reading').innerText()).toContain('+$88.00');
    // No trade closes on it.
    await show(page, '#/overview?period=2026-11-12');
    expect(await page.locator('.figure-main').innerText()).toContain('+$30.00');
    await unfold(page);
    expect(await page.locator('.view').innerText()).toContain(
      'None closed on this day: its P&L is of exits and costs of others.',
    );
    expect(
      (await page.locator('.view').innerText()).match(/NaN|undefined|Infinity/),
    ).toBe(null);
  });

  test.each([
    ['USD', 'Never counted: 1 missed trade with a hypothetical P&L of +$80.00.'],
    ['EUR', 'Never counted: 1 missed trade.'],
  ])(
    'of missed trades in %s, only that in the base currency is named',
    async (currency, words) => {
      const world = journal();
      const row = ROWS['missed-trades']?.('m', '2026-11-10T15:00:00.000Z').row;
      world.insert('missed_trades', { ...row, hypothetical_pnl: 80, currency });
      const { page } = await visit();
      await open(page, await serve(world), MONTH);
      expect(await page.locator('.excluded').innerText()).toContain(words);
    },
  );

  test('of a day is drawn exit by exit, those of one instant as one step', async () => {
    const world = journal();
    addTrade(
      world,
      't-later',
      [
        at('2026-11-11', 'buy', 2, 100),
        { ...at('2026-11-12', 'sell', 1, 90), at: '2026-11-12T16:30:00.000Z' },
      ],
      {
        status: 'open',
        closed_at: null,
        quantity: 2,
        open_quantity: 1,
        gross_pnl: -10,
      },
    );
    const served = await serve(world);
    const { page } = await visit();
    await open(page, served, '#/overview?period=2026-11-12');
    const slider = page.getByRole('slider', { name: 'Equity curve, exit by exit' });
    expect(await slider.getAttribute('aria-valuemax')).toBe('2');
    expect(await page.locator('.reading').innerText()).toMatch(
      /^4:30 PM[\s\S]*\+\$20\.00[\s\S]*that exit -\$10\.00[\s\S]*drawdown \$10\.00/,
    );
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.reading').innerText()).toMatch(
      /^3:00 PM[\s\S]*\+\$30\.00[\s\S]*those 2 exits \+\$30\.00/,
    );
    // In R, exits aren't known.
    const lens: Lens = { accounts: null, since: null, hides: ['money'] };
    const key = world.key(undefined, undefined, undefined, lens);
    await open(page, { ...served, key }, '#/overview?period=2026-11-10');
    await page.locator('.figure-main').waitFor();
    expect(await page.getByRole('slider', { name: /exit by exit/ }).count()).toBe(0);
  });

  test('is a column of a trade, with the position after each fill', async () => {
    const served = await serve(journal());
    const { page } = await visit();
    await open(page, served, '#/trades/t-closed');
    const rows = page.getByRole('table', { name: 'Fills' }).locator('tbody tr');
    const cells = await rows.evaluateAll((all) =>
      all.map((row) => [...row.children].slice(-2).map(({ textContent }) => textContent)),
    );
    expect(cells).toEqual([
      ['', '2'],
      ['+$12.00', '1'],
      ['+$88.00', '0'],
    ]);
    await show(page, '#/trades/t-open');
    expect(await page.locator('.trade-result').innerText()).toMatch(
      /\+\$30\.00[\s\S]*still open/,
    );
  });

  test('has no line where nothing differs, and nothing is listed that reconciles', async () => {
    const world = new World();
    world.insert('trades', tradeRow('t-1', { executed_at: '2026-11-10T15:00:00.000Z' }));
    const { page } = await visit();
    await open(page, await serve(world), MONTH);
    expect(await page.locator('.headline').innerText()).toContain('+$1.00');
    expect(await page.locator('.difference, .not-reconciled').count()).toBe(0);
  });

  test('closes without an opening are listed with their commands, on a phone and in each scheme', async () => {
    const world = journal();
    addUnmatched(world, 'ONDS', 18.3);
    addUnmatched(world, 'META  251219C00715000', null);
    const served = await serve(world);
    const { page } = await visit();
    await open(page, served, MONTH);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      // Pictures follow the width in a later frame.
      const shown = () => page.evaluate('document.documentElement.scrollWidth');
      await expect.poll(shown).toBe(width);
      expect(await axeFindingsInBothSchemes(page, '.not-reconciled')).toEqual([]);
    }
    const card = page.locator('.not-reconciled');
    expect(await card.innerText()).toContain('1 row states a P&L, +$18.30 in all');
    expect(await card.locator('pre').allInnerTexts()).toEqual([
      `journal-api fill 'DATE TIME SIDE QUANTITY "META  251219C00715000" PRICE'`,
      'journal-api fill "DATE TIME SIDE QUANTITY ONDS PRICE"',
    ]);

    const hides = {
      accounts: null,
      since: null,
      hides: ['money', 'symbols'],
    } as Lens;
    const key = world.key(undefined, 'me', 'key_lens', hides);
    await open(page, { ...served, key }, MONTH);
    expect(await card.innerText()).toMatch(
      /2 unmatched closes of (?!.*ONDS).*1 row states a P&L,/s,
    );
    expect(await card.innerText()).not.toMatch(/\$|META/);
    expect(await card.locator('pre').count()).toBe(0);
  });

  test('closes are listed though the journal has no trade', async () => {
    const world = new World();
    addUnmatched(world, 'ONDS', null);
    const { page } = await visit();
    await open(page, await serve(world), MONTH);
    expect(await page.locator('.problem').innerText()).toContain('no trades yet');
    expect(await page.locator('.not-reconciled').innerText()).toContain(
      '1 unmatched close of ONDS',
    );
  });
});
