/** The pages of an authorization in Chromium, to the end of the redirect. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { adapterOf } from '../../src/http/adapter.ts';
import { hasBrowser, visit } from '../chromium.ts';
import type { World } from '../helpers.ts';
import { authorizePath, clientId, exchange, oauthWorld } from '../http/oauth/flow.ts';
import { axeFindingsInBothSchemes } from './browse.ts';

/** A server on a free port, which is known before its application. */
async function listening(handle: () => RequestListener): Promise<string> {
  const server = createServer((request, response) => handle()(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Served {
  world: World;
  url: string;
  /** Address of the first page. */
  first: string;
  client: string;
  redirect: string;
  key: string;
  /** Requests to the client. */
  called: IncomingMessage[];
}

/** The service, and a client on another port. */
async function served(name = 'Some Agent'): Promise<Served> {
  let listener: RequestListener | undefined;
  const url = await listening(() => listener as RequestListener);
  const world = oauthWorld(url);
  listener = adapterOf(world.app, '127.0.0.1');
  const called: IncomingMessage[] = [];
  const other = await listening(() => (request, response) => {
    called.push(request);
    response.setHeader('Content-Type', 'text/html');
    response.end(
      '<!doctype html><title>Client</title><link rel="icon" href="data:,"><h1>Back at the client</h1>',
    );
  });
  const redirect = `${other}/callback`;
  const client = await clientId(world, name, [redirect]);
  const first = url + authorizePath(client, { redirect_uri: redirect });
  return { world, url, first, client, redirect, key: world.key(), called };
}

async function typeKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key for this client').fill(key);
  await page.getByRole('button', { name: 'Continue' }).click();
}

describe.skipIf(!hasBrowser)('authorization (needs Chromium)', () => {
  test('goes from the key to the client, which gets a code and no referrer', async () => {
    const { world, url, first, client, redirect, key, called } = await served();
    const { page, asked, complaints } = await visit();
    await page.goto(first);
    await typeKey(page, key);
    await page
      .getByRole('heading', { name: 'Let this client read your trading journal?' })
      .waitFor();
    expect(await page.locator('body').innerHTML()).not.toContain('jak_');
    expect(page.url()).not.toContain('jak_');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const back = new URL(page.url());
    expect(back.origin + back.pathname).toBe(redirect);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: 'state-1',
      iss: url,
    });
    expect(
      called.map(({ method, headers }) => [method, headers.referer, headers.cookie]),
    ).toEqual([['GET', undefined, undefined]]);
    const code = back.searchParams.get('code') as string;
    expect((await exchange(world, client, code, { redirect_uri: redirect })).status).toBe(
      200,
    );
    // Nothing else was asked, and the policy forbade nothing that the pages need.
    const hosts = new Set(asked.map((address) => new URL(address).host));
    expect(hosts).toEqual(new Set([new URL(url).host, back.host]));
    expect(complaints).toEqual([]);
    expect(world.log.join('')).not.toMatch(/jak_|state-1|code/);
  });

  test('Cancel tells the client, and a wrong key asks again', async () => {
    const { first, key, called } = await served();
    const { page } = await visit();
    await page.goto(first);
    await typeKey(page, `${key.slice(0, -1)}!`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Key for this client').inputValue()).toBe('');
    await typeKey(page, key);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    expect(called).toHaveLength(1);
  });

  test("another site's page can neither frame the pages nor send their forms", async () => {
    const { world, url, first, key } = await served();
    const { page, complaints } = await visit();
    await page.goto(first);
    await typeKey(page, key);
    const ticket = await page.locator('[name="ticket"]').inputValue();
    const forms = [
      `<form method="post" action="${first.replaceAll('&', '&amp;')}"><input name="key" value="${key}"><button>Send</button></form>`,
      `<form method="post" action="${url}/oauth/answer"><input name="ticket" value="${ticket}"><button name="answer" value="allow">Send</button></form>`,
    ];
    const evil = await listening(() => ({ url: path = '' }, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(
        path === '/frame'
          ? `<iframe src="${first.replaceAll('&', '&amp;')}"></iframe>`
          : forms[Number(path.slice(1))],
      );
    });
    for (const i of forms.keys()) {
      await page.goto(`${evil}/${i}`);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('the form was not sent by a page of this service').waitFor();
    }
    await page.goto(`${evil}/frame`);
    await expect
      .poll(() => complaints.join('\n'))
      .toMatch(/frame-ancestors|X-Frame-Options/i);
    expect(world.faults).toEqual([]);
  });

  test('pages are accessible and fit, in each scheme, on a phone and on a screen', async () => {
    const { first, url, key } = await served(`Agent ${'x'.repeat(80)}`);
    const { page } = await visit();
    const check = async () => {
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await axeFindingsInBothSchemes(page)]).toEqual([width, []]);
        expect(
          await page.evaluate('document.documentElement.scrollWidth'),
        ).toBeLessThanOrEqual(width);
      }
    };
    await page.goto(first);
    await check();
    await typeKey(page, 'jak_wrong');
    await page.getByRole('alert').waitFor();
    await check();
    await typeKey(page, key);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await check();
    await page.goto(`${url}/oauth/authorize`);
    await check();
  });
});
