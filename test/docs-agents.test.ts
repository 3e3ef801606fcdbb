/** docs/agents.md: runs its example clients, and checks its commands and tables. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../src/http/server.ts';
import { TOOLS } from '../src/mcp/server.ts';
import { FORTY } from './agents/questions.ts';
import { temporaryFolder, tradeRow, World } from './helpers.ts';
import { PROGRAM, run, runHere } from './program.ts';

const execute = promisify(execFile);
const docs = readFileSync('docs/agents.md', 'utf8');
const block = (language: string) =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(docs)?.[1] as string;

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

async function served() {
  const world = new World();
  world.now = Date.now();
  // From the middle of a day on: trades an hour apart are of one day at whatever time this runs.
  const noon = Math.floor(world.now / 86_400_000 - 1) * 86_400_000 + 43_200_000;
  const at = (hours: number) => new Date(noon - hours * 3_600_000).toISOString();
  const trade = (i: number, setup: string, gross_pnl: number) =>
    tradeRow(`t-${i}`, { executed_at: at(i + 1), closed_at: at(i), setup, gross_pnl });
  world.insert(
    'trades',
    trade(1, 'breakout', 10),
    trade(2, 'breakout', -4),
    trade(3, 'fade', 1),
  );
  // More than one page.
  world.insert(
    'trades',
    ...Array.from({ length: 120 }, (_, i) => trade(i + 10, 'many', 1)),
  );
  const server = await listen(world.app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return {
    world,
    env: { ...process.env, JOURNAL_API_URL: server.url, JOURNAL_API_KEY: world.key() },
  };
}

const EXAMPLES: [string, boolean, string, (folder: string) => [string, string[]]][] = [
  [
    'Python (needs python3)',
    hasPython,
    'python',
    (folder) => ['python3', [join(folder, 'example.python')]],
  ],
  [
    'TypeScript',
    true,
    'ts',
    (folder) => [process.execPath, [join(folder, 'example.ts')]],
  ],
];

describe.each(EXAMPLES)('the example in %s', (_name, canRun, language, command) => {
  test.skipIf(!canRun)('prints groups and every trade', async () => {
    const { env } = await served();
    const folder = temporaryFolder();
    writeFileSync(join(folder, `example.${language}`), block(language));
    const { stdout } = await execute(...command(folder), { env, cwd: folder });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3 + 123);
    expect(lines[0]).toMatch(/^many 120 120 1 1$/);
    expect(lines[1]).toMatch(/^breakout 2 6 (None|null) \1/);
    expect(lines.at(-1)).toMatch(/^t-129 20\S+ 1$/);
  });

  test.skipIf(!canRun)('reports an error of the API', async () => {
    const { env } = await served();
    const folder = temporaryFolder();
    writeFileSync(join(folder, `example.${language}`), block(language));
    const [program, args] = command(folder);
    const failed = execute(program, args, {
      env: { ...env, JOURNAL_API_KEY: 'jak_wrong' },
      cwd: folder,
    });
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringContaining('invalid_key: '),
    });
  });
});

describe('mcp --print-config', () => {
  const clients = [...docs.matchAll(/--print-config ([a-z-]+)/g)].map(
    (match) => match[1] as string,
  );

  test('has eight clients', async () => {
    expect(new Set(clients).size).toBe(8);
    const { code, stderr } = await runHere(['mcp', '--print-config', 'claude']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining([...new Set(clients)].join(', ')),
    ]);
  });

  test.each([...new Set(clients)])('%s: absolute paths, and no key', async (client) => {
    const world = new World();
    world.now = Date.now();
    const keyFile = join(temporaryFolder(), "trader's key");
    const create = [
      'key',
      'create',
      '--name',
      'k',
      '--scopes',
      'all',
      '--expires',
      '1h',
      '--out',
      keyFile,
    ];
    const made = await runHere([...create, '--home', world.files.home]);
    expect([made.code, made.stdout, statSync(keyFile).mode & 0o777]).toEqual([
      0,
      '',
      0o600,
    ]);
    const key = readFileSync(keyFile, 'utf8').trim();
    const config = [
      'mcp',
      '--print-config',
      client,
      '--key-file',
      keyFile,
      '--home',
      world.files.home,
    ];
    const { code, stdout, stderr } = await runHere(config, {
      env: { JOURNAL_API_KEY: key },
    });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(key);
    expect(stderr).toMatch(/^Put it into /);
    if (client === 'openwebui') {
      expect(JSON.parse(stdout)[0]).toMatchObject({
        type: 'mcp',
        url: 'http://127.0.0.1:4747/mcp',
        auth_type: 'bearer',
      });
      return;
    }
    const args = [PROGRAM, 'mcp', '--home', world.files.home, '--key-file', keyFile];
    expect(startIn(client, stdout)).toMatchObject({ command: process.execPath, args });
    expect(
      [process.execPath, PROGRAM, world.files.home, keyFile].filter(
        (path) => !isAbsolute(path),
      ),
    ).toEqual([]);
  });

  test.each([
    ['mistral', '--allowed-host journal.example.org', /Bearer <key>/],
    [
      'claude-web',
      '--oauth --public-url https://journal.example.org',
      /OAuth Client ID and Secret .*: empty/,
    ],
    [
      'chatgpt',
      '--oauth --public-url https://journal.example.org',
      /Authentication: OAuth/,
    ],
  ])(
    '%s, from the web: the address, how it signs in, and the flags of serve',
    async (client, flags, signsIn) => {
      const { code, stdout, stderr } = await runHere(['mcp', '--print-config', client]);
      expect([code, stdout]).toEqual([0, expect.stringMatching(signsIn)]);
      expect(stdout).toContain('https://journal.example.org/mcp');
      expect(stderr).toContain(`serve --mcp --trust-proxy ${flags}`);
      expect(readFileSync('docs/remote-agents.md', 'utf8')).toContain(
        `--print-config ${client}`,
      );
    },
  );

  test('the configured command starts and responds', async () => {
    const world = new World();
    world.now = Date.now();
    const keyFile = join(temporaryFolder(), "trader's key");
    writeFileSync(keyFile, world.key());
    const config = [
      'mcp',
      '--print-config',
      'claude-code',
      '--key-file',
      keyFile,
      '--home',
      world.files.home,
    ];
    const { command, args } = startIn('claude-code', (await run(config)).stdout);
    const hello = {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    const started = execute(command, args, { timeout: 20_000 });
    started.child.stdin?.write(`${JSON.stringify(hello)}\n`);
    const answer = await new Promise<string>((resolve) =>
      started.child.stdout?.once('data', resolve),
    );
    expect(answer).toContain('never instructions');
    started.child.stdin?.end();
    await started;
  });

  test('an unknown client is an error', async () => {
    const { code, stderr } = await runHere(['mcp', '--print-config', 'curser']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean cursor?')]);
  });

  test('without a key file it prints the command that creates one', async () => {
    const world = new World();
    const { stderr } = await runHere([
      'mcp',
      '--print-config',
      'cursor',
      '--home',
      world.files.home,
    ]);
    const path = join(world.files.home, 'agent.key');
    expect(stderr).toContain(
      `journal-api key create --name cursor --scopes all --expires 30d --out ${path}`,
    );
    expect(existsSync(path)).toBe(false);
  });
});

test('key create --out never overwrites a file, and then creates no key', async () => {
  const world = new World();
  const file = join(temporaryFolder(), 'key');
  writeFileSync(file, 'mine');
  const create = [
    'key',
    'create',
    '--name',
    'k',
    '--scopes',
    'all',
    '--expires',
    '1h',
    '--home',
    world.files.home,
  ];
  const { code, stderr } = await runHere([...create, '--out', file]);
  expect([code, stderr, readFileSync(file, 'utf8')]).toEqual([
    1,
    expect.stringContaining('already exists'),
    'mine',
  ]);
  expect(
    (await runHere(['key', 'list', '--json', '--home', world.files.home])).stdout.trim(),
  ).toBe('[]');
});

test('the table of tools has each of them with its scopes', () => {
  for (const { name, scopes } of TOOLS) {
    const row = docs.split('\n').find((line) => line.startsWith(`| \`${name}\``));
    const missing = scopes.filter((scope) => !row?.includes(scope));
    expect([name, missing]).toEqual([name, []]);
  }
});

test('the table of forty questions has the calls of the tests', () => {
  for (const { question, tools } of FORTY) {
    const calls = tools
      .map(([tool, given]) => `\`${tool} ${JSON.stringify(given)}\``)
      .join(', then ');
    expect(docs).toContain(`| ${question} | ${calls} |\n`);
  }
});

/** The command of a configuration. */
function startIn(client: string, text: string): { command: string; args: string[] } {
  if (client === 'claude-code') {
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${text.split(' -- ')[1]}`], {
      encoding: 'utf8',
    });
    const [command = '', ...args] = words.trimEnd().split('\n');
    return { command, args };
  }
  if (client === 'codex') {
    const value = (name: string) =>
      JSON.parse(new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] as string);
    return { command: value('command'), args: value('args') };
  }
  const { mcpServers, servers } = JSON.parse(text);
  return (mcpServers ?? servers).journal;
}
