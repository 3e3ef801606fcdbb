/** How long the page takes on a large journal, in Chromium without a GPU; nothing is cached. */
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { medianOf } from '../../src/journal/analytics/statistics.ts';
import { makeJournal } from '../journal.ts';
import { keyFor, serve } from '../processes.ts';
import type { Question } from '../question.ts';

const TRADES = 200_000;
const ROUNDS = 5;

/** Starts of periods, without their last two digits. */
const PERIODS = {
  'all, 200,000 trades': '2020-01-',
  'a year': '2025-11-',
  '90 days': '2026-08-',
};

export const page: Question = async (folder) => {
  makeJournal(join(folder, 'journal.db'), TRADES);
  const server = await serve(folder, '--log', 'off');
  const address = `${server.url}/#key=${await keyFor(folder)}`;
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const rows: string[][] = [];
  try {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const fresh = async () => {
      await tab.goto('about:blank');
      await tab.goto(address);
      await tab.locator('.view').waitFor();
      await tab.waitForLoadState('networkidle');
    };
    for (const [name, start] of Object.entries(PERIODS)) {
      const times: number[] = [];
      // Another period each time, so that no response comes from the cache.
      for (let round = 0; round < ROUNDS; round++) {
        await fresh();
        const hash = `#/overview?start=${start}${11 + round}`;
        times.push(await untilShown(tab, hash, '.figure-main'));
      }
      rows.push([`first figures of ${name}`, (medianOf(times) as number).toFixed(0)]);
    }
    await fresh();
    const table = await untilShown(tab, '#/trades', 'table.trades tbody tr');
    rows.push(['first rows of the table of trades', table.toFixed(0)]);
  } finally {
    await browser.close();
    await server.stop();
  }
  return { columns: ['From a click to', 'ms'], rows };
};

/**
 * Until the frame with an element of a view is painted. The page itself watches: Playwright looks
 * again after up to 500 ms.
 */
function untilShown(tab: Page, hash: string, selector: string): Promise<number> {
  const shown = JSON.stringify(`.view:not(.stale) ${selector}`);
  return tab.evaluate(`new Promise((resolve) => {
    const isShown = () => document.querySelector(${shown}) !== null;
    let isGone = false;
    const observer = new MutationObserver(() => {
      isGone ||= !isShown();
      if (!isGone || !isShown()) return;
      observer.disconnect();
      // The first task after the frame's paint: before what the page does next.
      const settle = () => resolve(performance.now() - started);
      requestAnimationFrame(() => scheduler.postTask(settle, { priority: 'user-blocking' }));
    });
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['class'] });
    const started = performance.now();
    location.hash = ${JSON.stringify(hash)};
  })`);
}
