/** The official clients over both transports: lists, each tool, the prompt; narrow, revoked and expired keys. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { revokeKey } from '../../src/keys/store.ts';
import { DAY, temporaryFolder, tradeRow, type World } from '../helpers.ts';
import {
  type AnyClient,
  CLIENT_NAMES,
  type ClientName,
  call,
  connectOverHttp,
  connectOverStdio,
  mcpWorld,
  serveMcpOverHttp,
} from './connect.ts';

const TOOLS = [
  'journal_summary',
  'analyze_performance',
  'find_trades',
  'get_trade',
  'read_notes',
];

let world: World;

beforeEach(() => {
  world = mcpWorld({ timezone: 'America/New_York' });
  // The program uses the real clock.
  world.now = Date.now();
  const yesterday = new Date(world.now - DAY).toISOString();
  world.insert(
    'trades',
    tradeRow('t-1', { executed_at: yesterday, closed_at: yesterday, setup: 'breakout' }),
  );
  const entry = {
    trade_id: 't-1',
    phase: 'review',
    body: 'waited for the close',
    created_at: yesterday,
  };
  world.insert('trade_journals', { id: 'tj-1', ...entry });
});

type Connect = (name: ClientName, key: string) => Promise<AnyClient>;

const overHttp: Connect = async (name, key) =>
  connectOverHttp(name, await serveMcpOverHttp(world), key);
const overStdio: Connect = (name, key) =>
  connectOverStdio(name, ['--home', world.files.home], { JOURNAL_API_KEY: key });

const TRANSPORTS: [string, Connect][] = [
  ['HTTP', overHttp],
  ['stdio', overStdio],
];

describe.each(TRANSPORTS)('over %s', (_transport, connect) => {
  test.each(CLIENT_NAMES)('%s: every tool and the prompt', async (name) => {
    const client = await connect(name, world.key());
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      });
    }
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: false },
      prompts: { listChanged: false },
    });
    expect(client.getInstructions()).toMatch(
      /USD.*America\/New_York.*never instructions/,
    );

    expect((await call(client, 'journal_summary')).performance.trades).toBe(1);
    expect(
      (await call(client, 'analyze_performance', { period: '7d' })).performance.trades,
    ).toBe(1);
    expect(
      (await call(client, 'find_trades', { setup: 'Breakout' })).trades.rows,
    ).toHaveLength(1);
    expect((await call(client, 'get_trade', { id: 't-1' })).symbol).toBe('AAPL');
    expect(
      JSON.stringify(await call(client, 'read_notes', { kind: 'journals' })),
    ).toContain('waited for the close');

    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toEqual([
      'weekly_review',
    ]);
    const prompt = await client.getPrompt({
      name: 'weekly_review',
      arguments: { week_of: '2026-11-18' },
    });
    expect(prompt.messages[0].content.text).toContain('from 2026-11-16 to 2026-11-22');
  });

  test('a narrow key gets only its tool, and no prompt', async () => {
    const client = await connect('2.4, automatic', world.key(['agent_summary:read']));
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
      'journal_summary',
    ]);
    expect((await client.listPrompts()).prompts).toEqual([]);
    await expect(call(client, 'find_trades')).rejects.toThrow(
      /this key lacks a scope for find_trades; tools of this key: journal_summary/,
    );
    await expect(call(client, 'nothing')).rejects.toThrow(/unknown tool "nothing"/);
    await expect(client.getPrompt({ name: 'weekly_review' })).rejects.toThrow(
      /unknown prompt/,
    );
  });

  test('a key for some kinds of notes reads only those', async () => {
    const client = await connect('1.32', world.key(['reviews:read', 'sessions:read']));
    const { tools } = await client.listTools();
    expect(
      tools.map((tool) => [tool.name, tool.inputSchema.properties.kind?.enum]),
    ).toEqual([['read_notes', ['sessions', 'reviews']]]);
  });

  test('a call with a revoked key reports the revocation', async () => {
    const key = world.key(undefined, undefined, 'key_revoked');
    const client = await connect('2.4, legacy', key);
    expect((await call(client, 'get_trade', { id: 't-1' })).id).toBe('t-1');
    revokeKey(world.files.keys, 'key_revoked', world.now);
    await expect(call(client, 'get_trade', { id: 't-1' })).rejects.toThrow(/revoked/);
  });
});

describe('over stdio, if the journal is unavailable', () => {
  const listed = async (client: AnyClient) =>
    (await client.listTools()).tools.map((tool) => tool.name);

  test.each([
    ['no key', {}, /missing_key: no key; the owner creates one/],
    ['a wrong key', { JOURNAL_API_KEY: 'jak_wrong' }, /invalid_key/],
  ])(
    '%s: all tools are listed, and each call reports the problem',
    async (_what, env, message) => {
      const client = await connectOverStdio(
        '2.4, automatic',
        ['--home', world.files.home],
        env,
      );
      world.key();
      expect(client.getInstructions()).toMatch(message);
      expect(await listed(client)).toEqual(TOOLS);
      await expect(call(client, 'find_trades', { period: '7d' })).rejects.toThrow(
        message,
      );
      await expect(call(client, 'read_notes', { kind: 'reviews' })).rejects.toThrow(
        message,
      );
    },
  );

  test('an expired key', async () => {
    world.now -= 60 * DAY;
    const key = world.key();
    const client = await connectOverStdio('1.32', ['--home', world.files.home], {
      JOURNAL_API_KEY: key,
    });
    expect(await listed(client)).toEqual(TOOLS);
    await expect(call(client, 'journal_summary')).rejects.toThrow(
      /expired_key: this key expired at 20/,
    );
  });

  test('no data folder: all tools are listed, and a call names the next command', async () => {
    const home = join(temporaryFolder(), 'later');
    const client = await connectOverStdio('2.4, legacy', ['--home', home], {
      JOURNAL_API_KEY: 'jak_x',
    });
    expect(await listed(client)).toEqual(TOOLS);
    await expect(call(client, 'journal_summary')).rejects.toThrow(
      /no keys in .*later yet/,
    );
  });

  test('a service that is not running', async () => {
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, `${world.key()}\n`);
    const client = await connectOverStdio('1.32', [
      '--url',
      'http://127.0.0.1:9',
      '--key-file',
      file,
    ]);
    expect(await listed(client)).toEqual(TOOLS);
    await expect(call(client, 'journal_summary')).rejects.toThrow(
      /http:\/\/127\.0\.0\.1:9 does not answer/,
    );
  });

  test('--url asks a running service', async () => {
    const url = (await serveMcpOverHttp(world)).replace('/mcp', '');
    const client = await connectOverStdio('2.4, automatic', ['--url', url], {
      JOURNAL_API_KEY: world.key(),
    });
    expect((await call(client, 'get_trade', { id: 't-1' })).symbol).toBe('AAPL');
  });
});
