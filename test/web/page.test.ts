/** The dashboard in a real browser, on the sample journal. */

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Hidden } from '../../src/keys/lens.ts';
import { weekName } from '../../src/time.ts';
import { setRules } from '../account-limits.ts';
import { AGAIN } from '../again.ts';
import { hasBrowser, visit, visitAlone } from '../chromium.ts';
import { type Row, sharedByTests, tradeRow, World } from '../helpers.ts';
import {
  axeFindings,
  axeFindingsInBothSchemes,
  open,
  settled,
  show,
  unfold,
  VIEWS,
} from './browse.ts';
import { serve, serveSample } from './sample.ts';

test('its files are under 150 KB compressed and load nothing from other hosts', async () => {
  const world = new World();
  let bytes = 0;
  for (const path of ['/', '/assets/page.js', '/assets/page.css', '/assets/icon.svg']) {
    const reply = await world.app.request(path);
    expect([path, reply.status]).toEqual([path, 200]);
    const body = Buffer.from(await reply.arrayBuffer());
    // At the compression level of responses.
    bytes += gzipSync(body, { level: 1 }).length;
    if (path === '/')
      expect(body.toString()).not.toMatch(
        /<script(?! src="assets\/)|<style|\son\w+=|https?:/,
      );
  }
  expect(bytes).toBeLessThan(150_000);
});

describe.skipIf(!hasBrowser)('the dashboard (needs Chromium)', () => {
  // For tests that change nothing in it.
  const sample = sharedByTests(serveSample);

  test('each view of the sample year fits each width and loads nothing from other hosts', async () => {
    const served = sample();
    const { page, asked, complaints } = await visit();
    const shownWidth = () => page.evaluate('document.documentElement.scrollWidth');
    await open(page, served);
    for (const view of VIEWS) {
      await page.setViewportSize({ width: 360, height: 800 });
      await show(page, view);
      expect([view, await shownWidth()]).toEqual([view, 360]);
      for (const width of [800, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await settled(page);
        expect([view, await shownWidth()]).toEqual([view, width]);
      }
    }
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(`${served.url}/`))).toEqual([]);
  });

  test.each<[string, readonly Hidden[]]>([
    ['everything, without money and texts', ['money', 'texts']],
    ['everything, without money, texts and prices', ['money', 'texts', 'symbols']],
  ])(
    'a key that shows %s gets every view without the rest, in R',
    async (words, hides) => {
      const served = sample();
      const key = served.world.key(undefined, 'me', undefined, {
        accounts: null,
        since: null,
        hides,
      });
      const { page, complaints } = await visit();
      await open(page, { ...served, key });
      const asShown = await served.world.ask('/v1/trades?order=asc&limit=1', {
        key,
        lens: true,
      });
      for (const view of VIEWS.map((view) =>
        view.replace('t-0100', asShown.body.data[0].id),
      )) {
        await show(page, view);
        const lines = (await page.locator('.view').innerText()).split('\n');
        expect([
          view,
          lines.filter((line) => /NaN|undefined|which this key hides/.test(line)),
        ]).toEqual([view, []]);
      }
      expect(await page.locator('.view').innerText()).toContain(words);
      await show(page, VIEWS[0] as string);
      const asked = '/v1/analytics/summary?period=90d&unit=position&sections=performance';
      const reply = await served.world.ask(asked, { key: served.key });
      const { total_r, win_rate } = reply.body.data.performance;
      const headline = await page.locator('.headline').innerText();
      expect(headline).toContain(`+${total_r.toFixed(2)} R`);
      expect(headline).toContain(`${(win_rate * 100).toFixed(1)}%`);
      await unfold(page);
      const all = await page.locator('.view').innerText();
      expect(all.split('\n').filter((line) => /NaN|undefined|\$/.test(line))).toEqual([]);
      expect(all).toMatch(/days up · best \+[\d.]+ R · worst -[\d.]+ R/);
      expect(all).toMatch(/Best trade\s+\+[\d.]+ R · show/);
      expect(complaints).toEqual([]);
    },
  );

  test('the overview shows the figures of the API', async () => {
    const served = sample();
    const { data } = (
      await served.world.ask('/v1/analytics/summary?period=last_month&unit=position', {
        key: served.key,
      })
    ).body;
    const { page } = await visit();
    await open(page, served, '#/overview?period=last_month');
    const money = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      signDisplay: 'exceptZero',
    });
    const figure = (name: string) =>
      page
        .locator('.figure')
        .filter({ has: page.getByRole('button', { name, exact: true }) })
        .locator('.figure-value');
    expect(await figure('Realised P&L').innerText()).toBe(
      money.format(data.performance.realised_pnl),
    );
    expect(await page.locator('.headline').innerText()).toMatch(
      new RegExp(
        `${data.performance.trades} positions closed.*legs of a spread count as one`,
      ),
    );
    expect(await page.locator('a.day').count()).toBe(data.realised.length);
    expect(await page.locator('.excluded').innerText()).toContain('Without a stop price');

    await page.getByRole('button', { name: 'Win rate' }).focus();
    expect(await page.getByText('Wins over trades.').isVisible()).toBe(true);

    // By keyboard, from day to day.
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe('1');
    await page.keyboard.press('ArrowRight');
    const second = data.realised[1];
    expect(await page.locator('.reading').innerText()).toContain(
      money.format(second.cumulative_net_pnl),
    );
    await page.getByText('Show as a table: Equity curve').click();
    await expect
      .poll(() => page.locator('.table-behind table tbody tr').count())
      .toBe(data.realised.length);
  });

  test('trades are sorted and filtered as the address states, and a row links to its trade', async () => {
    const served = sample();
    const { page } = await visit();
    await open(page, served, '#/trades?unit=trade');
    await page.getByRole('link', { name: 'Net P&L' }).click();
    await page.getByLabel('Outcome').selectOption('loss');
    await settled(page);
    expect(page.url()).toContain('sort=net_pnl');
    expect(page.url()).toContain('outcome=loss');
    const reply = await served.world.ask('/v1/trades?sort=net_pnl&outcome=loss&limit=1', {
      key: served.key,
    });
    const [best] = reply.body.data;
    const first = page.locator('table.trades tbody tr:not(.space)').first();
    expect(best.option_type).toBe('call');
    const name = new RegExp(`^${best.underlying} ${best.strike} C `);
    const shown = () => first.getByRole('link').innerText();
    await expect.poll(shown).toMatch(name);
    await first.getByRole('link').click();
    await settled(page);
    expect(page.url()).toContain(`#/trades/${best.id}`);
    expect(await page.locator('h1').innerText()).toMatch(name);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    const fills = page.getByRole('table', { name: 'Fills' }).locator('tbody tr');
    expect(await fills.count()).toBeGreaterThan(1);
  });

  test('a middle click or Ctrl-click anywhere on a row opens its trade in a new tab', async () => {
    const world = new World();
    world.insert('trades', tradeRow('t-1'));
    const served = await serve(world);
    const { page } = await visit();
    await open(page, served, '#/trades');
    const net = page.locator('table.trades tbody td').last();
    // The link covers the cell.
    const clicks: { button?: 'middle'; modifiers?: ['Control'] }[] = [
      { button: 'middle' },
      { modifiers: ['Control'] },
    ];
    for (const click of clicks) {
      const [tab] = await Promise.all([
        page.context().waitForEvent('page'),
        net.click({ ...click, force: true }),
      ]);
      expect(tab.url()).toBe(`${served.url}/#/trades/t-1`);
      expect(page.url()).toBe(`${served.url}/#/trades`);
      await tab.close();
    }
  });

  test('on a phone, the whole name of an option is visible, and R only if a trade has one', async () => {
    const world = new World();
    const option = {
      market: 'option',
      symbol: 'META  251219C00715000',
      underlying: 'META',
      multiplier: 100,
    } as const;
    const contract = {
      expiration: '2025-12-19',
      strike: 715,
      option_type: 'call',
    } as const;
    world.insert('trades', tradeRow('t-1', { ...option, ...contract }));
    const served = await serve(world);
    const { page } = await visit();
    await page.setViewportSize({ width: 390, height: 800 });
    const name = page.locator('table.trades tbody th', { hasText: 'META' });
    const hidden = () =>
      name.evaluate(
        (cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > 40,
      );
    const hasR = () => page.locator('table.trades tbody td.r').first().isVisible();
    await open(page, served, '#/trades');
    expect([await name.innerText(), await hidden(), await hasR()]).toEqual([
      'META 715 C Dec 19, 25',
      false,
      false,
    ]);
    world.insert('trades', tradeRow('t-2', { initial_risk: 100 }));
    await open(page, served, '#/trades');
    expect([await hidden(), await hasR()]).toEqual([false, true]);
  });

  test('filters are added by keyboard, kept in the address and between views, and removed', async () => {
    const served = sample();
    const { page } = await visit();
    const positions = async () =>
      /(\d+) positions closed/.exec(await page.locator('.headline').innerText())?.[1];
    await open(page, served, '#/overview?period=all');
    await page.getByRole('button', { name: 'Filter', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page
      .locator('.filter-form')
      .getByLabel(/^Filter by/)
      .selectOption('side');
    await page.locator('.filter-form').getByLabel(/^Is/).selectOption({ label: 'short' });
    await page.getByRole('button', { name: 'Only these' }).focus();
    await page.keyboard.press('Enter');
    await settled(page);
    const asked = async (query: string) =>
      (
        await served.world.ask(`/v1/analytics/summary?unit=position&${query}`, {
          key: served.key,
        })
      ).body.data;
    const short = await asked('side=short');
    expect(await positions()).toBe(String(short.performance.trades));

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page
      .locator('.filter-form')
      .getByLabel(/^Filter by/)
      .selectOption('weekday');
    await page
      .locator('.filter-form')
      .getByLabel(/^Is/)
      .selectOption({ label: 'Friday' });
    await page.getByRole('button', { name: 'Without these' }).click();
    await settled(page);
    const { what_if } = await asked('side=short&exclude={"weekday":5}');
    const money = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      signDisplay: 'exceptZero',
    });
    const table = page.locator('table.what-if');
    expect(await table.innerText()).toContain(money.format(what_if.without.net_pnl));
    expect(await table.innerText()).toContain(money.format(what_if.actual.net_pnl));
    // Every figure is without them.
    expect(await positions()).toBe(String(what_if.without.trades));
    expect(decodeURIComponent(page.url())).toMatch(
      /period=all.*side=short.*exclude=\{"weekday":\[5\]\}/,
    );

    await page.getByRole('link', { name: 'Trades', exact: true }).click();
    await settled(page);
    expect(await page.locator('.chip').allInnerTexts()).toEqual([
      expect.stringContaining('Side: short'),
      expect.stringMatching(/without Weekday: Friday \(figures only\)/),
    ]);
    expect(await page.locator('.totals').innerText()).toContain(
      `${short.performance.trades} closed positions`,
    );
    expect(await page.locator('.totals').innerText()).toContain(
      money.format(short.performance.net_pnl),
    );

    await page.getByRole('link', { name: 'Clear filters' }).click();
    await settled(page);
    expect(await page.locator('.chip').count()).toBe(0);
  });

  test('arrows move the period from month to month, and from week to week', async () => {
    const served = sample();
    const { page } = await visit();
    await open(page, served, '#/overview?period=2026-10');
    const days = async () =>
      (await page.locator('.month caption').allInnerTexts()).map(
        (text) => text.split('\n')[0],
      );
    expect(await days()).toEqual(['October 2026']);
    await page.getByRole('link', { name: 'September 2026' }).click();
    await settled(page);
    expect(page.url()).toContain('period=2026-09');
    expect(await days()).toEqual(['September 2026']);
    await show(page, '#/overview?period=2026-W40');
    await page.getByRole('link', { name: 'Sep 21 – Sep 27, 2026' }).click();
    await settled(page);
    expect(page.url()).toContain('period=2026-W39');
  });

  test('a new period asks for its first figures first, and for nothing of the previous period', async () => {
    const served = sample();
    const { page, asked } = await visit();
    await open(page, served, '#/overview?period=last_month');
    asked.length = 0;
    await show(page, '#/overview?period=2026-09&side=long');
    await unfold(page);
    const requests = asked
      .filter((url) => url.includes('/v1/'))
      .map((url) => new URL(url));
    expect(requests[0]?.searchParams.get('sections')).toBe(
      'performance,daily,realised,open,missed,limits',
    );
    const lists = requests
      .filter(({ pathname }) => pathname === '/v1/trades')
      .map(({ searchParams }) => searchParams);
    expect(lists.length).toBeGreaterThan(0);
    expect(
      lists.filter(
        (query) => query.get('side') !== 'long' || query.get('start') !== '2026-09-01',
      ),
    ).toEqual([]);
  });

  test(
    'what is read first fits on one screen, and almost nothing moves while it loads',
    AGAIN,
    async () => {
      // A service that has computed nothing yet, so that everything comes late.
      const served = await serveSample();
      const { page } = await visit();
      await page.addInitScript(`globalThis.moved = 0;
      new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) moved += value;
      }).observe({ type: 'layout-shift', buffered: true });`);
      for (const [width, height] of [
        [390, 844],
        [768, 1024],
        [1440, 900],
      ] as const) {
        await page.setViewportSize({ width, height });
        await open(page, served, '#/overview?period=90d');
        expect([width, (await page.evaluate('moved')) as number]).toEqual([
          width,
          expect.toSatisfy((moved: number) => moved < 0.05),
        ]);
      }
      const bottom = await page
        .locator('.first')
        .evaluate((element) => element.getBoundingClientRect().bottom);
      expect(bottom).toBeLessThan(900);
      expect(await page.locator('.first').innerText()).toMatch(
        /Equity curve[\s\S]*What costs, what pays/,
      );
      expect(await page.locator('.headline').innerText()).toMatch(
        /Realised P&L[\s\S]*95%: /,
      );
    },
  );

  test('a part that was opened stays open, in another period and after a reload', async () => {
    const served = sample();
    const { page } = await visit();
    await open(page, served, '#/overview?period=90d');
    const groups = page.locator('.fold', {
      has: page.getByRole('heading', { name: 'Reports' }),
    });
    expect(await groups.getAttribute('open')).toBe(null);
    // The page stores what is open at the element's event, which follows the click: a reload before it would lose it.
    const bySetup = groups.getByRole('heading', { name: 'By setup' });
    const shown = () => bySetup.count();
    await groups.locator('summary').click();
    await expect.poll(shown).toBe(1);
    await show(page, '#/overview?period=2026-10');
    expect(await bySetup.isVisible()).toBe(true);
    await page.reload();
    await settled(page);
    await bySetup.waitFor();
    await groups.locator('summary').first().click();
    await expect.poll(shown).toBe(0);
    await page.reload();
    await settled(page);
    expect(await groups.getAttribute('open')).toBe(null);
    expect(await shown()).toBe(0);
  });

  test('the calendar opens a day: its curve by exit, its session and its positions', async () => {
    const served = sample();
    const { data } = (
      await served.world.ask('/v1/analytics/summary?period=2026-10&unit=position', {
        key: served.key,
      })
    ).body;
    const { page } = await visit();
    await open(page, served, '#/overview?period=2026-10');
    const day = data.daily.find((row: any) => row.trades > 1);
    await page.locator(`a.day[href*="${day.date}"]`).click();
    await settled(page);
    expect(page.url()).toContain(`period=${day.date}`);
    const list = page.locator('.card', {
      has: page.getByRole('heading', { name: 'Positions', exact: true }),
    });
    await expect.poll(() => list.locator('tbody tr').count()).toBe(day.trades);
    const { realised_steps } = (
      await served.world.ask(
        `/v1/analytics/summary?period=${day.date}&sections=realised_steps`,
        {
          key: served.key,
        },
      )
    ).body.data;
    const slider = page.getByRole('slider', { name: 'Equity curve, exit by exit' });
    expect(await slider.getAttribute('aria-valuemax')).toBe(
      String(realised_steps.length),
    );
    const money = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      signDisplay: 'exceptZero',
    });
    expect(await page.locator('.reading strong').innerText()).toBe(
      money.format(day.net_pnl),
    );
    const { body } = await served.world.ask(
      `/v1/sessions?start=${day.date}&end=${day.date}`,
      {
        key: served.key,
      },
    );
    expect(await page.locator('.first .item-session').count()).toBe(body.data.length);
    await list.getByRole('link').first().click();
    await page.locator('.trade-head').waitFor();
  });

  test('a week shows its review, and a day its session though nothing closed', async () => {
    const served = sample();
    const { key } = served;
    const asked = async (path: string) =>
      (await served.world.ask(path, { key })).body.data;
    const [review] = await asked('/v1/weekly-reviews?limit=1&end=2026-11-15');
    const sessions = await asked('/v1/sessions?limit=100');
    const idle = sessions.find(
      ({ metrics }: any) => metrics.trades + metrics.realised_pnl === 0,
    );

    const { page } = await visit();
    await open(page, served, `#/overview?period=${weekName(review.period_start)}`);
    expect(await page.locator('.item-review').innerText()).toContain(review.lesson);
    await show(page, `overview?period=${idle.date}`);
    await page.getByText('No trades were closed in this period').waitFor();
    expect(await page.locator('.item-session').innerText()).toContain(idle.plan);
    await show(page, 'overview?period=2019-W01');
    await page.getByText('journal-api week 2019-W01 --edit').waitFor();
  });

  test('by trade, each figure says what it counts', async () => {
    const served = sample();
    const { data } = (
      await served.world.ask('/v1/analytics/summary?period=2026-10', {
        key: served.key,
      })
    ).body;
    const { page } = await visit();
    await open(page, served, '#/overview?period=2026-10');
    await page.getByRole('button', { name: 'By position' }).click();
    await settled(page);
    expect(page.url()).toContain('unit=trade');
    const count = `of ${data.performance.trades} trades`;
    await unfold(page);
    const figures = await page.locator('.figure').allInnerTexts();
    expect(figures.length).toBeGreaterThan(10);
    expect(
      figures.filter(
        (text) => !text.includes(count) && !/in \d+ of \d+ trades/.test(text),
      ),
    ).toEqual([]);
    expect(await page.locator('h2', { hasText: /^Days/ }).innerText()).toContain(
      ', by trade',
    );
  });

  test('groups of legs are rows that unfold, by keyboard too, and have a page', async () => {
    const served = sample();
    const { body } = await served.world.ask(
      '/v1/positions?kind=multi_leg&status=closed&limit=1',
      {
        key: served.key,
      },
    );
    const [group] = body.data;
    const { page } = await visit();
    await open(page, served, `#/trades?group_id=${group.id}`);
    const rows = page.locator('table.trades tbody tr:not(.space)');
    await expect.poll(() => rows.count()).toBe(1);
    const button = page.getByRole('button', { name: `Legs of ${group.name}` });
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    await button.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(1 + group.legs.length);
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('.table-end').innerText()).toBe('1 positions');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(1);

    await rows.first().getByRole('link').click();
    await settled(page);
    expect(await page.locator('h1').innerText()).toBe(group.name);
    const legs = page
      .getByRole('table', { name: 'Legs of the group' })
      .locator('tbody tr');
    await expect.poll(() => legs.count()).toBe(group.legs.length);
    expect(await page.getByRole('table', { name: /^Fills of/ }).count()).toBe(
      group.legs.length,
    );
    expect(await page.getByRole('slider').getAttribute('aria-label')).toContain(
      'exit by exit',
    );
    const money = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      signDisplay: 'exceptZero',
    });
    expect(await page.locator('.trade-result').innerText()).toContain(
      money.format(group.net_pnl),
    );
    expect(await page.locator('.reading strong').innerText()).toBe(
      money.format(group.net_pnl),
    );
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    // The curve is drawn again, in its new width.
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    await expect.poll(width).toBe(390);
  });

  test('leaks, simulation and exits show the figures of the API', async () => {
    const served = sample();
    const { data } = (
      await served.world.ask(
        '/v1/analytics/summary?unit=position&sections=leaks,simulation,exits',
        {
          key: served.key,
        },
      )
    ).body;
    const { page } = await visit();
    await open(page, served, '#/overview?period=all');
    await unfold(page);
    const card = (title: string) =>
      page.locator('.card', { has: page.getByRole('heading', { name: title }) });
    expect(await card('What costs, what pays').first().innerText()).toContain(
      `${data.leaks.tried} groups of positions`,
    );
    const money = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
    });
    expect(await card('The next 250 trades').innerText()).toContain(
      money.format(data.simulation.drawdown.next_100.p95),
    );
    const percent = new Intl.NumberFormat('en-US', {
      style: 'percent',
      maximumFractionDigits: 1,
    });
    expect(await card('Exits').innerText()).toContain(
      percent.format(data.exits.kept.median),
    );

    await card('Around the entry')
      .getByRole('button', { name: 'Size', exact: true })
      .click();
    await settled(page);
    const { groups } = (
      await served.world.ask(
        '/v1/analytics/summary?unit=position&sections=groups&group_by=size',
        {
          key: served.key,
        },
      )
    ).body.data;
    expect(await card('Around the entry').locator('tbody tr').count()).toBe(
      groups.length,
    );
  });

  test('an account with limits has a gauge with words, in each scheme and on a phone, and none if its key hides amounts', async () => {
    const served = await serveSample();
    setRules(served.world, 'Futures', {
      max_loss: 20_000,
      daily_loss: 1000,
      target: 90_000,
      min_days: 200,
    });
    setRules(served.world, 'gone', { trailing: 'intraday' });
    const [limits] = (
      await served.world.ask('/v1/analytics/summary?sections=limits', {
        key: served.key,
      })
    ).body.data.limits;
    const money = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
    });
    const { page } = await visit();
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, served, '#/overview?period=90d');
    const card = page.locator('.limits');
    const text = await card.innerText();
    for (const words of [
      `${money.format(limits.room)} buffer`,
      `${money.format(limits.day.room)} left today`,
      'of 200 days',
      'exit by exit; firms count open positions, too',
    ])
      expect(text).toContain(words);
    expect(await card.locator('.gauge').count()).toBe(3);
    expect(
      await page.evaluate('document.documentElement.scrollWidth'),
    ).toBeLessThanOrEqual(390);
    expect(await axeFindingsInBothSchemes(page)).toEqual([]);
    const key = served.world.key(undefined, 'me', undefined, {
      accounts: null,
      since: null,
      hides: ['money'],
    });
    await open(page, { ...served, key }, '#/overview?period=90d');
    expect(await card.innerText()).toContain('of 200 days');
    expect([await card.locator('.gauge').count(), await card.innerText()]).toEqual([
      0,
      expect.not.stringContaining('$'),
    ]);
  });

  test('a trade links to the previous and next trade and offers its note section to copy', async () => {
    const served = sample();
    const { page } = await visit();
    await open(page, served, '#/trades/t-0100');
    const note = await page.locator('.copyable pre').first().innerText();
    expect(note).toMatch(/^## \d\d:\d\d \S+ (long|short) <!-- t:t-0100 -->\nsetup::/);
    await page.getByRole('link', { name: /^.?\s*Next:/ }).click();
    await settled(page);
    const trade = async (id: string) =>
      (await served.world.ask(`/v1/trades/${id}`, { key: served.key })).body.data
        .executed_at;
    const id = /trades\/([^?]+)/.exec(page.url())?.[1] as string;
    expect((await trade(id)) >= (await trade('t-0100'))).toBe(true);
    await page.getByRole('link', { name: /Previous:/ }).click();
    await settled(page);
    expect(page.url()).toContain('t-0100');
  });

  test('all trades of the filters are saved as CSV, a setup that is a formula as text', async () => {
    const world = new World();
    for (let i = 0; i < 230; i++)
      world.insert('trades', tradeRow(`t-${i}`, { setup: '=1+1', notes: null }));
    world.insert('trades', tradeRow('t-other', { symbol: 'OTHER' }));
    const { page } = await visit();
    await open(page, await serve(world), `#/trades?symbol=${tradeRow('t-0').symbol}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const csv = readFileSync(await download.path(), 'utf8');
    const [, ...rows] = csv.trimEnd().split('\r\n');
    expect(rows).toHaveLength(230);
    expect(rows.filter((row) => !row.includes("'=1+1"))).toEqual([]);
  });

  test('trades of days without times have no holding time', async () => {
    const world = new World({ timezone: 'America/New_York' });
    const { page } = await visit();
    const held = async () => {
      await open(page, served, '#/trades');
      return page.getByRole('columnheader', { name: 'Held' }).isVisible();
    };
    const served = await serve(world);
    const midnight = '2026-11-10T05:00:00.000Z';
    world.insert(
      'trades',
      tradeRow('t-1', { executed_at: midnight, closed_at: midnight }),
    );
    expect(await held()).toBe(false);
    world.insert('trades', tradeRow('t-2'));
    expect(await held()).toBe(true);
  });

  test('long periods have a row per year, and a year opens to its months', async () => {
    const world = new World();
    for (const year of [2021, 2022, 2024, 2025]) {
      for (const month of ['01', '02', '03', '05', '06', '07', '08', '11']) {
        const executed_at = `${year}-${month}-10T15:00:00.000Z`;
        world.insert(
          'trades',
          tradeRow(`t-${year}-${month}`, { executed_at, closed_at: executed_at }),
        );
      }
    }
    const { page } = await visit();
    await open(page, await serve(world), '#/overview?period=all');
    expect(await page.locator('.years tbody tr').count()).toBe(4);
    await page.getByRole('button', { name: '2024' }).click();
    expect(await page.locator('.month').count()).toBe(8);
  });

  test('new records appear when the user returns', async () => {
    const world = new World();
    const served = await serve(world);
    const { page } = await visitAlone();
    await page.clock.install();
    await open(page, served);
    expect(await page.locator('.problem').innerText()).toContain('no trades yet');
    world.insert(
      'trades',
      tradeRow('t-1', {
        executed_at: '2026-11-10T15:00:00.000Z',
        closed_at: '2026-11-10T16:00:00.000Z',
      }),
    );
    await page.clock.fastForward(61_000);
    await page.locator('.headline, .problem h2:has-text("period")').first().waitFor();
  });

  test('new trades appear in the table, but not while the user reads further below', async () => {
    const world = new World();
    const add = (id: string, executed_at: string) =>
      world.insert('trades', tradeRow(id, { executed_at }));
    for (let i = 0; i < 150; i++) add(`t-${i}`, '2026-11-10T14:30:00.000Z');
    const { page, asked } = await visitAlone();
    await page.clock.install();
    await open(page, await serve(world), '#/trades');
    await page.locator('.table-end', { hasText: '150 trades' }).waitFor();
    const first = page.locator('table.trades tbody tr:not(.space)').first();
    await page.evaluate('scrollTo(0, 600)');
    add('t-new', '2026-11-11T14:30:00.000Z');
    await page.clock.fastForward(61_000);
    await page.locator('.table-end', { hasText: '151 trades' }).waitFor();
    expect(await page.evaluate('scrollY')).toBeGreaterThan(500);

    await page.evaluate('scrollTo(0, 5000)');
    add('t-newest', '2026-11-12T14:30:00.000Z');
    asked.length = 0;
    await page.clock.fastForward(61_000);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    await settled(page);
    expect(asked.filter((url) => url.includes('/v1/trades'))).toEqual([]);
    await page.evaluate('scrollTo(0, 0)');
    await page.clock.fastForward(61_000);
    await expect.poll(() => first.innerHTML()).toContain('t-newest');
  });

  test('only visible rows of the table are rendered', async () => {
    const served = sample();
    const { page } = await visit();
    await open(page, served, '#/trades');
    const lastRow = async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return page
        .locator('table.trades tbody tr:not(.space)')
        .last()
        .getAttribute('aria-rowindex');
    };
    const trades = served.world.db
      .prepare('SELECT count(*) FROM position_records')
      .pluck()
      .get() as number;
    await expect.poll(lastRow).toBe(String(trades + 1));
    expect(await page.locator('table.trades tbody tr').count()).toBeLessThan(70);
    const row = page.locator('table.trades tbody tr:not(.space)').last();

    // Back from a trade, the scroll position is restored.
    await expect
      .poll(() => page.evaluate('history.state?.scrolledTo === scrollY'))
      .toBe(true);
    await row.getByRole('link').click();
    await page.locator('.trade-head').waitFor();
    await page.goBack();
    await expect.poll(() => row.getAttribute('aria-rowindex')).toBe(String(trades + 1));
  });

  test('the journal is one feed of several kinds, with search', async () => {
    const served = sample();
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
    expect(new Set(await page.locator('.item-kind').allInnerTexts())).toEqual(
      new Set(['Review']),
    );
  });

  test('no entry makes the journal wider or changes the writing direction of other text', async () => {
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
      const texts = { title: i === 0 ? wide[0] : turned, body, lesson: body };
      world.insert('trade_journals', {
        id: `j-${i}`,
        trade_id: 't-1',
        phase: 'review',
        created_at: at,
        ...texts,
      } as Row);
    }
    const { page } = await visit();
    await open(page, await serve(world), '#/journal');
    expect(await page.locator('.item').count()).toBe(wide.length);
    for (const width of [360, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([
        width,
        await page.evaluate('document.documentElement.scrollWidth'),
      ]).toEqual([width, width]);
      const beyond = `[...document.querySelectorAll('.item')].filter((item) => item.scrollWidth > item.clientWidth).length`;
      expect([width, await page.evaluate(beyond)]).toEqual([width, 0]);
    }
    // Text after it on the same line keeps its direction: each such text has an element that isolates it.
    const leaking = `[...document.querySelectorAll('.item *')].filter((element) => [...element.childNodes].some((node) =>
      node.nodeType === Node.TEXT_NODE && node.data.includes('\u202e')) &&
      !/isolate|plaintext/.test(getComputedStyle(element).unicodeBidi)).length`;
    expect(await page.evaluate(leaking)).toBe(0);
  });

  test("the agent's view shows the summary as sent", async () => {
    const served = sample();
    const { page } = await visit();
    await open(page, served, '#/agent');
    const reply = await served.world.ask('/v1/summary', { key: served.key });
    expect(JSON.parse(await page.locator('.json').innerText())).toEqual(reply.body);
    expect(await page.getByText('tokens').first().innerText()).toMatch(/[\d,]+ tokens/);
    expect(await page.locator('.checks .kept').count()).toBe(7);
  });

  test('axe-core finds no violations in either scheme', async () => {
    const served = sample();
    const { page } = await visit();
    const found: Record<string, string[]> = {};
    await page.goto(served.url);
    await page.locator('.gate').waitFor();
    found['gate'] = await axeFindingsInBothSchemes(page);
    await open(page, served);
    for (const view of VIEWS) {
      await show(page, view);
      if (view.includes('overview')) await unfold(page);
      found[view] = await axeFindingsInBothSchemes(page);
    }
    await show(page, '#/overview?period=last_month&exclude={"weekday":[5]}');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Period', { exact: true }).last().selectOption('days');
    found['forms'] = await axeFindingsInBothSchemes(page);
    expect(found).toEqual(
      Object.fromEntries(['gate', ...VIEWS, 'forms'].map((view) => [view, []])),
    );
  });

  test('nothing moves with reduced motion, and a period prints on one sheet', async () => {
    const served = sample();
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
      await unfold(page);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect([period, pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length]).toEqual([period, 1]);
    }
    // A4 is as wide as a small tablet.
    await page.setViewportSize({ width: 726, height: 1000 });
    await show(page, '#/trades');
    const quantities = page.getByRole('columnheader', { name: 'Quantity' });
    expect(await quantities.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await quantities.isVisible()).toBe(true);
  });
});
