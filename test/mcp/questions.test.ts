/** Common questions: one call each, in few tokens. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { sampleJournal } from '../../src/demo/index.ts';
import { QUESTIONS } from '../../src/http/endpoints/service.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { importPaths } from '../../src/import/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import { TOOL_CALLS } from '../../src/mcp/skill.ts';
import { NOW, temporaryFolder, World } from '../helpers.ts';
import { call, connectOverHttp, mcpWorld, serveMcpOverHttp } from './connect.ts';

await loadAll();

const tokens = (value: unknown) =>
  encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

function sampleWorld(): World {
  const { user, records } = sampleJournal('2026-11-20');
  const { id: _, ...changes } = user as never as Record<string, never>;
  const world = mcpWorld(changes);
  const folder = join(temporaryFolder(), 'records');
  mkdirSync(folder);
  for (const [resource, list] of Object.entries(records)) {
    writeFileSync(
      join(folder, `${resource}.jsonl`),
      list.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  }
  importPaths({ paths: [folder], journal: world.files.journal, now: NOW });
  return world;
}

test('each question is one tool call and one API request, with a non-empty answer', async () => {
  const world = sampleWorld();
  const key = world.key();
  const client = await connectOverHttp(
    '2.4, automatic',
    await serveMcpOverHttp(world),
    key,
  );

  const { tools } = await client.listTools();
  expect(JSON.stringify(tools).length).toBeLessThanOrEqual(7800);
  expect(tokens(client.getInstructions())).toBeLessThan(100);

  const readme = readFileSync('README.md', 'utf8');
  expect(TOOL_CALLS.map(([question]) => question)).toEqual(
    QUESTIONS.map(({ question }) => question),
  );
  for (const [question, name, given] of TOOL_CALLS) {
    expect(readme).toContain(question);
    const before = world.log.length;
    const answer = await call(client, name, given);
    expect([question, world.log.length - before]).toEqual([question, 1]);
    const { rows } = answer.groups ??
      answer.trades ??
      answer.notes ?? { rows: [answer.performance] };
    expect([question, rows.length > 0]).toEqual([question, true]);
    expect([question, tokens(answer) < 1500, tokens(answer)]).toEqual([
      question,
      true,
      expect.any(Number),
    ]);
  }
  for (const { question, path } of QUESTIONS) {
    const { status, body } = await world.ask(path, { key });
    expect([
      question,
      status,
      Array.isArray(body.data) ? body.data.length > 0 : true,
    ]).toEqual([question, 200, true]);
  }
});

test('/llms.txt is short, needs no key, and names existing paths', async () => {
  const world = new World();
  const reply = await world.app.request('/llms.txt');
  const text = await reply.text();
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([
    200,
    'text/plain; charset=utf-8',
  ]);
  expect(Buffer.byteLength(text)).toBeLessThan(12 * 1024);
  const key = world.key();
  for (const route of ROUTES) {
    if (route.scope === 'public') continue;
    expect(text).toContain(`- ${route.path} (${route.scope}) `);
    for (const { name } of route.parameters())
      expect(text).toMatch(new RegExp(`\\b${name}\\b`));
  }
  const examples = [...text.matchAll(/\? (\/v1\/\S+)$/gm)].map(
    ([, example]) => example as string,
  );
  expect(examples.length).toBeGreaterThanOrEqual(10);
  for (const example of examples)
    expect([example, (await world.ask(example, { key })).status]).toEqual([example, 200]);
  for (const [path] of text.matchAll(/\/v1\/[a-z/-]+[a-z]/g)) {
    // Needs a picture's name.
    if (path === '/v1/attachments') continue;
    expect([path, (await world.ask(path, { key })).status]).toEqual([path, 200]);
  }
});
