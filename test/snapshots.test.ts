/**
 * What agents and people are told, as they read it: tools, prompt, instructions, API description,
 * /llms.txt and the help of every command. A change shows in the diff of test/snapshots/, and a
 * person reviews it there.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { sharedByTests, tradeRow } from './helpers.ts';
import { connectOverHttp, mcpWorld, serveMcpOverHttp } from './mcp/connect.ts';
import { runHere } from './program.ts';

const FOLDER = join(import.meta.dirname, 'snapshots');

/** Files of this run, to find those of removed commands. */
const written = new Set<string>();

/** Compares a text with its file. Others of the test are compared, too, if it differs. */
async function reviewed(name: string, text: string): Promise<void> {
  written.add(name);
  const whole = `${text.trimEnd()}\n`;
  await expect.soft(whole, ADVICE).toMatchFileSnapshot(join(FOLDER, name));
}

const ADVICE =
  'if this text should change: npx vitest run test/snapshots.test.ts -u, then review the diff';

const asYaml = (value: unknown) =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

const shared = sharedByTests(async () => {
  const world = mcpWorld();
  world.insert('trades', tradeRow('t-1'));
  const url = await serveMcpOverHttp(world);
  return { world, client: await connectOverHttp('2.4, automatic', url, world.key()) };
});

test('tools, prompts and resources', async () => {
  const { client } = shared();
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  await reviewed('mcp.yaml', asYaml({ tools, prompts, resources }));
});

test("the server's instructions, its prompt and its skill", async () => {
  const { client } = shared();
  await reviewed('instructions.txt', client.getInstructions() ?? '');
  const { messages } = await client.getPrompt({ name: 'weekly_review' });
  await reviewed('weekly-review.md', messages[0].content.text);
  const { contents } = await client.readResource({
    uri: 'skill://trading-journal/SKILL.md',
  });
  await reviewed('mcp-skill.md', contents[0].text);
});

test('the API description and /llms.txt', async () => {
  const { world } = shared();
  const { body } = await world.ask('/openapi.json');
  const info = { ...body.info, version: 'of the release' };
  await reviewed('openapi.yaml', asYaml({ ...body, info }));
  await reviewed('llms.txt', (await world.ask('/llms.txt')).text);
});

/** The help of a command and of those below it. */
async function helpOf(path: readonly string[]): Promise<string[]> {
  const { code, stdout } = await runHere([...path, '--help']);
  expect([path, code]).toEqual([path, 0]);
  const command = ['journal-api', ...path, '--help'].join(' ');
  const helps = [`$ ${command}\n\n${stdout.replace(GLOBAL_OPTIONS, '').trimEnd()}\n`];
  for (const name of commandsIn(stdout)) helps.push(...(await helpOf([...path, name])));
  return helps;
}

/** The same for all commands. */
const GLOBAL_OPTIONS = /^Global Options:\n(?: .*\n)+\n?/m;

/** Names in the help's list of commands, without those on the next lines of a description. */
function commandsIn(help: string): string[] {
  const [, list = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? [];
  const names = [...list.matchAll(/^ {2}([a-z]\S*)/gm)].map(([, name]) => name as string);
  return names.filter((name) => name !== 'help');
}

test('the help of each command', async () => {
  const { stdout } = await runHere(['--help']);
  await reviewed('help/journal-api.txt', stdout);
  const names = commandsIn(stdout);
  expect(names.length).toBeGreaterThan(30);
  for (const name of names)
    await reviewed(`help/${name}.txt`, (await helpOf([name])).join('\n'));
});

test('no file is left of what is no longer there', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const left = files.filter(
    (name) => name !== 'help' && !written.has(name.replaceAll('\\', '/')),
  );
  expect(left).toEqual([]);
});
