/** What an authorization gives: pages, answers, codes and tokens, and how long they live. */
import { expect, test } from 'vitest';
import { ALL_SCOPES } from '../../../src/keys/scopes.ts';
import { listActivity, revokeKey } from '../../../src/keys/store.ts';
import { DAY, tradeRow, World } from '../../helpers.ts';
import { runHere } from '../../program.ts';
import * as flow from './flow.ts';

const { PUBLIC_URL, oauthWorld } = flow;

test('off by default: each path is unknown, and /mcp names no metadata', async () => {
  const world = new World();
  for (const path of [
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/oauth/authorize',
  ]) {
    expect([path, (await flow.send(world, path)).status]).toEqual([path, 404]);
  }
  for (const path of ['/oauth/register', '/oauth/token', '/oauth/answer']) {
    expect([path, (await flow.post(world, path, {})).status]).toEqual([path, 404]);
  }
});

test('metadata names the endpoints, and nothing that is not there', async () => {
  const world = oauthWorld();
  const server = await flow.send(world, '/.well-known/oauth-authorization-server');
  expect(server.body).toEqual({
    issuer: PUBLIC_URL,
    authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
    token_endpoint: `${PUBLIC_URL}/oauth/token`,
    registration_endpoint: `${PUBLIC_URL}/oauth/register`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
  const resource = await flow.send(world, '/.well-known/oauth-protected-resource/mcp');
  expect(resource.body).toEqual({
    resource: `${PUBLIC_URL}/mcp`,
    authorization_servers: [PUBLIC_URL],
    resource_name: 'Trading journal',
  });
  expect(server.headers.get('X-Content-Type-Options')).toBe('nosniff');
});

test('a 401 of /mcp names the metadata; one of /v1 does not', async () => {
  const world = oauthWorld();
  const metadata = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`;
  const missing = await flow.send(world, '/mcp', { method: 'POST' });
  expect([missing.status, missing.headers.get('WWW-Authenticate')]).toEqual([
    401,
    `Bearer realm="journal-api", ${metadata}`,
  ]);
  const wrong = await flow.callTool(world, 'jat_wrong');
  expect(wrong.headers.get('WWW-Authenticate')).toMatch(
    /error="invalid_token", error_description=".*", resource_meta/,
  );
  expect((await world.ask('/v1/me')).headers.get('WWW-Authenticate')).toBe(
    'Bearer realm="journal-api"',
  );
});

test('a token reads at /mcp what its key reads, under the scopes of the key', async () => {
  const world = oauthWorld();
  world.insert('trades', tradeRow('t-1'));
  const client = await flow.clientId(world);
  const code = await flow.codeFor(world, client, world.key(['agent_summary:read']), {
    scope: 'trades:read',
  });
  const { status, body, headers } = await flow.exchange(world, client, code, {
    resource: `${PUBLIC_URL}/mcp`,
  });
  expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store']);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^jat_[\w-]+$/),
    token_type: 'Bearer',
    expires_in: (30 * DAY) / 1000,
    scope: 'agent_summary:read',
  });
  const { text } = await flow.callTool(world, body.access_token);
  expect(text).toContain('net_pnl');
  // The key itself works as before.
  expect((await flow.callTool(world, world.key())).status).toBe(200);
});

test('the answer has state and issuer, is sent once, and keeps the query of the redirect URI', async () => {
  const world = oauthWorld();
  const redirect = 'https://agent.example.com/cb?a=b%20c&d';
  const client = await flow.clientId(world, 'Agent', [redirect]);
  const path = flow.authorizePath(client, { redirect_uri: redirect, state: 'a&b=ü ' });
  const ticket = await flow.ticketFor(world, path, world.key());
  const allowed = await flow.answer(world, ticket);
  expect(allowed.status).toBe(303);
  expect(allowed.headers.get('Location')).toMatch(
    /^https:\/\/agent\.example\.com\/cb\?a=b%20c&d&code=[\w-]+&state=/,
  );
  expect(flow.answerIn(allowed)).toMatchObject({ state: 'a&b=ü ', iss: PUBLIC_URL });
  expect(flow.answerIn(await flow.answer(world, ticket, 'cancel'))).toEqual({
    a: 'b c',
    d: '',
    error: 'access_denied',
    state: 'a&b=ü ',
    iss: PUBLIC_URL,
  });
  const stateless = await flow.ticketFor(
    world,
    flow.authorizePath(client, { redirect_uri: redirect, state: '' }),
    world.key(),
  );
  expect(flow.answerIn(await flow.answer(world, stateless))).not.toHaveProperty('state');
});

test('a token lives as long as its key: it ends by expiry and revocation, on the very next request', async () => {
  const world = oauthWorld();
  const revoked = await flow.tokenFor(world, world.key(ALL_SCOPES, 'me', 'key_revoked'));
  const expiring = await flow.tokenFor(world, world.key());
  expect((await flow.callTool(world, revoked)).status).toBe(200);
  revokeKey(world.files.keys, 'key_revoked', world.now);
  expect((await flow.callTool(world, revoked)).body).toMatchObject({
    status: 401,
    code: 'revoked_key',
  });
  world.now += 30 * DAY - 1;
  expect((await flow.callTool(world, expiring)).status).toBe(200);
  world.now += 1;
  expect((await flow.callTool(world, expiring)).body).toMatchObject({
    status: 401,
    code: 'expired_key',
  });
});

test('a rotated key takes its tokens along; with a grace they keep its end', async () => {
  const world = oauthWorld();
  world.now = Date.now();
  const rotate = (id: string, ...more: string[]) =>
    runHere(['key', 'rotate', id, '--home', world.files.home, ...more]);
  const token = await flow.tokenFor(world, world.key(ALL_SCOPES, 'me', 'key_at_once'));
  expect((await rotate('key_at_once')).code).toBe(0);
  expect((await flow.callTool(world, token)).body.code).toBe('revoked_key');
  const graced = await flow.tokenFor(world, world.key(ALL_SCOPES, 'me', 'key_graced'));
  const before = Date.now();
  expect((await rotate('key_graced', '--grace', '1h')).code).toBe(0);
  world.now = before + 3_599_000;
  expect((await flow.callTool(world, graced)).status).toBe(200);
  world.now = Date.now() + 3_600_001;
  expect((await flow.callTool(world, graced)).body.code).toBe('expired_key');
});

test('activity shows what came by token under the name of the client, cut to 40 characters', async () => {
  const world = oauthWorld();
  const client = await flow.clientId(world, `Agent ${'x'.repeat(60)}`);
  const key = world.key(ALL_SCOPES, 'me', 'key_read');
  await flow.answer(
    world,
    await flow.ticketFor(world, flow.authorizePath(client), key),
    'cancel',
  );
  const names = () => {
    world.keys.flush();
    return [
      ...new Set(listActivity(world.files.keys).map(({ id, name }) => `${id} ${name}`)),
    ];
  };
  // The second page reads what it shows with the key itself.
  expect(names()).toEqual(['key_read test']);
  const { body } = await flow.exchange(
    world,
    client,
    await flow.codeFor(world, client, key),
  );
  await flow.callTool(world, body.access_token);
  expect(names()).toEqual([`key_read Agent ${'x'.repeat(34)}`, 'key_read test']);
});
