/**
 * `npm run reach`: how many files of the source a command runs in, as a table. A file counts if one of its functions was called:
 * what a reader follows, where test/layers.test.ts counts what is loaded.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './bundle.mjs';

const folder = mkdtempSync(join(tmpdir(), 'journal-api-reach-'));
const source = pathToFileURL(join(root, 'src/')).href;
const exported = (file) => join(root, 'test/fixtures/exports', file);

const editor = join(folder, 'editor.sh');
writeFileSync(editor, 'echo "## Review\n\nWaited for the open." >> "$1"\n');

/** Runs a command on the journal of this measurement. @returns what it prints */
function run(args, { input = '', coverage = '', key = '' } = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'src/cli.ts'), ...args],
    {
      input,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        JOURNAL_API_HOME: join(folder, 'home'),
        JOURNAL_API_KEY: key,
        EDITOR: `sh ${editor}`,
        NODE_V8_COVERAGE: coverage,
      },
    },
  );
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** @returns the files of `src` in which a function ran */
function filesOf(args, options = {}) {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  run(args, { ...options, coverage });

  const files = new Set();
  for (const report of readdirSync(coverage)) {
    for (const { url, functions } of JSON.parse(
      readFileSync(join(coverage, report), 'utf8'),
    ).result) {
      // The first is the file itself.
      const ran = functions.slice(1).some(({ ranges }) => ranges[0].count > 0);
      if (url.startsWith(source) && ran) files.add(url.slice(source.length));
    }
  }
  return files;
}

/** What an agent sends that calls one tool. */
function toolCall(name, args) {
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'reach', version: '1' },
      },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name, arguments: args } },
  ];
  const lines = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  return `${lines.join('\n')}\n`;
}

try {
  run(['init', '--timezone', 'America/New_York']);
  const imported = filesOf(['import', exported('ibkr-flex/trades.xml')]);
  const key = run([
    'key',
    'create',
    '--name',
    'reach',
    '--scopes',
    'all',
    '--expires',
    '1d',
  ]).trim();
  const rows = [
    ["import of Interactive Brokers' file", imported],
    ['summary', filesOf(['summary', '--period', 'all'])],
    ['list (get /v1/trades)', filesOf(['get', '/v1/trades'], { key })],
    ['tool find_trades', filesOf(['mcp'], { key, input: toolCall('find_trades', {}) })],
    ['day --edit', filesOf(['day', '2026-11-20', '--edit'])],
    ['import undo', filesOf(['import', 'undo', '1', '--yes'])],
  ];
  for (const [name, files] of rows)
    console.log(`${name.padEnd(46)}${String(files.size).padStart(10)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
