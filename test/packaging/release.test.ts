/** The other parts of a release: MCP bundles, the registry's entry, the notes. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { unzipSync } from 'fflate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';

const build = (name: string) => import(pathToFileURL(resolve('build', name)).href);
const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));

const HERE = `${process.platform}-${process.arch}`;

describe('an MCP bundle', () => {
  test('starts as its manifest states, and its tools respond', async () => {
    const { mcpBundle } = await build('mcp-bundle.mjs');
    const folder = temporaryFolder();
    for (const [name, bytes] of Object.entries(
      unzipSync(mcpBundle(HERE, 'dist/journal-api.cjs')),
    )) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    const world = new World();
    world.now = Date.now();
    world.insert(
      'trades',
      tradeRow('t-1', { executed_at: new Date(world.now - 3_600_000).toISOString() }),
    );
    const settings: Record<string, string> = {
      __dirname: folder,
      'user_config.key': world.key(),
      'user_config.home': world.files.home,
    };
    const filled = (text: string) =>
      text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => settings[name] ?? name);
    const { server } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const { args, env } = server.mcp_config;
    expect(readdirSync(dirname(join(folder, server.entry_point)))).toEqual([
      'journal-api.cjs',
    ]);
    const transport = new StdioClientTransport({
      // "node" comes from the client.
      command: process.execPath,
      args: args.map(filled),
      env: Object.fromEntries(
        Object.entries<string>(env).map(([name, value]) => [name, filled(value)]),
      ),
      stderr: 'ignore',
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(5);
    const { structuredContent } = await client.callTool({
      name: 'find_trades',
      arguments: { period: '7d', status: 'open' },
    });
    expect(structuredContent).toBeDefined();
  });

  test('has the same bytes each time', async () => {
    const { mcpBundle } = await build('mcp-bundle.mjs');
    const script = join(temporaryFolder(), 'script');
    writeFileSync(script, 'script');
    expect(Buffer.compare(mcpBundle(HERE, script), mcpBundle(HERE, script))).toBe(0);
  });
});

test('the entry for the MCP registry names the npm package, its command and its settings', async () => {
  const { registryEntry } = await build('registry-entry.mjs');
  const entry = registryEntry();
  // Bounds of the registry's format; the name proves the package's owner.
  expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(entry.name).toBe(packageJson.mcpName);
  expect(entry.description.length).toBeLessThanOrEqual(100);
  expect(entry.version).toBe(packageJson.version);
  expect(entry.packages).toEqual([
    expect.objectContaining({
      registryType: 'npm',
      identifier: packageJson.name,
      version: packageJson.version,
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
    }),
  ]);
  const [{ environmentVariables }] = entry.packages;
  const config = readFileSync('src/config.ts', 'utf8');
  for (const { name } of environmentVariables) expect(config).toContain(name);
  expect(
    environmentVariables.filter((variable: { isSecret?: boolean }) => variable.isSecret),
  ).toEqual([expect.objectContaining({ name: 'JOURNAL_API_KEY', isRequired: true })]);
});

test('the release notes are the section of the version', async () => {
  const { releaseNotes } = await build('release-notes.mjs');
  const changelog =
    '# Changelog\n\n## 0.2.0 (2026-11-22)\n\n- new\n\n## 0.1.0\n\n- first\n';
  expect(releaseNotes(changelog, '0.2.0')).toBe(
    '# journal-api 0.2.0 (2026-11-22)\n\nTag: v0.2.0\n\n- new\n',
  );
  expect(releaseNotes(changelog, '0.1.0')).toBe(
    '# journal-api 0.1.0\n\nTag: v0.1.0\n\n- first\n',
  );
  expect(() => releaseNotes(changelog, '0.1')).toThrow(/no section "## 0.1"/);
});

test("no page mentions npm's journal-api, which is another program", () => {
  const pages = [
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...readdirSync('docs')
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  expect(
    pages.filter((page) =>
      /np(x|m (i|install)( -g)?) journal-api\b/.test(readFileSync(page, 'utf8')),
    ),
  ).toEqual([]);
});

test('workflows pin actions by hash, and only the job that publishes may write', () => {
  const texts = readdirSync('.github/workflows').map((name) =>
    readFileSync(`.github/workflows/${name}`, 'utf8'),
  );
  const actions = texts.flatMap((text) => text.match(/uses: .*/g) ?? []);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const [before, publish, ...more] = texts.join('\n').split('\n  publish:\n');
  expect([before?.includes(': write'), publish?.match(/[\w-]+: write$/gm), more]).toEqual(
    [false, ['contents: write', 'id-token: write', 'attestations: write'], []],
  );
});

test('each push and pull request runs what a developer runs, and sees no secret', () => {
  const text = readFileSync('.github/workflows/check.yml', 'utf8');
  const { on, permissions, jobs } = parse(text);
  expect(Object.keys(on)).toEqual(['push', 'pull_request']);
  expect(permissions).toEqual({ contents: 'read' });
  expect(jobs.check.steps.at(-1)).toEqual({ run: '.ci/run' });
  expect(text).not.toContain('secrets.');
});

test('the addresses of package.json are those of the MCP registry', () => {
  const [, owner, name] = /^io\.github\.([^/]+)\/(.+)$/.exec(packageJson.mcpName) ?? [];
  const address = `https://github.com/${owner}/${name}`;
  const { repository, homepage, bugs } = packageJson;
  expect([repository.url, homepage, bugs]).toEqual([
    `git+${address}.git`,
    `${address}#readme`,
    `${address}/issues`,
  ]);
  expect(readFileSync('SECURITY.md', 'utf8')).toContain(
    `git clone --branch v${packageJson.version} ${address} `,
  );
  expect(readFileSync('Dockerfile', 'utf8')).toContain(`image.source="${address}"`);
});
