/**
 * Time of the built program to import many records, and the same file again, compared with other ways to fill the same
 * schema: node bench/import-records.ts [RECORDS] [ROUNDS]. In turn, each in a separate process; medians.
 *
 * - bare: better-sqlite3, one prepared INSERT in one transaction, only the schema's own checks
 * - sqlite3: Debian's shell, .import of the CSV into a table of texts, then one INSERT ... SELECT
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const count = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const program = new URL('../dist/program.cjs', import.meta.url).pathname;
const bare = new URL('./rivals/bare-inserts.ts', import.meta.url).pathname;
const meter = join(folder, 'meter.cjs');
writeFileSync(
  meter,
  `process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('PEAK ' + maxRSS + ' CPU ' + (userCPUTime + systemCPUTime) + '\\n');
  });`,
);

const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'AMZN', 'META', 'SPY', 'QQQ', 'AMD', 'GOOG'];
const SETUPS = ['breakout', 'pullback', 'reversal', 'gap and go'];

/** A closed trade with every field of a journal. */
function trade(n: number): Record<string, unknown> {
  const opened = Date.UTC(2016, 0, 4, 14, 30) + n * 1_800_000;
  const points = (((n * 104_729) % 401) - 200) / 100;
  const entry = 50 + ((n * 7919) % 40_000) / 100;
  const quantity = 10 * (1 + (n % 30));
  return {
    id: `t-${String(n).padStart(7, '0')}`,
    account: n % 3 === 0 ? 'ira' : 'main',
    symbol: SYMBOLS[n % SYMBOLS.length],
    market: 'stock',
    side: n % 4 === 0 ? 'short' : 'long',
    status: 'closed',
    executed_at: new Date(opened).toISOString(),
    closed_at: new Date(opened + 60_000 * (1 + (n % 240))).toISOString(),
    quantity,
    open_quantity: 0,
    multiplier: 1,
    entry_price: entry,
    exit_price: Math.round((entry + points) * 100) / 100,
    currency: 'USD',
    gross_pnl: Math.round(points * quantity * (n % 4 === 0 ? -1 : 1) * 100) / 100,
    fees: 1.3,
    initial_risk: 100,
    setup: SETUPS[n % SETUPS.length],
    tags: n % 2 === 0 ? ['a-plus', 'morning'] : [],
    mistakes: n % 7 === 0 ? ['chased'] : [],
    rating: 1 + (n % 5),
    notes:
      n % 5 === 0
        ? 'Waited for the retest of the level, and took it with half the size; "good enough".'
        : null,
    created_at: new Date(opened + 300_000).toISOString(),
    updated_at: new Date(opened + 300_000).toISOString(),
  };
}

function cell(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function makeFiles(): { jsonl: string; csv: string } {
  const records = Array.from({ length: count }, (_, n) => trade(n));
  const names = Object.keys(records[0] as object);
  const [jsonl, csv] = [join(folder, 'trades.jsonl'), join(folder, 'trades.csv')];
  writeFileSync(jsonl, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const rows = records.map((record) => names.map((name) => cell(record[name])).join(','));
  writeFileSync(csv, `${[names.join(','), ...rows].join('\n')}\n`);
  return { jsonl, csv };
}

interface Timed {
  seconds: number;
  /** Processor seconds, which don't depend on the load of the machine. */
  cpu: number | undefined;
  /** MB; undefined if the process doesn't report it. */
  peak: number | undefined;
}

function timed(command: string, args: readonly string[], input?: string): Timed {
  const start = performance.now();
  const { stderr, status, error } = spawnSync(command, args, {
    encoding: 'utf8',
    ...(input && { input }),
  });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw error ?? new Error(stderr);
  const [, peak, cpu] = /PEAK (\d+) CPU (\d+)/.exec(stderr) ?? [];
  if (peak === undefined) return { seconds, cpu: undefined, peak: undefined };
  return { seconds, cpu: Number(cpu) / 1e6, peak: Number(peak) / 1024 };
}

const node = (...args: string[]) => timed(process.execPath, ['--require', meter, ...args]);

/** A new journal with its user, copied for each way. */
function freshHome(name: string): string {
  const home = join(folder, name);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  copyFileSync(join(folder, 'empty', 'journal.db'), join(home, 'journal.db'));
  return home;
}

function shell(db: string, csv: string): string {
  const names = Object.keys(trade(0));
  const values = names.map((name) => {
    if (name === 'tags' || name === 'mistakes') return `coalesce(nullif(${name}, ''), '[]')`;
    return `nullif(${name}, '')`;
  });
  return `.open ${db}
CREATE TEMP TABLE given (${names.join(', ')});
.import --csv --skip 1 ${csv} given
PRAGMA foreign_keys = ON;
INSERT INTO trades (user_id, ${names.join(', ')}) SELECT 'me', ${values.join(', ')} FROM given;
`;
}

const median = (values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

try {
  const { jsonl, csv } = makeFiles();
  timed(process.execPath, [program, 'init', '--home', join(folder, 'empty')]);
  const runs = new Map<string, Timed[]>();
  const note = (name: string, one: Timed) => runs.set(name, [...(runs.get(name) ?? []), one]);
  const into = (name: string, path: string) => {
    const home = freshHome('home');
    note(name, node(program, 'import', path, '--home', home));
    note(`${name}, again`, node(program, 'import', path, '--home', home));
  };
  const hasShell = spawnSync('sqlite3', ['-version']).status === 0;
  for (let round = 0; round < rounds; round++) {
    note('bare inserts', node(bare, jsonl, join(freshHome('bare'), 'journal.db')));
    into('import trades.jsonl', jsonl);
    into('import trades.csv', csv);
    if (hasShell) {
      const db = join(freshHome('shell'), 'journal.db');
      note('sqlite3 .import of the CSV', timed('sqlite3', ['-bail'], shell(db, csv)));
    }
  }
  console.log(
    `${count} trades, ${(statSync(jsonl).size / 1e6).toFixed(0)} MB of JSON Lines, medians of ${rounds}`,
  );
  console.log(
    '| What | s | bare inserts = 1 | CPU s | bare inserts = 1 | at most MB |\n|---|---|---|---|---|---|',
  );
  const bareRuns = runs.get('bare inserts') as Timed[];
  const of = (own: Timed[], what: 'seconds' | 'cpu') =>
    median(own.map((one) => one[what] ?? Number.NaN));
  for (const [name, own] of runs) {
    const cells = (['seconds', 'cpu'] as const).flatMap((what) => {
      const value = of(own, what);
      return Number.isNaN(value)
        ? ['', '']
        : [value.toFixed(2), (of(bareRuns, what) / value).toFixed(2)];
    });
    const peak = Math.max(...own.map((one) => one.peak ?? 0));
    console.log(`| ${[name, ...cells, peak > 0 ? peak.toFixed(0) : ''].join(' | ')} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
