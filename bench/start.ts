/** Times of commands compared with Node's own start, medians of interleaved rounds: node bench/start.ts [ROUNDS] */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { makeJournal } from './make-journal.ts';

const rounds = Number(process.argv[2] ?? 15);
const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const keyFile = join(home, 'agent.key');
const cpuFile = join(home, 'cpu');
const hook = join(home, 'hook.cjs');
makeJournal(join(home, 'journal.db'), 1000);
// Processor time of all threads, which other programs on the machine change less than the clock.
writeFileSync(
  hook,
  `const { writeFileSync } = require('node:fs');
const write = () => { const { user, system } = process.cpuUsage(); writeFileSync(${JSON.stringify(cpuFile)}, String((user + system) / 1000)); };
process.once('exit', write);
process.once('SIGUSR2', () => { write(); process.exit(); });`,
);

interface Taken {
  clock: number;
  cpu: number;
}

/** From the start of the process to its end, or to its first output on a stream. */
function run(args: readonly string[], until?: 'stdout' | 'stderr', input = ''): Promise<Taken> {
  return new Promise((resolve) => {
    const started = performance.now();
    let clock: number | undefined;
    const child = spawn(process.execPath, ['--require', hook, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, XDG_CACHE_HOME: join(home, 'cache') },
    });
    child.stdin.write(input);
    for (const name of ['stdout', 'stderr'] as const)
      child[name].once('data', () => {
        if (name !== until) return;
        clock = performance.now() - started;
        child.kill('SIGUSR2');
      });
    child.once('exit', () =>
      resolve({
        clock: clock ?? performance.now() - started,
        cpu: Number(readFileSync(cpuFile, 'utf8')),
      }),
    );
  });
}

const params = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};
const hello = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
const at = ['--home', home];
const key = ['key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h', ...at];

const COMMANDS: Record<string, (script: string) => Promise<Taken>> = {
  '--version': (script) => run([script, '--version']),
  '--help': (script) => run([script, '--help']),
  'key list': (script) => run([script, 'key', 'list', ...at]),
  'import list': (script) => run([script, 'import', 'list', ...at]),
  'get trades limit=5': (script) =>
    run([script, 'get', 'trades', 'limit=5', ...at, '--key-file', keyFile]),
  'key create': (script) => run([script, ...key]),
  'serve ready': (script) => run([script, 'serve', '--port', '0', ...at], 'stderr'),
  'mcp first response': (script) =>
    run([script, 'mcp', '--log', 'off', ...at, '--key-file', keyFile], 'stdout', hello),
};
const SCRIPTS = { 'npm package': 'bin/journal-api', 'one script': 'dist/journal-api.cjs' };

await run(['dist/journal-api.cjs', ...key, '--out', keyFile]);
const cases = Object.entries(SCRIPTS).flatMap(([where, script]) =>
  Object.entries(COMMANDS).map(([name, command]) => ({
    name: `${name}, ${where}`,
    measure: () => command(script),
  })),
);
const all = [{ name: 'node alone', measure: () => run(['-e', '0']) }, ...cases].map((one) => ({
  ...one,
  taken: [] as Taken[],
}));
// The first start of each keeps its compiled code.
for (const { measure } of all) await measure();
for (let i = 0; i < rounds; i++) for (const { measure, taken } of all) taken.push(await measure());

const median = (taken: readonly Taken[], what: keyof Taken) =>
  medianOf(taken.map((one) => one[what])) as number;
const alone = all[0]?.taken ?? [];
for (const { name, taken } of all) {
  const figures = (['clock', 'cpu'] as const).map((what) => {
    const time = median(taken, what);
    return `${what}: ${time.toFixed(0).padStart(4)} ms ${(time / median(alone, what)).toFixed(1)} x node`;
  });
  console.log(`${name.padEnd(34)} ${figures.join('   ')}`);
}
rmSync(home, { recursive: true, force: true });
