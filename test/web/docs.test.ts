/** /docs in a real browser. */
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/http/server.ts';
import { hasBrowser, visit } from '../chromium.ts';
import { tradeRow, World } from '../helpers.ts';

test.skipIf(!hasBrowser)(
  'a key typed into /docs works for requests and is gone after a reload (needs Chromium)',
  async () => {
    const world = new World();
    world.insert('trades', tradeRow('t-browser'));
    const server = await listen(world.app, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    const key = world.key();
    const { page, asked, complaints } = await visit();

    await page.goto(`${server.url}/docs`);
    await page.locator('.opblock-summary-path').first().waitFor();
    const paths = await page.locator('.opblock-summary-path').allInnerTexts();
    expect(paths.map((path) => path.replaceAll('\u200b', ''))).toEqual(
      expect.arrayContaining(['/v1/me', '/v1/trades/{id}', '/v1/summary', '/healthz']),
    );

    await page.locator('.btn.authorize').first().click();
    await page
      .locator(
        '.auth-container input[type="text"], .auth-container input[type="password"]',
      )
      .first()
      .fill(key);
    await page.locator('.auth-btn-wrapper .authorize').first().click();
    await page.locator('.btn-done').first().click();
    const list = page
      .locator('.opblock')
      .filter({ has: page.locator('[data-path="/v1/trades"]') });
    await list.locator('.opblock-summary').click();
    await list.locator('.execute').click();
    await list.locator('.live-responses-table').waitFor();
    expect(await list.locator('.live-responses-table').innerText()).toContain(
      't-browser',
    );

    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(key.slice(0, 12));
    expect(page.url()).not.toContain('jak_');
    expect(complaints).toEqual([]);
    expect(
      asked.filter(
        (url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'),
      ),
    ).toEqual([]);

    await page.reload();
    await page.locator('.btn.authorize.unlocked').first().waitFor();
    expect(complaints).toEqual([]);
  },
);
