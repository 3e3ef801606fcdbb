/** Times of commands compared with Node's own start, interleaved: node bench/start.ts [ROUNDS] */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeJournal } from './make-journal.ts';

const rounds = Number(process.argv[2] ?? 15);
const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
makeJournal(join(home, 'journal.db'), 1000);

const run = (...args: string[]) => {
  const started = performance.now();
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore'] });
  return performance.now() - started;
};
const key = ['key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h', '--home', home];
const ready = (script: string) =>
  new Promise<number>((resolve) => {
    const started = performance.now();
    const args = [script, 'serve', '--port', '0', '--home', home];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.once('data', () => {
      const ms = performance.now() - started;
      child.once('exit', () => resolve(ms));
      child.kill('SIGTERM');
    });
  });

/** From the start of the process to the first response over MCP, which describes the key and the journal. */
const firstAnswer = (script: string, keyFile: string) =>
  new Promise<number>((resolve) => {
    const started = performance.now();
    const args = [script, 'mcp', '--log', 'off', '--home', home, '--key-file', keyFile];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    child.stdout.once('data', () => {
      const ms = performance.now() - started;
      child.once('exit', () => resolve(ms));
      child.stdin.end();
    });
  });
const keyFile = join(home, 'agent.key');
run('dist/journal-api.cjs', ...key, '--out', keyFile);

const cases: Record<string, () => number | Promise<number>> = {
  'node alone': () => run('-e', '0'),
  '--version': () => run('dist/journal-api.cjs', '--version'),
  'key create': () => run('dist/journal-api.cjs', ...key),
  'serve ready': () => ready('dist/journal-api.cjs'),
  'mcp first answer': () => firstAnswer('dist/journal-api.cjs', keyFile),
  'key create, npm package': () => run('dist/program.cjs', ...key),
  'serve ready, npm package': () => ready('dist/program.cjs'),
  'mcp first answer, npm package': () => firstAnswer('dist/program.cjs', keyFile),
};
const times = Object.fromEntries(Object.keys(cases).map((name) => [name, [] as number[]]));
for (let i = 0; i < rounds; i++)
  for (const [name, measure] of Object.entries(cases)) times[name]?.push(await measure());
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;
const alone = median(times['node alone'] as number[]);
for (const [name, values] of Object.entries(times)) {
  console.log(
    `${name.padEnd(30)} ${median(values).toFixed(0).padStart(5)} ms   ${(median(values) / alone).toFixed(1)} x node`,
  );
}
rmSync(home, { recursive: true, force: true });
