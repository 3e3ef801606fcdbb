/** Processor time of the built program for a note of 500 trades and a vault of 1,000 day notes: node bench/day-notes.ts */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const program = new URL('../dist/program.cjs', import.meta.url).pathname;
const home = ['--home', join(folder, 'home')];

function run(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args, ...home], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Processor time of a command, measured by bash. */
function timed(what: string, ...args: string[]): void {
  const command = [process.execPath, program, ...args, ...home]
    .map((word) => `'${word}'`)
    .join(' ');
  const { stderr } = spawnSync(
    'bash',
    ['-c', `TIMEFORMAT='%U %S'; time ${command} >/dev/null 2>&1`],
    {
      encoding: 'utf8',
    },
  );
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  console.log(`${what}: ${(user + system).toFixed(2)} s of processor time`);
}

const DAYS = 1000;
const dayOf = (n: number) =>
  new Date(Date.UTC(2022, 0, 3) + n * 86_400_000).toISOString().slice(0, 10);
const clock = (n: number) =>
  `${String(8 + Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`;

function trade(day: string, n: number, id: string): string {
  const [executed_at, closed_at] = [`${day}T${clock(n)}:00Z`, `${day}T${clock(n)}:30Z`];
  const facts = {
    market: 'future',
    symbol: 'MNQZ5',
    underlying: 'MNQ',
    side: 'long',
    status: 'closed',
    currency: 'USD',
  };
  return JSON.stringify({
    id,
    ...facts,
    executed_at,
    closed_at,
    quantity: 1,
    entry_price: 100,
    exit_price: 101,
    multiplier: 2,
    gross_pnl: 2,
  });
}

const section = (n: number) => `## ${clock(n)} MNQ long
setup:: Failed breakout
stop_loss:: 99.5
tags:: news, first-hour
mistakes:: added to a loser
rating:: ${1 + (n % 5)}
emotions:: impatient
followed_plan:: no
rules:: wait for the close = no; stop in the book = yes

Doubled before the bar had closed. Out at the first sign of weakness, which came early.
`;

const note = (day: string, trades: number) => `---
type: day
date: ${day}
mood: calm
energy: 4
---
## Plan
Short the opening range if it fails.

${Array.from({ length: trades }, (_, n) => section(n)).join('\n')}
## Lesson
One entry, one stop.
`;

try {
  const rows = Array.from({ length: DAYS }, (_, n) => [
    trade(dayOf(n), 0, `d${n}`),
    trade(dayOf(n), 1, `e${n}`),
  ]).flat();
  const long = Array.from({ length: 500 }, (_, n) => trade('2025-06-02', n, `l${n}`));
  writeFileSync(join(folder, 'trades.jsonl'), [...rows, ...long].join('\n'));
  run('import', join(folder, 'trades.jsonl'));
  const file = join(folder, '2025-06-02.md');
  writeFileSync(file, note('2025-06-02', 500));
  timed('a note of 500 trades', 'import', file);
  timed('the same again', 'import', file);
  timed('printed', 'day', '2025-06-02');
  const vault = join(folder, 'vault');
  mkdirSync(vault);
  for (let n = 0; n < DAYS; n++) writeFileSync(join(vault, `${dayOf(n)}.md`), note(dayOf(n), 2));
  timed(`a vault of ${DAYS} notes`, 'import', vault);
  timed('the same again', 'import', vault);
} finally {
  rmSync(folder, { recursive: true });
}
