/** A link's ticket for a key, over a real connection: once, soon, and for nobody who guesses. */
import { request } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../src/http/server.ts';
import { createTicket, TICKET_MS, type Ticket } from '../../src/http/ticket.ts';
import { revokeKey } from '../../src/keys/store.ts';
import { atEnd, World } from '../helpers.ts';

const ID = 'key_phone0001';

let world: World;
let ticket: Ticket;
let key: string | undefined;
let url: string;
let events: string[];

beforeEach(async () => {
  events = [];
  world = new World({}, ({ now }) => {
    ticket = createTicket({
      key: () => key,
      now,
      onUse: (address) => events.push(address),
      onReuse() {
        events.push('reuse');
        revokeKey(world.files.keys, ID, world.now);
      },
    });
    return { ticket: ticket.route };
  });
  key = world.key(undefined, 'me', ID);
  const server = await listen(world.app, { host: '127.0.0.1', port: 0 });
  atEnd(() => server.close());
  url = server.url;
});

interface Got {
  status: number;
  /** The code of a problem, or the key. */
  says: string;
  headers: NodeJS.Dict<string | string[]>;
}

/** Sends a request as it is: fetch refuses some headers. */
function send(
  headers: Record<string, string>,
  { method = 'POST', path = '/ticket' } = {},
): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const asked = request(
    `${url}${path}`,
    { method, headers, agent: false },
    async (response) => {
      let text = '';
      for await (const part of response) text += part;
      const body = text === '' ? {} : JSON.parse(text);
      const says = body.code ?? body.data?.key;
      resolve({ status: response.statusCode as number, says, headers: response.headers });
    },
  );
  asked.once('error', reject);
  asked.end();
  return promise;
}

const redeem = (text = ticket.text, headers: Record<string, string> = {}) =>
  send({ Authorization: `Bearer ${text}`, ...headers });

async function statusOfKey(): Promise<number> {
  return (await world.ask('/v1/me', { key: key as string })).status;
}

test('it gives the key once; its second use ends the key, as do all later ones', async () => {
  const first = await redeem();
  expect([first.status, first.says]).toEqual([200, key]);
  expect(first.headers['cache-control']).toBe('no-store');
  expect(first.headers['access-control-allow-origin']).toBe(undefined);
  expect(await statusOfKey()).toBe(200);

  for (const _time of [1, 2])
    expect(await redeem()).toMatchObject({ status: 401, says: 'revoked_key' });
  expect(events).toEqual(['127.0.0.1', 'reuse', 'reuse']);
  expect(await statusOfKey()).toBe(401);
  expect(world.log.join('')).not.toContain(ticket.text);
  expect(world.log.join('')).not.toContain('jak_');
});

test('of twenty clients at once one gets a key, which ends', async () => {
  const got = await Promise.all(Array.from({ length: 20 }, () => redeem()));
  expect(got.filter(({ status }) => status === 200).map(({ says }) => says)).toEqual([
    key,
  ]);
  expect(got.filter(({ says }) => says === 'revoked_key').length).toBe(19);
  expect(await statusOfKey()).toBe(401);
});

test.each([
  ['a millisecond before two minutes', TICKET_MS - 1, 200],
  ['after two minutes', TICKET_MS, 401],
  ['after a day', 720 * TICKET_MS, 401],
])('%s it gives %d', async (_when, passed, status) => {
  world.now += passed;
  expect((await redeem()).status).toBe(status);
  expect(events.length).toBe(status === 200 ? 1 : 0);
});

test('before there is a key it gives none, and stays valid', async () => {
  const later = key;
  key = undefined;
  expect(await redeem()).toMatchObject({ status: 401, says: 'expired_key' });
  key = later;
  expect((await redeem()).status).toBe(200);
});

test('guesses have to wait after 30 in a minute, and never keep the right one out', async () => {
  const codes = new Map<number, number>();
  for (let guess = 0; guess < 40; guess++) {
    const { status } = await redeem(`${'A'.repeat(20)}${guess + 10}`);
    codes.set(status, (codes.get(status) ?? 0) + 1);
  }
  expect([...codes]).toEqual([
    [401, 30],
    [429, 10],
  ]);
  expect((await redeem()).status).toBe(200);
});

describe('what is no use of it', () => {
  test.each<[string, () => Promise<Got>, number, string]>([
    ['a part of it', () => redeem(ticket.text.slice(0, -1)), 401, 'invalid_key'],
    ['more than it', () => redeem(`${ticket.text}A`), 401, 'invalid_key'],
    ['no ticket', () => send({}), 401, 'invalid_key'],
    ['another header', () => send({ 'x-api-key': ticket.text }), 401, 'invalid_key'],
    ['a query', () => send({}, { path: `/ticket?t=${ticket.text}` }), 401, 'invalid_key'],
    [
      'a GET, as previews of links send it',
      () => send({ Authorization: `Bearer ${ticket.text}` }, { method: 'GET' }),
      405,
      'method_not_allowed',
    ],
    [
      'a page of another site',
      () => redeem(ticket.text, { Origin: 'https://evil.example' }),
      403,
      'foreign_origin',
    ],
    [
      'a sandboxed page',
      () => redeem(ticket.text, { Origin: 'null' }),
      403,
      'foreign_origin',
    ],
    [
      'a name that a site points here (DNS rebinding)',
      () => redeem(ticket.text, { Host: 'evil.example', Origin: 'http://evil.example' }),
      421,
      'misdirected_request',
    ],
  ])('%s', async (_what, attempt, status, says) => {
    expect(await attempt()).toMatchObject({ status, says });
    expect(events).toEqual([]);
    const ownPage = await redeem(ticket.text, { Origin: url });
    expect(ownPage.status).toBe(200);
  });

  test('a preflight allows nothing', async () => {
    const preflight = {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    };
    const got = await send(preflight, { method: 'OPTIONS' });
    expect([got.status, got.headers['access-control-allow-origin']]).toEqual([
      403,
      undefined,
    ]);
  });
});

test('without one the path does not exist', async () => {
  expect((await new World().app.request('/ticket', { method: 'POST' })).status).toBe(404);
});
