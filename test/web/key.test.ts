/** The key in the browser, hostile texts, and the dashboard's error messages. */
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import { revokeKey } from '../../src/keys/store.ts';
import { hasBrowser, visit, visitWithProfile } from '../chromium.ts';
import { DAY, tradeRow, World } from '../helpers.ts';
import { open, settled, show, unfold } from './browse.ts';
import { serve } from './sample.ts';

/** The files below a folder that contain a text. */
function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
    .filter((name) => readFileSync(join(folder, name), 'latin1').includes(text));
}

describe.skipIf(!hasBrowser)('the key (needs Chromium)', () => {
  test("is removed from the address bar and the history, and is in no log and no storage but the tab's own", async () => {
    const served = await serve(new World());
    const { page, profile } = await visitWithProfile();
    await open(page, served);
    await settled(page);
    expect(page.url()).toBe(`${served.url}/`);
    expect(
      await page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
      ),
    ).toBe(JSON.stringify([{}, { 'journal-api key': served.key }, '']));
    expect(await page.evaluate('caches.keys().then((keys) => keys.length)')).toBe(0);
    expect(served.world.log.length).toBeGreaterThan(3);
    expect(served.world.log.join('')).not.toContain('jak_');
    await show(page, '#/trades');
    await page.goBack();
    expect(page.url()).not.toContain('jak_');
    await page.context().close();
    // The browser's own history keeps every address, as SECURITY.md states.
    const storages = /Local Storage|IndexedDB|Cache|Cookies|Service Worker|Login/;
    expect(filesWith(served.key, profile).filter((name) => storages.test(name))).toEqual(
      [],
    );
  });

  test('survives a reload of its tab, is in no other tab, and ends with Sign out', async () => {
    const served = await serve(new World());
    const { page } = await visit();
    await open(page, served);
    await page.reload();
    await settled(page);
    const other = await page.context().newPage();
    await other.goto(served.url);
    await other.locator('.gate').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('.gate').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.reload();
    await page.locator('.gate').waitFor();
    await page.getByLabel('Or paste a key').fill(served.key);
    await page.getByRole('button', { name: 'Open journal' }).click();
    await settled(page);
    await page.reload();
    await settled(page);
  });

  test('a key with few scopes opens the first view that it can read and lists its missing scopes', async () => {
    const world = new World();
    const served = await serve(world);
    const { page } = await visit();
    const tabs = () => page.locator('.tabs a').allInnerTexts();
    await open(page, { url: served.url, key: world.key(['sessions:read']) });
    await page.getByRole('heading', { name: 'Journal' }).waitFor();
    expect(await tabs()).toEqual(['Journal', "Agent's view"]);
    expect(await page.locator('.nothing').innerText()).toMatch(
      /can't read entries, reviews, missed trades \(journals:read/,
    );

    await open(page, { url: served.url, key: world.key(['trades:read']) });
    await page.getByRole('heading', { name: 'Trades', exact: true }).waitFor();
    await open(page, { url: served.url, key: world.key(['agent_summary:read']) });
    await page.getByRole('heading', { name: "Agent's view" }).waitFor();
  });

  test('each error names the command that helps', async () => {
    const world = new World();
    const served = await serve(world);
    const { page } = await visit();
    const alert = () => page.locator('.problem').first().innerText();

    await open(page, { url: served.url, key: `${generateKey().slice(0, -1)}` });
    expect(await alert()).toMatch(/not valid[\s\S]*journal-api open/);

    await open(page, served, '#/overview');
    expect(await alert()).toMatch(/no trades yet[\s\S]*journal-api import/);

    world.insert('trades', tradeRow('t-1', { executed_at: '2025-01-10T15:00:00.000Z' }));
    await open(page, served, '#/overview?period=30d');
    expect(await alert()).toMatch(/No trades were closed in this period[\s\S]*2025/);

    await open(
      page,
      { url: served.url, key: world.key(['trades:read']) },
      '#/overview?period=30d',
    );
    expect(await alert()).toMatch(
      /can't read that[\s\S]*journal-api open[\s\S]*analytics:read/,
    );

    const revoked = world.key(undefined, 'me', 'key_revoked01');
    await open(page, { url: served.url, key: revoked }, '#/trades');
    revokeKey(world.files.keys, 'key_revoked01', world.now);
    await open(page, { url: served.url, key: revoked });
    expect(await alert()).toMatch(/was revoked[\s\S]*journal-api open/);

    world.now += 31 * DAY;
    await open(page, served);
    expect(await alert()).toMatch(/has expired[\s\S]*journal-api open/);
    world.now -= 31 * DAY;

    await open(page, served, '#/trades');
    renameSync(world.files.journal, `${world.files.journal}.away`);
    await expect.poll(async () => (await world.app.request('/healthz')).status).toBe(503);
    await show(page, '#/trades?side=long').catch(() => undefined);
    await page.getByText("can't be read right now").waitFor();
    expect(await alert()).toContain('journal-api check');
    // It recovers by itself when the file is back.
    renameSync(`${world.files.journal}.away`, world.files.journal);
    await page.locator('table.trades tbody tr').first().waitFor();
    expect(await page.locator('.problem').count()).toBe(0);

    await served.stop();
    await show(page, '#/trades?side=short').catch(() => undefined);
    await page.getByText('does not respond').waitFor();
    expect(await alert()).toContain('journal-api serve');
  });

  test('Markdown is shown as elements, with the names of common characters', async () => {
    const world = new World();
    const notes = [
      '# Plan\n\n1. **Wait** for _9:45_\n2. ~~chase~~ [news](https://news.example/a?b=1&c=2)',
      'Fish &amp; chips: &euro;5 &hellip; &#8804; 6&nbsp;R &unknown;',
      '```\n&amp; <b>\n```',
      '| a | b |\n|---|---|\n| 1 | &lt;2 |',
      '> quoted\n> twice',
    ].join('\n\n');
    world.insert('trades', tradeRow('t-1', { notes }));
    const { page, complaints } = await visit();
    await open(page, await serve(world), '#/trades/t-1');
    const html = await page.locator('.markdown').first().innerHTML();
    expect(html.replace(/<a [^>]*href="([^"]*)"[^>]*>/, '<a href="$1">')).toBe(
      [
        '<h4>Plan</h4><ol><li><strong>Wait</strong> for <em>9:45</em></li>',
        '<li><s>chase</s> <a href="https://news.example/a?b=1&amp;c=2">news</a></li></ol>',
        '<p>Fish &amp; chips: €5 … ≤ 6&nbsp;R &amp;unknown;</p>',
        '<pre class="sunken"><code>&amp;amp; &lt;b&gt;\n</code></pre>',
        '<table><thead><tr><th>a</th><th>b</th></tr></thead>',
        '<tbody><tr><td>1</td><td>&lt;2</td></tr></tbody></table>',
        '<blockquote><p>quoted<br>twice</p></blockquote>',
      ].join(''),
    );
    expect(complaints).toEqual([]);
  });

  test('HTML and scripts in journal texts stay text', async () => {
    const world = new World();
    const hostile =
      '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    const markdown = [
      hostile,
      '[go](javascript:window.hacked=1) [data](data:text/html,<script>1</script>)',
      '[go](JaVaScRiPt:window.hacked=1) [go](&#106;avascript:window.hacked=1)',
      '[go](&#x6a;avascript&#58;window.hacked=1) [go](<java\tscript:window.hacked=1>)',
      '[go](vbscript:1) <javascript:window.hacked=1> [go][defined]',
      '[defined]: javascript:window.hacked=1 "title"',
      '![p](https://evil.example/p.png) ![p](javascript:window.hacked=1)',
      '<https://evil.example/a> https://evil.example/bare &lt;b&gt;&#60;i>',
      '| a |\n|---|\n| `<b>` |',
    ].join('\n\n');
    const label = '<svg onload=window.hacked=1>';
    world.insert(
      'trades',
      tradeRow('t-1', {
        ...{
          symbol: label,
          account: label,
          setup: label,
          notes: markdown,
          stop_loss: 99,
        },
        ...{
          tags: JSON.stringify([label]),
          mistakes: JSON.stringify([label]),
          underlying: label,
        },
      }),
    );
    world.insert('trade_journals', {
      ...{
        id: 'j-1',
        trade_id: 't-1',
        phase: 'review',
        title: label,
        body: markdown,
        lesson: hostile,
      },
      emotions: JSON.stringify([label]),
      rules: JSON.stringify([{ rule: label, followed: true }]),
      attachments: JSON.stringify([
        { url: 'https://evil.example/x.png', caption: hostile },
      ]),
    });
    world.insert('sessions', {
      id: 's-1',
      date: '2026-11-10',
      name: hostile,
      plan: markdown,
      mood: hostile,
    });
    world.insert('missed_trades', {
      ...{
        id: 'm-1',
        missed_at: '2026-11-10T15:00:00.000Z',
        symbol: label,
        market: 'stock',
        side: 'long',
      },
      ...{ miss_type: 'away', currency: 'USD', reason: markdown },
    });
    const served = await serve(world);
    const { page, asked, complaints } = await visit();
    await open(page, served);
    for (const view of [
      '#/overview?period=all',
      '#/overview?period=2026-11-10',
      '#/trades?q=svg',
      '#/trades/t-1',
      '#/journal',
      '#/agent',
    ]) {
      await show(page, view);
      await unfold(page);
      expect([view, await page.evaluate('window.hacked')]).toEqual([view, undefined]);
      expect(
        await page.locator('main :is(script, img, iframe, [onload], [onerror])').count(),
      ).toBe(0);
      expect(await page.locator('body').innerText()).toContain('<svg onload');
    }
    await show(page, '#/trades/t-1');
    const links = await page.evaluate(
      `[...document.querySelectorAll('a')].map((a) => a.protocol)`,
    );
    expect((links as string[]).filter((protocol) => !/^https?:$/.test(protocol))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(`${served.url}/`))).toEqual([]);
  });
});
