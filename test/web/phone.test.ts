/** The dashboard on a phone: the link of `open --phone`, and the key that a device keeps. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/http/server.ts';
import { createTicket, type Ticket } from '../../src/http/ticket.ts';
import { revokeKey } from '../../src/keys/store.ts';
import { certificate } from '../certificate.ts';
import { hasBrowser, visit, visitAlone } from '../chromium.ts';
import { atEnd, tradeRow, World } from '../helpers.ts';
import { settled } from './browse.ts';

const ID = 'key_phone0001';
const PHONE = { width: 390, height: 844 };

/** A journal whose key a link gives. */
async function served([tlsCert, tlsKey]: [cert?: string, key?: string] = []) {
  let key: string | undefined;
  let ticket: Ticket | undefined;
  const world = new World({}, ({ now }) => {
    ticket = createTicket({
      key: () => key,
      now,
      onUse: () => undefined,
      onReuse: () => revokeKey(world.files.keys, ID, world.now),
    });
    return { ticket: ticket.route };
  });
  key = world.key(undefined, 'me', ID);
  world.insert('trades', tradeRow('t-1'));
  const server = await listen(world.app, { host: '127.0.0.1', port: 0, tlsCert, tlsKey });
  atEnd(() => server.close());
  return { world, key, url: server.url, link: `${server.url}/#ticket=${ticket?.text}` };
}

async function onPhone(ignoresCertificates = false) {
  const { page, ...more } = ignoresCertificates
    ? await visitAlone({ ignoreHTTPSErrors: true })
    : await visit();
  await page.setViewportSize(PHONE);
  return { page, ...more };
}

const stored = (page: Page) =>
  page.evaluate('[localStorage, sessionStorage].map((all) => JSON.stringify(all))');
const width = (page: Page) => page.evaluate('document.documentElement.scrollWidth');
const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click();

describe.skipIf(!hasBrowser)('on a phone (needs Chromium)', () => {
  test('the link opens the journal once, and signing out names the key that still works', async () => {
    const { link, url, key, world } = await served();
    const { page, complaints } = await onPhone();
    await page.goto(link);
    await settled(page);
    expect([page.url(), await width(page)]).toEqual([`${url}/`, PHONE.width]);
    expect(await stored(page)).toEqual([
      '{}',
      JSON.stringify({ 'journal-api key': key }),
    ]);
    expect(await page.getByRole('button', { name: 'Keep on this device' }).count()).toBe(
      0,
    );
    expect(world.log.join('')).not.toMatch(/jak_|ticket=/);

    await page.reload();
    await settled(page);
    await signOut(page);
    const text = await page.locator('.gate').innerText();
    expect(text).toMatch(/no longer has the key, which works until (20 Dec|Dec 20)/);
    expect(text).toContain(`journal-api key revoke ${ID}`);
    expect([await stored(page), await width(page)]).toEqual([['{}', '{}'], PHONE.width]);
    expect(complaints).toEqual([]);
  });

  test('used again, it opens nothing, and ends the first use', async () => {
    const { link } = await served();
    const { page } = await onPhone();
    await page.goto(link);
    await settled(page);
    const other = await page.context().newPage();
    await other.goto(link);
    await other.getByText("This link doesn't open the journal").waitFor();
    expect(await other.locator('.gate').innerText()).toMatch(
      /open --phone[\s\S]*used twice/,
    );
    await page.reload();
    await page.getByRole('heading', { name: 'This key was revoked' }).waitFor();
    // The refused key is gone.
    expect(await stored(page)).toEqual(['{}', '{}']);
  });

  test('over https the device keeps the key for new tabs, until one of them signs out', async ({
    skip,
  }) => {
    const { link, key, url } = await served(certificate(skip));
    const { page } = await onPhone(true);
    await page.goto(link);
    await settled(page);
    await page.getByRole('button', { name: 'Keep on this device' }).click();
    await page.getByText('Kept here until').waitFor();
    expect(await width(page)).toBe(PHONE.width);
    const kept = JSON.stringify({ 'journal-api key': `2026-12-20T15:00:00.000Z ${key}` });
    expect(await stored(page)).toEqual([kept, '{}']);

    const other = await page.context().newPage();
    await other.goto(url);
    await settled(other);
    await signOut(other);
    await page.locator('.gate').waitFor();
    expect(await stored(page)).toEqual(['{}', '{}']);
  });
});
