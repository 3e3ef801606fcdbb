/** Limits of wrong keys per client address. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ClientAddress } from '../../src/http/host.ts';
import { generateKey } from '../../src/keys/format.ts';
import { World } from '../helpers.ts';

const incomingFrom = (remoteAddress: string) => ({
  incoming: {
    socket: { remoteAddress },
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
  },
});

describe('wrong keys from one address', () => {
  let world: World;
  let key: string;

  const begin = (...settings: ConstructorParameters<typeof World>) => {
    world = new World(...settings);
    key = world.key();
  };

  beforeEach(() => begin());

  /** A request as the server passes it on, with the address of the connection. */
  const from = async (peer: string, as: string, forwardedFor?: string) => {
    const headers = {
      Authorization: `Bearer ${as}`,
      ...(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }),
    };
    const response = await world.app.request('/v1/me', { headers }, incomingFrom(peer));
    return response.status;
  };
  const wrong = generateKey();

  test('wait after 30 per minute; a valid key never does', async () => {
    for (let i = 0; i < 30; i++)
      expect(await from('192.0.2.1', i % 2 ? wrong : 'nonsense')).toBe(401);
    const response = await world.app.request(
      '/v1/me',
      { headers: { Authorization: `Bearer ${wrong}` } },
      incomingFrom('192.0.2.1'),
    );
    expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '2']);
    expect(await response.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringContaining('invalid keys'),
    });
    expect(await from('192.0.2.1', key)).toBe(200);
    expect(await from('192.0.2.2', wrong)).toBe(401);
    world.now += 2_000;
    expect([await from('192.0.2.1', wrong), await from('192.0.2.1', wrong)]).toEqual([
      401, 429,
    ]);
  });

  test('a request without a key is not counted', async () => {
    for (let i = 0; i < 40; i++)
      expect((await world.app.request('/v1/me')).status).toBe(401);
  });

  test('a forged X-Forwarded-For has no effect', async () => {
    for (let i = 0; i < 30; i++)
      expect(await from('127.0.0.1', wrong, `198.51.100.${i}`)).toBe(401);
    expect(await from('127.0.0.1', wrong, '198.51.100.99')).toBe(429);
  });

  test('behind a trusted proxy each client is counted separately, even with a forged address', async () => {
    begin({}, { trustProxy: true });
    for (let i = 0; i < 30; i++)
      expect(await from('::ffff:127.0.0.1', wrong, `203.0.113.${i}, 198.51.100.1`)).toBe(
        401,
      );
    expect(await from('127.0.0.1', wrong, '203.0.113.77, 198.51.100.1')).toBe(429);
    expect(await from('127.0.0.1', wrong, '198.51.100.2')).toBe(401);
    // Any program on this machine can send addresses, so all of them share 300 per minute, of which 32 are used.
    for (let i = 0; i < 268; i++)
      expect(await from('127.0.0.1', wrong, `203.0.${i % 250}.${i < 250 ? 1 : 2}`)).toBe(
        401,
      );
    expect(await from('127.0.0.1', wrong, '203.0.250.1')).toBe(429);
    expect(await from('127.0.0.1', key, '203.0.250.1')).toBe(200);
    world.now += 200;
    expect([
      await from('127.0.0.1', wrong, '203.0.251.1'),
      await from('127.0.0.1', wrong, '203.0.252.1'),
    ]).toEqual([401, 429]);
    // An untrusted peer counts as itself.
    for (let i = 0; i < 30; i++)
      expect(await from('192.0.2.9', wrong, `198.51.100.${i}`)).toBe(401);
    expect(await from('192.0.2.9', wrong, '198.51.100.200')).toBe(429);
  });
});

test.each([
  // trust, peer, X-Forwarded-For, counted as
  [false, '192.0.2.1', undefined, '192.0.2.1'],
  [false, '127.0.0.1', '198.51.100.1', '127.0.0.1'],
  [false, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
  [false, '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  [false, '2001:db8:1:2::1', undefined, '2001:db8:1:2::/64'],
  [false, '2001:0DB8:0001:0002::1', undefined, '2001:db8:1:2::/64'],
  [false, '2001:db8::1', undefined, '2001:db8:0:0::/64'],
  [false, '::1', undefined, '0:0:0:0::/64'],
  [false, '2001:db8:1:2:3::', undefined, '2001:db8:1:2::/64'],
  [false, 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
  [true, '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  [true, '127.9.9.9', '198.51.100.1', '198.51.100.1'],
  [true, '::1', '198.51.100.1', '198.51.100.1'],
  [true, '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
  [true, '127.0.0.1', '10.0.0.1, 198.51.100.1', '198.51.100.1'],
  [true, '127.0.0.1', '10.0.0.1,198.51.100.1 ', '198.51.100.1'],
  [true, '127.0.0.1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  [true, '127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  [true, '127.0.0.1', undefined, '127.0.0.1'],
  [true, '127.0.0.1', '', '127.0.0.1'],
  [true, '127.0.0.1', 'unknown', '127.0.0.1'],
  [true, '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
  [true, '192.0.2.1', '198.51.100.1', '192.0.2.1'],
  [true, '', '198.51.100.1', ''],
  [['192.0.2.1'], '192.0.2.1', '198.51.100.1', '198.51.100.1'],
  [['192.0.2.1'], '::ffff:192.0.2.1', '198.51.100.1', '198.51.100.1'],
  [['192.0.2.1'], '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  [['192.0.2.1'], '192.0.2.2', '198.51.100.1', '192.0.2.2'],
  [['2001:db8::5'], '2001:db8:0::5', '198.51.100.1', '198.51.100.1'],
  [['2001:db8::5'], '2001:db8::6', '198.51.100.1', '2001:db8:0:0::/64'],
] as const)(
  'trusting %j, %s with %j counts as %s',
  (trust, peer, forwardedFor, expected) => {
    expect(new ClientAddress(trust).of(peer, forwardedFor)).toBe(expected);
  },
);

test.each([
  ['its port stripped', true, '127.0.0.1', '203.0.113.9:52110', '203.0.113.9'],
  ['IPv6 in brackets, by /64', true, '::1', '[2001:db8:0:1::7]:443', '2001:db8:0:1::/64'],
  ['a trusted network', ['10.0.0.0/8'], '10.2.3.4', '203.0.113.9', '203.0.113.9'],
  ['a trusted network of IPv6', ['fd00::/8'], 'fd12::1', '203.0.113.9', '203.0.113.9'],
  [
    'outside of the trusted network',
    ['10.0.0.0/8'],
    '11.2.3.4',
    '203.0.113.9',
    '11.2.3.4',
  ],
  [
    'IPv4 in an IPv6 socket, in hexadecimal',
    false,
    '::ffff:c000:201',
    undefined,
    '192.0.2.1',
  ],
  ['a trusted peer, in hexadecimal', true, '::ffff:7f00:1', '203.0.113.9', '203.0.113.9'],
  ['a client, in hexadecimal', true, '127.0.0.1', '::FFFF:CB00:7109', '203.0.113.9'],
  [
    'a client, with every group',
    true,
    '127.0.0.1',
    '0:0:0:0:0:ffff:203.0.113.9',
    '203.0.113.9',
  ],
  [
    'a trusted network, written as IPv6',
    ['::ffff:10.0.0.0/104'],
    '10.2.3.4',
    '203.0.113.9',
    '203.0.113.9',
  ],
  ['outside of it', ['::ffff:10.0.0.0/104'], '11.2.3.4', '203.0.113.9', '11.2.3.4'],
  [
    'IPv6 with a network of IPv4',
    ['0.0.0.0/0'],
    '2001:db8::1',
    '203.0.113.9',
    '2001:db8:0:0::/64',
  ],
  ['a zone of any name', false, 'fe80::1%br-12.7', undefined, 'fe80:0:0:0::/64'],
  ['IPv4 in octal, as no proxy writes it', true, '127.0.0.1', '010.0.0.1', '127.0.0.1'],
  ['IPv4 as one number', true, '127.0.0.1', '3405803785', '127.0.0.1'],
  ['nonsense in the header', true, '127.0.0.1', 'unknown', '127.0.0.1'],
] as const)('%s', (_name, trust, peer, forwarded, expected) => {
  expect(new ClientAddress(trust).of(peer, forwarded)).toBe(expected);
});
