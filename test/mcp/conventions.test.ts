/** Features beyond tools: the skill as a resource, completed labels, and caching of lists. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { skillText, TOOL_CALLS } from '../../src/mcp/skill.ts';
import { tradeRow } from '../helpers.ts';
import { CLIENT_NAMES, connectOverHttp, mcpWorld, serveMcpOverHttp } from './connect.ts';

const REVIEW = { type: 'ref/prompt', name: 'weekly_review' };

describe.each(CLIENT_NAMES)('%s', (name) => {
  test('reads the skill', async () => {
    const world = mcpWorld();
    const client = await connectOverHttp(
      name,
      await serveMcpOverHttp(world),
      world.key(),
    );
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({
      uri: 'skill://trading-journal/SKILL.md',
      mimeType: 'text/markdown',
    });
    const { contents } = await client.readResource({ uri: resources[0].uri });
    expect(contents).toEqual([
      { uri: resources[0].uri, mimeType: 'text/markdown', text: skillText() },
    ]);
    await expect(client.readResource({ uri: 'skill://other/SKILL.md' })).rejects.toThrow(
      /unknown resource/,
    );
  });

  test('completes the labels of the prompt, if the key can read them', async () => {
    const world = mcpWorld();
    world.insert(
      'trades',
      tradeRow('t-1', { setup: 'Breakout', account: 'main' }),
      tradeRow('t-2', { setup: 'Breakout' }),
      tradeRow('t-3', { setup: 'failed break' }),
      tradeRow('t-4', { setup: 'fade' }),
    );
    const url = await serveMcpOverHttp(world);
    const client = await connectOverHttp(name, url, world.key());
    const completed = async (argument: { name: string; value: string }) =>
      (await client.complete({ ref: REVIEW, argument })).completion;
    expect(await completed({ name: 'setup', value: 'BREAK' })).toMatchObject({
      values: ['Breakout', 'failed break'],
      total: 2,
      hasMore: false,
    });
    expect((await completed({ name: 'account', value: '' })).values).toEqual(['main']);
    expect((await completed({ name: 'week_of', value: '2026' })).values).toEqual([]);
    const narrow = await connectOverHttp(
      name,
      url,
      world.key(['analytics:read', 'journals:read']),
    );
    const argument = { name: 'setup', value: '' };
    expect((await narrow.complete({ ref: REVIEW, argument })).completion.values).toEqual(
      [],
    );
  });
});

test('clients may cache lists for an hour; older clients see no change', async () => {
  const world = mcpWorld();
  const url = await serveMcpOverHttp(world);
  const client = await connectOverHttp('2.4, pinned to 2026-07-28', url, world.key());
  const lists = [
    await client.listTools(),
    await client.listPrompts(),
    await client.listResources(),
  ];
  for (const list of lists)
    expect(list).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'private' });
  const older = await connectOverHttp('2.4, legacy', url, world.key());
  expect(await older.listTools()).not.toHaveProperty('ttlMs');
});

test('the skill is short, and lists each question with its call', () => {
  const text = skillText();
  expect(encode(text).length).toBeLessThan(1200);
  for (const [question, tool, given] of TOOL_CALLS) {
    expect(text).toContain(`| ${question} | \`${tool} ${JSON.stringify(given)}\` |`);
  }
});

test('weekly_review restricts its calls to an account and a setup', async () => {
  const world = mcpWorld();
  const client = await connectOverHttp(
    '2.4, automatic',
    await serveMcpOverHttp(world),
    world.key(),
  );
  const given = { week_of: '2026-11-18', account: 'main', setup: 'fade "x"' };
  const { messages } = await client.getPrompt({
    name: 'weekly_review',
    arguments: given,
  });
  const calls = [...messages[0].content.text.matchAll(/^\d\. (\w+) (\{.*?\})(?:;|$)/gm)];
  for (const [, tool, text] of calls) {
    const isOfTrades = tool !== 'read_notes';
    expect([tool, JSON.parse(text as string).setup]).toEqual([
      tool,
      isOfTrades ? given.setup : undefined,
    ]);
  }
  expect(calls).toHaveLength(6);
});
