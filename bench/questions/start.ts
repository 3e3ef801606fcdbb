/**
 * What the start of commands takes, as multiples of Node's own start: processor time, since the
 * clock of a busy machine says little. Medians of interleaved rounds.
 */
import { join } from 'node:path';
import { medianOf } from '../../src/journal/analytics/statistics.ts';
import { makeJournal } from '../journal.ts';
import { type Cost, keyFor, run } from '../processes.ts';
import type { Question } from '../question.ts';

const ROUNDS = 7;

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
};

type Command = (script: string) => Promise<Cost>;

export const start: Question = async (folder) => {
  makeJournal(join(folder, 'journal.db'), 1000);
  const env = {
    XDG_CACHE_HOME: join(folder, 'cache'),
    JOURNAL_API_KEY: await keyFor(folder),
  };
  const at = ['--home', folder];
  const key = [
    'key',
    'create',
    '--name',
    'k',
    '--scopes',
    'all',
    '--expires',
    '1h',
    ...at,
  ];
  const mcp = ['mcp', '--log', 'off', ...at];
  const input = `${JSON.stringify(HELLO)}\n`;
  const commands: Readonly<Record<string, Command>> = {
    '`--version`': (script) => run([script, '--version'], { env }),
    '`--help`': (script) => run([script, '--help'], { env }),
    '`key list`': (script) => run([script, 'key', 'list', ...at], { env }),
    '`import list`': (script) => run([script, 'import', 'list', ...at], { env }),
    '`key create`': (script) => run([script, ...key], { env }),
    '`get trades limit=5`': (script) =>
      run([script, 'get', 'trades', 'limit=5', ...at], { env }),
    '`serve`, ready': (script) =>
      run([script, 'serve', '--port', '0', ...at], { env, until: 'stderr' }),
    '`mcp`, first response': (script) =>
      run([script, ...mcp], { env, until: 'stdout', input }),
  };
  const node = contestant('Node alone', () => run(['-e', '0'], { env }));
  const pairs = Object.entries(commands).map(([name, command]) => [
    contestant(name, () => command('bin/journal-api')),
    contestant(name, () => command('dist/journal-api.cjs')),
  ]);
  const all = [node, ...pairs.flat()];

  // The first start of each keeps its compiled code.
  for (const { measure } of all) await measure();
  for (let round = 0; round < ROUNDS; round++)
    for (const { measure, costs } of all) costs.push(await measure());

  const alone = median(node.costs);
  const rows = pairs.map((pair) => [
    pair[0]?.name ?? '',
    ...pair.map(({ costs }) => `${(median(costs) / alone).toFixed(1)}x`),
  ]);
  const own = `${alone.toFixed(0)} ms`;
  return {
    columns: ['CPU', 'npm package', 'one script'],
    rows: [['Node alone', own, own], ...rows],
  };
};

function contestant(name: string, measure: () => Promise<Cost>) {
  return { name, measure, costs: [] as Cost[] };
}

function median(costs: readonly Cost[]): number {
  return medianOf(costs.map(({ cpu }) => cpu)) as number;
}
