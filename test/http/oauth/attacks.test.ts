/** Attacks on an authorization (RFC 9700), each refused. */
import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Codes, seal, unseal } from '../../../src/http/oauth/sealed.ts';
import { ALL_SCOPES } from '../../../src/keys/scopes.ts';
import { openSecret, secretOf } from '../../../src/keys/secret.ts';
import { revokeKey } from '../../../src/keys/store.ts';
import { NOW } from '../../helpers.ts';
import * as flow from './flow.ts';

const { CHALLENGE, oauthWorld, OWN_FORM, PUBLIC_URL, REDIRECT, VERIFIER } = flow;

describe('a faulty request is a page with status 400, never a redirect', () => {
  test.each([
    ['an unknown client', { client_id: 'agent' }, /unknown client/],
    [
      'a URL as client',
      { client_id: 'https://agent.example.com/client.json' },
      /unknown client/,
    ],
    ['no client', { client_id: undefined }, /unknown client/],
    [
      'another address',
      { redirect_uri: 'https://evil.example.com/callback' },
      /did not register/,
    ],
    ['a longer address', { redirect_uri: `${REDIRECT}/more` }, /did not register/],
    [
      'an address with a query',
      { redirect_uri: `${REDIRECT}?next=evil` },
      /did not register/,
    ],
    [
      'another port',
      { redirect_uri: 'https://agent.example.com:8443/callback' },
      /did not register/,
    ],
    [
      'another scheme',
      { redirect_uri: 'http://agent.example.com/callback' },
      /did not register/,
    ],
    ['no address', { redirect_uri: undefined }, /did not register/],
    ['no challenge', { code_challenge: undefined }, /PKCE/],
    ['a plain challenge', { code_challenge_method: 'plain' }, /PKCE/],
    ['a challenge without a method', { code_challenge_method: undefined }, /PKCE/],
    ['a short challenge', { code_challenge: 'abc' }, /PKCE/],
    ['a token by redirect', { response_type: 'token' }, /response_type/],
    ['a fragment', { response_mode: 'fragment' }, /response_mode/],
    ['another resource', { resource: 'https://other.example.org/mcp' }, /tokens are for/],
    ['the API as resource', { resource: `${PUBLIC_URL}/v1` }, /tokens are for/],
  ])('%s', async (_what, more, says) => {
    const world = oauthWorld();
    const path = flow.authorizePath(await flow.clientId(world), more);
    for (const got of [
      await flow.send(world, path),
      await flow.post(world, path, { key: world.key() }, OWN_FORM),
    ]) {
      expect([got.status, got.headers.get('Location')]).toEqual([400, null]);
      expect(got.text).toMatch(says);
      expect(got.headers.get('Content-Type')).toMatch(/^text\/html/);
    }
  });

  test('a parameter that is sent twice', async () => {
    const world = oauthWorld();
    const path = `${flow.authorizePath(await flow.clientId(world))}&redirect_uri=https%3A%2F%2Fevil.example.com`;
    expect((await flow.send(world, path)).status).toBe(400);
  });
});

describe('a code', () => {
  const refused = {
    error: 'invalid_grant',
    error_description: expect.stringContaining('unknown, late or used'),
  };

  async function withCode(more = {}) {
    const world = oauthWorld();
    const client = await flow.clientId(world);
    const code = await flow.codeFor(
      world,
      client,
      world.key(ALL_SCOPES, 'me', 'key_1'),
      more,
    );
    return { world, client, code };
  }

  test('works once', async () => {
    const { world, client, code } = await withCode();
    expect((await flow.exchange(world, client, code)).status).toBe(200);
    const { status, body } = await flow.exchange(world, client, code);
    expect([status, body]).toEqual([400, refused]);
  });

  test('works for 60 seconds, also if the clock is set back', async () => {
    const { world, client, code } = await withCode();
    const other = await flow.codeFor(world, client, world.key());
    world.now += 59_999;
    expect((await flow.exchange(world, client, code)).status).toBe(200);
    world.now += 1;
    expect((await flow.exchange(world, client, other)).body).toEqual(refused);
    world.now -= 60_000;
    for (const again of [code, other])
      expect((await flow.exchange(world, client, again)).body).toEqual(refused);
  });

  test.each([
    ['another redirect', { redirect_uri: `${REDIRECT}2` }],
    ['no redirect', { redirect_uri: undefined }],
    ['another verifier', { code_verifier: 'w'.repeat(43) }],
    ['the challenge as verifier', { code_verifier: CHALLENGE }],
    ['a short verifier', { code_verifier: 'v' }],
    ['no verifier', { code_verifier: undefined }],
  ])('is refused and used up with %s', async (_what, more) => {
    const { world, client, code } = await withCode();
    expect((await flow.exchange(world, client, code, more)).body).toEqual(refused);
    expect((await flow.exchange(world, client, code)).body).toEqual(refused);
  });

  test('of one client is refused to another, also to one with the same name and redirect', async () => {
    const { world, code } = await withCode();
    const other = await flow.clientId(world);
    expect((await flow.exchange(world, other, code)).body).toEqual(refused);
  });

  test.each([
    ['an unknown client', { client_id: 'x' }, 401, 'invalid_client'],
    ['no client', { client_id: undefined }, 401, 'invalid_client'],
    ['another grant', { grant_type: 'refresh_token' }, 400, 'unsupported_grant_type'],
    ['no grant', { grant_type: undefined }, 400, 'unsupported_grant_type'],
    ['another resource', { resource: `${PUBLIC_URL}/v1` }, 400, 'invalid_target'],
  ])('is refused with %s', async (_what, more, status, error) => {
    const { world, client, code } = await withCode();
    const got = await flow.exchange(world, client, code, more);
    expect([got.status, got.body.error]).toEqual([status, error]);
  });

  test('ends with its key, before the client takes it and before the owner allows it', async () => {
    const { world, client, code } = await withCode();
    const ticket = await flow.ticketFor(
      world,
      flow.authorizePath(client),
      world.key(ALL_SCOPES, 'me', 'key_2'),
    );
    revokeKey(world.files.keys, 'key_1', world.now);
    revokeKey(world.files.keys, 'key_2', world.now);
    expect((await flow.exchange(world, client, code)).body).toMatchObject({
      error: 'invalid_grant',
    });
    const allowed = await flow.answer(world, ticket);
    expect([allowed.status, allowed.headers.get('Location')]).toEqual([401, null]);
    expect(allowed.text).toContain('revoked');
  });

  test('of before a restart is unknown', async () => {
    const { client, code } = await withCode();
    // With the same secret, under which the client is still known.
    expect((await flow.exchange(oauthWorld(), client, code)).body).toEqual(refused);
  });

  test('a full set refuses new codes and forgets no used one', () => {
    let now = NOW;
    const codes = new Codes(() => now);
    const issue = (key = 'key_1') => codes.issue({ key, client: null, binding: 'b' });
    const used = Array.from({ length: 1000 }, (_, i) => issue(`key_of_${i % 50}`));
    for (const code of used) expect(codes.redeem(code)).toMatchObject({ client: null });
    expect(codes.redeem(issue())).toBeUndefined();
    expect(used.filter((code) => codes.redeem(code))).toEqual([]);
    now += 60_000;
    expect(codes.redeem(issue())).toMatchObject({ key: 'key_1' });
    expect(used.filter((code) => codes.redeem(code))).toEqual([]);
  });
});

test('a key that redeems many codes keeps no other from its own', () => {
  const codes = new Codes(() => NOW);
  const issue = (key: string) => codes.issue({ key, client: null, binding: 'b' });
  const redeemed = Array.from(
    { length: 25 },
    () => codes.redeem(issue('key_1')) !== undefined,
  );
  expect(redeemed).toEqual(Array.from({ length: 25 }, (_, i) => i < 20));
  expect(codes.redeem(issue('key_2'))).toMatchObject({ key: 'key_2' });
});

test('typing a valid key counts to its rate limit', async () => {
  const world = oauthWorld(flow.PUBLIC_URL, { rateLimit: 3 });
  const path = flow.authorizePath(await flow.clientId(world));
  const [key, other] = [world.key(), world.key(ALL_SCOPES, 'me', 'key_2')];
  const typed = async (text: string) =>
    (await flow.post(world, path, { key: text }, flow.OWN_FORM)).status;
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push(await typed(key));
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await world.ask('/v1/me', { key })).status).toBe(429);
  expect(await typed(other)).toBe(200);
});

describe('tampering', () => {
  const key = createSecretKey(Buffer.alloc(32, 1));

  test('a changed, shortened, extended or otherwise encoded statement is unknown', () => {
    const sealed = seal(key, { a: 1 });
    expect(unseal(key, sealed)).toEqual({ a: 1 });
    const changed = [...sealed].map((character, i) => {
      const other = character === 'A' ? 'B' : 'A';
      return sealed.slice(0, i) + other + sealed.slice(i + 1);
    });
    const forms = [
      `${sealed}=`,
      `${sealed}A`,
      ` ${sealed}`,
      sealed.slice(0, -1),
      sealed.slice(4),
      '',
      'A'.repeat(40),
    ];
    for (const text of [...changed, ...forms]) expect(unseal(key, text)).toBeUndefined();
    expect(unseal(createSecretKey(Buffer.alloc(32, 2)), sealed)).toBeUndefined();
  });

  test('nothing sealed passes for another kind, under another secret, or for another service', async () => {
    const world = oauthWorld();
    const client = await flow.clientId(world);
    const ticket = await flow.ticketFor(world, flow.authorizePath(client), world.key());
    const code = flow.answerIn(await flow.answer(world, ticket))['code'] as string;
    const token = (await flow.exchange(world, client, code)).body.access_token.slice(4);
    const fresh = await flow.codeFor(world, client, world.key());
    for (const [i, sealed] of [client, ticket, fresh, token].entries()) {
      if (i !== 0)
        expect((await flow.send(world, flow.authorizePath(sealed))).status).toBe(400);
      if (i !== 1) expect((await flow.answer(world, sealed)).status).toBe(400);
      if (i !== 2) expect((await flow.exchange(world, client, sealed)).status).toBe(400);
      if (i !== 3)
        expect((await flow.callTool(world, `jat_${sealed}`)).body.code).toBe(
          'invalid_key',
        );
    }
    const statement = { key: 'key_1', client: 'Agent', audience: `${PUBLIC_URL}/mcp` };
    world.key(ALL_SCOPES, 'me', 'key_1');
    const forged = (secret = openSecret(world.files), more = {}) =>
      flow.callTool(
        world,
        `jat_${seal(secret.sealing('token'), { ...statement, ...more })}`,
      );
    expect((await forged()).status).toBe(200);
    expect((await forged(secretOf(Buffer.alloc(32, 9)))).status).toBe(401);
    expect(
      (await forged(undefined, { audience: 'https://other.example.org/mcp' })).status,
    ).toBe(401);
    expect((await forged(undefined, { key: 'key_unknown' })).status).toBe(401);
  });
});

describe('a form', () => {
  test.each([
    [
      'another site',
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example.com' },
    ],
    [
      'a subdomain',
      { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.journal.example.org' },
    ],
    ['a typed address', { 'Sec-Fetch-Site': 'none' }],
    [
      'another site that names this one',
      { 'Sec-Fetch-Site': 'cross-site', Origin: PUBLIC_URL },
    ],
    ['another site, in an old browser', { Origin: 'https://evil.example.com' }],
    ['the origin null', { Origin: 'null' }],
    [
      'a foreign page, without an origin',
      { Referer: 'https://evil.example.com/?https://journal.example.org' },
    ],
    ['an unreadable referrer', { Referer: 'journal.example.org' }],
    ['nothing', {}],
  ])('of %s is refused', async (_what, headers) => {
    const world = oauthWorld();
    const path = flow.authorizePath(await flow.clientId(world));
    const ticket = await flow.ticketFor(world, path, world.key());
    for (const got of [
      await flow.post(
        world,
        path,
        { key: world.key() },
        headers as Record<string, string>,
      ),
      await flow.post(
        world,
        '/oauth/answer',
        { ticket, answer: 'allow' },
        headers as Record<string, string>,
      ),
    ]) {
      expect([got.status, got.headers.get('Location')]).toEqual([403, null]);
      expect(got.text).not.toContain('name="ticket"');
    }
  });

  test.each([
    ['an origin', { Origin: PUBLIC_URL }],
    ['a referrer', { Referer: `${PUBLIC_URL}/oauth/authorize?x` }],
  ])("of the service's own page is accepted by %s", async (_what, headers) => {
    const world = oauthWorld();
    const path = flow.authorizePath(await flow.clientId(world));
    const got = await flow.post(
      world,
      path,
      { key: world.key() },
      headers as Record<string, string>,
    );
    expect([got.status, got.text]).toEqual([
      200,
      expect.stringContaining('name="ticket"'),
    ]);
  });

  test('with an old ticket is refused', async () => {
    const world = oauthWorld();
    const ticket = await flow.ticketFor(
      world,
      flow.authorizePath(await flow.clientId(world)),
      world.key(),
    );
    world.now += 299_999;
    expect((await flow.answer(world, ticket)).status).toBe(303);
    world.now += 1;
    const late = await flow.answer(world, ticket);
    expect([late.status, late.text]).toEqual([400, expect.stringContaining('expired')]);
  });

  test.each(['', 'yes', 'ALLOW'])('with the answer %j is no answer', async (word) => {
    const world = oauthWorld();
    const ticket = await flow.ticketFor(
      world,
      flow.authorizePath(await flow.clientId(world)),
      world.key(),
    );
    const { status, headers } = await flow.answer(world, ticket, word);
    expect([status, headers.get('Location')]).toEqual([400, null]);
  });
});

test('pages are neither framed nor cached, and run no scripts', async () => {
  const world = oauthWorld();
  const path = flow.authorizePath(await flow.clientId(world));
  const pages = [
    await flow.send(world, path),
    await flow.post(world, path, { key: world.key() }, OWN_FORM),
    await flow.post(world, path, { key: 'wrong' }, OWN_FORM),
    await flow.send(world, '/oauth/authorize'),
  ];
  const targets = ["'self'", "'self' https://agent.example.com", "'self'", "'self'"];
  for (const [i, { headers, text }] of pages.entries()) {
    expect(headers.get('Content-Security-Policy')).toBe(
      `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action ${targets[i]}; frame-ancestors 'none'`,
    );
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Referrer-Policy')).toBe('same-origin');
    expect(text).not.toMatch(/<script|javascript:| on\w+=/i);
  }
});

describe('a token', () => {
  test('is no key: /v1 refuses it in both headers, and the page too', async () => {
    const world = oauthWorld();
    const token = await flow.tokenFor(world, world.key());
    for (const headers of [
      { Authorization: `Bearer ${token}` },
      { 'x-api-key': token },
    ]) {
      for (const path of ['/v1/me', '/v1/trades', '/v1/unknown']) {
        const got = await flow.send(world, path, {
          headers: headers as Record<string, string>,
        });
        expect(got.body).toMatchObject({
          status: 401,
          code: 'invalid_key',
          detail: expect.stringContaining('/mcp'),
        });
      }
    }
    const typed = await flow.post(
      world,
      flow.authorizePath(await flow.clientId(world)),
      { key: token },
      OWN_FORM,
    );
    expect([typed.status, typed.text]).toEqual([
      401,
      expect.stringContaining('Key refused'),
    ]);
  });

  test('with a key beside it is two credentials', async () => {
    const world = oauthWorld();
    const token = await flow.tokenFor(world, world.key());
    const headers = { Authorization: `Bearer ${token}`, 'x-api-key': world.key() };
    expect((await flow.send(world, '/mcp', { method: 'POST', headers })).body.code).toBe(
      'conflicting_credentials',
    );
  });
});

describe('limits', () => {
  test('wrong keys, tickets, codes and tokens count as wrong keys, and never lock out what is valid', async () => {
    const world = oauthWorld();
    const client = await flow.clientId(world);
    const path = flow.authorizePath(client);
    const key = world.key();
    const token = await flow.tokenFor(world, key);
    const wrong = [
      () => flow.post(world, path, { key: 'jak_wrong' }, OWN_FORM),
      () => flow.answer(world, 'wrong'),
      () => flow.exchange(world, client, 'wrong'),
      () => flow.callTool(world, 'jat_wrong'),
      () => flow.callTool(world, 'jak_wrong'),
    ];
    for (let i = 0; i < 30; i++)
      expect([400, 401]).toContain((await wrong[i % wrong.length]!()).status);
    for (const attempt of wrong) {
      const got = await attempt();
      expect([got.status, got.headers.get('Retry-After')]).toEqual([429, '2']);
    }
    expect((await flow.callTool(world, token)).status).toBe(200);
    const code = await flow.codeFor(world, client, key);
    expect((await flow.exchange(world, client, code)).status).toBe(200);
  });

  test('registrations are limited by address', async () => {
    const world = oauthWorld();
    const body = { redirect_uris: [REDIRECT] };
    for (let i = 0; i < 20; i++)
      expect((await flow.registering(world, body)).status).toBe(201);
    const got = await flow.registering(world, body);
    expect([got.status, got.headers.get('Retry-After'), got.body.error]).toEqual([
      429,
      '3',
      'rate_limited',
    ]);
    expect(got.headers.get('Access-Control-Allow-Origin')).toBe('*');
    world.now += 3000;
    expect((await flow.registering(world, body)).status).toBe(201);
  });
});

test('other origins read metadata, registration and tokens, without credentials, and nothing else', async () => {
  const world = oauthWorld();
  const client = await flow.clientId(world);
  const origin = { Origin: 'https://evil.example.com' };
  const allowed = async (path: string, init: RequestInit = {}) => {
    const { headers } = await flow.send(world, path, {
      ...init,
      headers: { ...origin, ...init.headers },
    });
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
    return headers.get('Access-Control-Allow-Origin');
  };
  const open = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
    '/oauth/register',
    '/oauth/token',
  ];
  const preflight = {
    method: 'OPTIONS',
    headers: { 'Access-Control-Request-Method': 'POST' },
  };
  for (const path of open) {
    expect([path, await allowed(path), await allowed(path, preflight)]).toEqual([
      path,
      '*',
      '*',
    ]);
  }
  for (const path of [
    '/v1/me',
    '/mcp',
    flow.authorizePath(client),
    '/oauth/answer',
    '/',
    '/healthz',
  ]) {
    expect([path, await allowed(path), await allowed(path, preflight)]).toEqual([
      path,
      null,
      null,
    ]);
  }
});

test.each([
  ['GET', '/oauth/token', 'POST, OPTIONS'],
  ['DELETE', '/oauth/register', 'POST, OPTIONS'],
  ['GET', '/oauth/answer', 'POST'],
  ['PUT', '/oauth/authorize', 'GET, HEAD, POST'],
  ['OPTIONS', '/oauth/answer', 'POST'],
])('%s of %s is refused', async (method, path, allow) => {
  const got = await flow.send(oauthWorld(), path, { method });
  expect([got.status, got.headers.get('Allow')]).toEqual([405, allow]);
});

test.each([
  '/oauth/authorize',
  '/.well-known/oauth-authorization-server',
  '/oauth/token',
])('an unknown host is refused at %s', async (path) => {
  const got = await flow.send(oauthWorld(), path, {
    headers: { Host: 'evil.example.com' },
  });
  expect(got.status).toBe(421);
});

test('the log has the paths and the id of the key: no key, ticket, code, token, state or client', async () => {
  const world = oauthWorld();
  const key = world.key(ALL_SCOPES, 'me', 'key_1');
  const client = await flow.clientId(world, 'Secretive Agent');
  const path = flow.authorizePath(client);
  await flow.send(world, path);
  const ticket = await flow.ticketFor(world, path, key);
  const code = flow.answerIn(await flow.answer(world, ticket))['code'] as string;
  const { access_token: token } = (await flow.exchange(world, client, code)).body;
  await flow.callTool(world, token);
  for (const wrong of [key, token, code, ticket]) {
    await flow.callTool(world, wrong);
    await flow.send(world, `/${wrong}`);
    await flow.send(world, `/oauth/authorize?key=${wrong}`);
  }
  // A request id of the client is logged, unless it has the prefix of a key or token.
  for (const wrong of [key, token]) {
    await flow.send(world, '/oauth/authorize', {
      headers: { 'X-Request-Id': wrong.slice(0, 128) },
    });
  }
  const log = world.log.join('');
  for (const secret of [
    key,
    ticket,
    code,
    token,
    client,
    'state-1',
    VERIFIER,
    'Secretive',
    REDIRECT,
  ]) {
    expect(log).not.toContain(secret.slice(0, 40));
  }
  const lines = world.log.map((line) => JSON.parse(line));
  expect(
    lines
      .slice(0, 6)
      .map(({ method, path, status, key_id }) => [method, path, status, key_id]),
  ).toEqual([
    ['POST', '/oauth/register', 201, null],
    ['GET', '/oauth/authorize', 200, null],
    ['POST', '/oauth/authorize', 200, 'key_1'],
    ['POST', '/oauth/answer', 303, 'key_1'],
    ['POST', '/oauth/token', 200, 'key_1'],
    ['POST', '/mcp', 200, 'key_1'],
  ]);
});
