/** Registration: what clients state about themselves, and how the pages show it. */
import { describe, expect, test } from 'vitest';
import { mayRedirectTo } from '../../../src/http/oauth/clients.ts';
import { ALL_SCOPES } from '../../../src/keys/scopes.ts';
import { DAY, tradeRow } from '../../helpers.ts';
import * as flow from './flow.ts';

const { oauthWorld, OWN_FORM, REDIRECT } = flow;

test('a registration comes back with an id and what was made of it, and nothing to keep secret', async () => {
  const { status, body, headers } = await flow.registering(oauthWorld(), {
    client_name: 'Agent',
    redirect_uris: [REDIRECT, 'http://127.0.0.1:9999/cb'],
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'trades:read',
    logo_uri: 'https://evil.example.com/logo.png',
  });
  expect([status, headers.get('Cache-Control')]).toEqual([201, 'no-store']);
  expect(body).toEqual({
    client_id: expect.stringMatching(/^[\w-]+$/),
    client_name: 'Agent',
    redirect_uris: [REDIRECT, 'http://127.0.0.1:9999/cb'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  });
});

test.each([
  ['no JSON', '{', 'invalid_client_metadata'],
  ['a list', [], 'invalid_client_metadata'],
  ['no redirect URIs', {}, 'invalid_client_metadata'],
  ['one that is no list', { redirect_uris: REDIRECT }, 'invalid_client_metadata'],
  [
    'a number as name',
    { redirect_uris: [REDIRECT], client_name: 1 },
    'invalid_client_metadata',
  ],
  ['an empty list', { redirect_uris: [] }, 'invalid_redirect_uri'],
  ['six', { redirect_uris: Array(6).fill(REDIRECT) }, 'invalid_redirect_uri'],
  [
    'a good and a bad one',
    { redirect_uris: [REDIRECT, 'http://evil.example.com'] },
    'invalid_redirect_uri',
  ],
  [
    'a body of 33 KB',
    { redirect_uris: [REDIRECT], client_name: 'x'.repeat(33_000) },
    'invalid_request',
  ],
])('%s is refused', async (_what, body, error) => {
  const got = await flow.registering(oauthWorld(), body);
  expect([got.status, got.body.error]).toEqual([400, error]);
});

test('a body of another type is refused', async () => {
  const world = oauthWorld();
  expect((await flow.post(world, '/oauth/register', {})).body.error).toBe(
    'invalid_request',
  );
  const headers = { 'Content-Type': 'application/json' };
  expect(
    (await flow.send(world, '/oauth/token', { method: 'POST', body: '{}', headers })).body
      .error,
  ).toBe('invalid_request');
});

describe('a redirect URI', () => {
  const longest = `${REDIRECT}/${'x'.repeat(500 - REDIRECT.length - 1)}`;

  test.each([
    REDIRECT,
    'https://agent.example.com',
    'https://agent.example.com:8443/cb?a=b&c=%20',
    'https://xn--bcher-kva.example/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:5173/cb',
    'http://localhost:5173',
    'https://192.0.2.1',
    longest,
  ])('%s is accepted', async (uri) => {
    expect((await flow.registering(oauthWorld(), { redirect_uris: [uri] })).status).toBe(
      201,
    );
  });

  test.each([
    'http://agent.example.com/cb',
    'http://127.0.0.2/cb',
    'http://localhost.evil.example.com/cb',
    'http://127.0.0.1.evil.example.com/cb',
    'http://127.0.0.1:5173@evil.example.com/cb',
    'http://[::1]:5173/cb',
    'https://[2001:db8::1]/cb',
    'https://user@agent.example.com/cb',
    'https://user:pass@agent.example.com/cb',
    'https://@agent.example.com/cb',
    'https://agent.example.com/cb#fragment',
    'https://agent.example.com/cb#',
    'https://*/cb',
    'https://*.example.com/cb',
    "https://agent.example.com;script-src'unsafe-inline'/cb",
    'https://agent.example.com,https://evil.example.com/cb',
    'https://agent.example.com\\@evil.example.com/cb',
    'https://agent.example.com/cb\r\nSet-Cookie: a=b',
    'https://agent.example.com/cb "onclick=',
    'https://bücher.example/cb',
    'https://agent.example.com:99999/cb',
    'https:agent.example.com/cb',
    '//agent.example.com/cb',
    '/cb',
    '',
    'HTTPS://agent.example.com/cb',
    'javascript:alert(1)//https://agent.example.com',
    'data:text/html,https://agent.example.com',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    `${longest}x`,
  ])('%j is refused', async (uri) => {
    expect(
      (await flow.registering(oauthWorld(), { redirect_uris: [uri] })).body.error,
    ).toBe('invalid_redirect_uri');
  });

  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:61234/cb', true],
    ['http://127.0.0.1:5173/cb', 'http://127.0.0.1:61234/cb', true],
    ['http://localhost:5173/cb?a=1', 'http://localhost/cb?a=1', true],
    ['http://127.0.0.1:5173/cb', 'http://localhost:5173/cb', false],
    ['http://127.0.0.1:5173/cb', 'http://127.0.0.1:5173/cb2', false],
    ['http://127.0.0.1:5173/cb', 'https://127.0.0.1:5173/cb', false],
    ['http://127.0.0.1:5173/cb', 'http://127.0.0.1:99999/cb', false],
    ['https://127.0.0.1:5173/cb', 'https://127.0.0.1:5174/cb', false],
    [REDIRECT, REDIRECT.toUpperCase(), false],
    [REDIRECT, `${REDIRECT}/`, false],
  ])('%s, asked for as %s: %s', (registered, asked, is) => {
    expect(mayRedirectTo({ name: null, redirectUris: [registered] }, asked)).toBe(is);
  });

  test('to another port of this computer is where the answer goes', async () => {
    const world = oauthWorld();
    const client = await flow.clientId(world, 'Agent', ['http://127.0.0.1/cb']);
    const path = flow.authorizePath(client, {
      redirect_uri: 'http://127.0.0.1:61234/cb',
    });
    const { text, headers } = await flow.post(
      world,
      path,
      { key: world.key() },
      OWN_FORM,
    );
    expect(text).toContain(
      '<strong>127.0.0.1:61234</strong> (a program on this computer)',
    );
    expect(headers.get('Content-Security-Policy')).toContain(
      "form-action 'self' http://127.0.0.1:61234;",
    );
  });
});

describe("a client's name", () => {
  const shownFor = async (name: unknown) => {
    const world = oauthWorld();
    const { body } = await flow.registering(world, {
      client_name: name,
      redirect_uris: [REDIRECT],
    });
    const { text } = await flow.send(world, flow.authorizePath(body.client_id));
    return /<p>(?:A client that calls itself )?(.*?)(?: \(its own claim: anyone can use any name\))? asks for access/.exec(
      text,
    )?.[1];
  };

  test.each([
    ['Agent & Söhne 🤖', '<strong>Agent &amp; Söhne 🤖</strong>'],
    [
      '<b onclick="x">\'</b>',
      '<strong>&lt;b onclick=&quot;x&quot;&gt;&#39;&lt;/b&gt;</strong>',
    ],
    [`${'x'.repeat(79)}🤖yz`, `<strong>${'x'.repeat(79)}🤖</strong>`],
    ['Agent\u202Egro.elpmaxe\u2066\u200B\u{E0041}', '<strong>Agentgro.elpmaxe</strong>'],
    [
      'Agent\n\n\tThe answer goes to claude.ai\0',
      '<strong>Agent The answer goes to claude.ai</strong>',
    ],
    [`A${'\u0301'.repeat(70)}gent`, '<strong>A\u0301\u0301\u0301gent</strong>'],
    ['\u200B \n', 'A client without a name'],
    [undefined, 'A client without a name'],
    [null, 'A client without a name'],
  ])('%j', async (name, shown) => {
    expect(await shownFor(name)).toBe(shown);
  });
});

test('the second page shows what the API states about the key, and not the key', async () => {
  const world = oauthWorld();
  world.insert('trades', tradeRow('t-1', { symbol: 'XYZW' }));
  const path = flow.authorizePath(await flow.clientId(world, 'Agent'));
  const lens = {
    accounts: null,
    since: '2026-01-01',
    hides: ['money', 'texts', 'symbols'],
  } as const;
  const key = world.key(
    ['trades:read', 'agent_summary:read'],
    'me',
    'key_1',
    lens as never,
  );
  const { text, status } = await flow.post(world, path, { key: ` ${key}\n` }, OWN_FORM);
  expect(status).toBe(200);
  for (const shown of [
    '<dd>test (key_1)</dd>',
    '<dd>me</dd>',
    '<dd>everything since 2026-01-01, without money, texts and prices, with pseudonyms for symbols and ids</dd>',
    '<dd>2026-12-20 15:00 UTC</dd>',
    '<code>trades:read</code>',
    '<code>agent_summary:read</code>',
    '<strong>agent.example.com</strong>',
    'journal-api key revoke key_1',
  ]) {
    expect(text).toContain(shown);
  }
  expect(text).not.toContain('journals:read');
  expect(text).not.toContain('jak_');
});

test('a key that is wrong, expired, revoked or of a removed user says so on the first page', async () => {
  const world = oauthWorld();
  const path = flow.authorizePath(await flow.clientId(world));
  const [expired, orphan] = [world.key(), world.key(ALL_SCOPES, 'gone')];
  world.now += 31 * DAY;
  for (const [key, status, says] of [
    ['', 401, /Key refused: this is not a key/],
    ['jak_tooshort', 401, /Key refused: .*copied completely/],
    [expired, 401, /Key refused: this key expired/],
  ] as const) {
    const got = await flow.post(world, path, { key }, OWN_FORM);
    expect([got.status, got.text]).toEqual([status, expect.stringMatching(says)]);
    expect(got.text).toContain('name="key"');
    if (key !== '') expect(got.text).not.toContain(key);
  }
  world.now -= 31 * DAY;
  const got = await flow.post(world, path, { key: orphan }, OWN_FORM);
  expect([got.status, got.text]).toEqual([
    401,
    expect.stringContaining('not in the journal'),
  ]);
});

test('an unreadable journal is a page too, and recovers', async () => {
  const world = oauthWorld();
  const path = flow.authorizePath(await flow.clientId(world));
  world.db.exec("UPDATE users SET timezone = 'Nowhere/Land'");
  const got = await flow.post(world, path, { key: world.key() }, OWN_FORM);
  expect([got.status, got.headers.get('Content-Type')]).toEqual([
    503,
    expect.stringMatching(/^text\/html/),
  ]);
});
