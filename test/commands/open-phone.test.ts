/** `open --phone`: its address, its questions, its key. */
import { isIPv6 } from 'node:net';
import type { networkInterfaces } from 'node:os';
import { PassThrough } from 'node:stream';
import { encode } from 'uqr';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  agreedHide,
  chosenAddress,
  requirePrivate,
} from '../../src/commands/open-phone.ts';
import { listKeys } from '../../src/keys/store.ts';
import { certificate } from '../certificate.ts';
import { tradeRow, World } from '../helpers.ts';
import { runHere } from '../program.ts';
import { hasTerminal, onTerminal } from '../terminal.ts';

let world: World;
let home: string;

beforeEach(() => {
  world = new World();
  home = world.files.home;
});

test('without a terminal it shows no code, and makes no key', async () => {
  const { code, stdout, stderr } = await runHere([
    'open',
    '--phone',
    '--yes',
    '--home',
    home,
  ]);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    expect.stringContaining('run it in a terminal'),
  ]);
  expect(listKeys(world.files.keys)).toEqual([]);
});

describe('the address', () => {
  test.each([
    ['192.168.1.5', '192.168.1.5'],
    ['10.0.0.9', '10.0.0.9'],
    ['172.31.0.1', '172.31.0.1'],
    ['100.101.102.103', '100.101.102.103'],
    ['127.0.0.1', '127.0.0.1'],
    ['FD12:3456::0001', 'fd12:3456::1'],
    ['::ffff:192.168.1.5', '192.168.1.5'],
  ])('%s is private', (host, address) => expect(requirePrivate(host)).toBe(address));

  test.each([
    '0.0.0.0',
    '::',
    '::ffff:0.0.0.0',
    '8.8.8.8',
    '172.32.0.1',
    '192.167.255.255',
    '::ffff:8.8.8.8',
    '2001:4860:4860::8888',
    '64:ff9b::a00:1',
    '169.254.1.1',
    'fe80::1',
    'fe80::1%eth0',
    '224.0.0.1',
    '255.255.255.255',
    '127.1',
    '0x7f.1',
    'localhost',
    'box.local',
    '',
  ])('%s is refused', (host) =>
    expect(() => requirePrivate(host)).toThrow(/is not a private address; pass one/),
  );
});

describe('without --host', () => {
  type Interfaces = ReturnType<typeof networkInterfaces>;

  /** Interfaces of a machine with these addresses, each in a network of its own. */
  const machine = (...addresses: string[]): Interfaces =>
    Object.fromEntries(
      ['127.0.0.1', '::1', 'fe80::1', '169.254.7.7', '203.0.113.7', ...addresses].map(
        (address, place) => [
          `net${place}`,
          [
            {
              address,
              netmask: '',
              mac: '',
              cidr: null,
              internal: place < 2,
              ...(isIPv6(address)
                ? { family: 'IPv6' as const, scopeid: 0 }
                : { family: 'IPv4' as const }),
            },
          ],
        ],
      ),
    );

  function terminal(typed: string) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.write(typed);
    return { input, output };
  }

  test.each([
    [['192.168.1.5'], '192.168.1.5'],
    [['100.64.1.1', 'fd00::5', '10.1.1.1'], '10.1.1.1'],
    [['2001:db8::1', 'fd00::5'], 'fd00::5'],
  ])('of %j it is %s, without a question', async (addresses, expected) => {
    expect(await chosenAddress(machine(...addresses), undefined)).toBe(expected);
  });

  test('none is an error, and several are a question', async () => {
    await expect(chosenAddress(machine(), undefined)).rejects.toThrow(
      'no private address',
    );
    const two = machine('192.168.1.5', '172.17.0.1');
    await expect(chosenAddress(two, undefined)).rejects.toThrow(
      /several.*choose one with --host/,
    );
    const asks = terminal('172.17.0.2\n172.17.0.1\n');
    expect(await chosenAddress(two, asks)).toBe('172.17.0.1');
    expect(String(asks.output.read())).toContain('192.168.1.5 (net5), 172.17.0.1 (net6)');
    expect(await chosenAddress(two, terminal('\n'))).toBe('192.168.1.5');
  });
});

describe('without TLS', () => {
  const settings = { host: '192.168.1.5', tlsCert: undefined };

  /** The answer as typed, and what was asked. */
  async function answered(typed: string, hide?: string) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(typed);
    const options = hide === undefined ? {} : { hide };
    const result = await agreedHide(settings, options, { input, output }).catch(
      (error: Error) => error.message,
    );
    return { result, question: String(output.read()) };
  }

  test.each([
    ['y\n', undefined, undefined],
    ['m\n', undefined, 'money'],
    ['m\n', 'texts', 'texts,money'],
    ['what\nM\n', undefined, 'money'],
    ['YES\n', 'money', 'money'],
    ['\n', undefined, 'the journal was not opened'],
    ['n\n', undefined, 'the journal was not opened'],
    ['', undefined, 'no answer; nothing was changed'],
    ['what\nwhat\n', undefined, 'no answer; nothing was changed'],
  ])('%j with --hide %s comes to %s', async (typed, hide, result) => {
    const got = await answered(typed, hide);
    expect(got.result).toBe(result);
    expect(got.question).toContain(
      'anybody in this network can read the key and the journal',
    );
    expect(got.question.includes('--hide money')).toBe(hide !== 'money');
  });

  test('nothing is asked with --yes, over TLS, or on this machine alone', async () => {
    expect(await agreedHide(settings, { yes: true, hide: 'texts' }, undefined)).toBe(
      'texts',
    );
    expect(await agreedHide({ ...settings, tlsCert: 'a.pem' }, {}, undefined)).toBe(
      undefined,
    );
    expect(await agreedHide({ ...settings, host: '127.0.0.1' }, {}, undefined)).toBe(
      undefined,
    );
    await expect(agreedHide(settings, {}, undefined)).rejects.toThrow(
      /pass --yes, with --hide/,
    );
  });
});

/** The modules of the code on the screen: true for black. */
function modulesIn(screen: string): boolean[][] {
  const [begin, end] = ['\x1b[97;40m', '\x1b[0m'];
  const lines = screen.split('\r\n').filter((line) => line.startsWith(begin));
  const blocks = lines.map((line) => line.slice(begin.length, -end.length));
  const upper = (block: string) => block !== '█' && block !== '▀';
  const lower = (block: string) => block !== '█' && block !== '▄';
  return blocks.flatMap((line) => [[...line].map(upper), [...line].map(lower)]);
}

async function meOf(url: string, key: string) {
  const reply = await fetch(`${url}/v1/me`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return { status: reply.status, body: (await reply.json()) as any };
}

async function redeem(url: string, ticket: string) {
  const headers = { Authorization: `Bearer ${ticket}` };
  const reply = await fetch(`${url}/ticket`, { method: 'POST', headers });
  return { status: reply.status, body: (await reply.json()) as any };
}

describe.skipIf(!hasTerminal)("on a terminal (needs util-linux's script)", () => {
  const open = (...more: string[]) =>
    onTerminal(
      'open',
      '--phone',
      '--home',
      home,
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      ...more,
    );
  const LINK = /(http\S+)\/#ticket=([\w-]{22})\r\n/;

  test('the code gives a phone its key; its second use ends key and listener', async () => {
    world.insert('trades', tradeRow('t-1', { account: 'main' }));
    const terminal = open('--hide', 'money', '--accounts', 'main');
    const [link, url = '', ticket = ''] = await terminal.until(LINK);
    await terminal.until(/Stop with Ctrl-C/);
    expect(terminal.seen()).toContain(
      'It shows trades of the account main, without money.',
    );
    expect(terminal.seen()).not.toContain('jak_');
    const { data, size } = encode(link.trim(), { border: 2 });
    expect(modulesIn(terminal.seen()).slice(0, size)).toEqual(data);

    const { key } = (await redeem(url, ticket)).body.data;
    await terminal.until(/Opened by 127\.0\.0\.1\. If that isn't your phone, stop/);
    const { data: me } = (await meOf(url, key)).body;
    expect([me.key.name, me.key.shows.hides]).toEqual(['phone', ['money']]);
    const life = Date.parse(me.key.expires_at) - Date.parse(me.key.created_at);
    expect(life).toBe(12 * 3_600_000);

    expect((await redeem(url, ticket)).status).toBe(401);
    expect(await terminal.ended).toBe(1);
    expect(terminal.seen()).toContain('the code was used twice, so its key is revoked');
    expect(listKeys(world.files.keys)).toMatchObject([
      { name: 'phone', revoked_at: expect.any(String) },
    ]);
    await expect(meOf(url, key)).rejects.toThrow();
  });

  test('each signal to stop revokes the key', async () => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const codes = signals.map(async (signal) => {
      const terminal = open();
      await terminal.until(/Stop with Ctrl-C/);
      terminal.kill(signal);
      return terminal.ended;
    });
    expect(await Promise.all(codes)).toEqual([0, 0, 0]);
    const keys = listKeys(world.files.keys);
    expect(keys.filter(({ revoked_at: revoked }) => revoked !== null).length).toBe(3);
  });

  test('over TLS the link is https, and asks nothing', async ({ skip }) => {
    const [cert, keyFile] = certificate(skip);
    const terminal = open('--tls-cert', cert, '--tls-key', keyFile);
    const [, url] = await terminal.until(LINK);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    terminal.type('\x03');
    expect(await terminal.ended).toBe(0);
  });

  test.each([
    ['a public address', ['--host', '8.8.8.8'], 2, 'is not a private address'],
    ['a key of 13 hours', ['--expires', '13h'], 2, 'pass 12h or less'],
    [
      "another machine's address",
      ['--host', '10.255.255.1', '--yes'],
      1,
      'not an address of this',
    ],
  ])('%s makes no key', async (_what, more, code, says) => {
    const terminal = open(...more);
    expect(await terminal.ended).toBe(code);
    expect(terminal.seen()).toContain(says);
    expect(listKeys(world.files.keys)).toEqual([]);
  });
});
