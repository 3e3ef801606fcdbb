/** Time of the built program to import a folder of notes twice: node bench/import-notes.ts [NOTES] */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const count = Number(process.argv[2] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const program = new URL('../dist/program.cjs', import.meta.url).pathname;

function writeNotes(vault: string): void {
  for (let n = 0; n < count; n++) {
    const day = new Date(Date.UTC(2022, 0, 3) + n * 86_400_000).toISOString().slice(0, 10);
    const month = join(vault, 'Sessions', day.slice(0, 7));
    mkdirSync(month, { recursive: true });
    writeFileSync(
      join(month, `${day}.md`),
      `---
type: session
mood: calm
energy: ${1 + (n % 5)}
sleep_hours: 7.5
goals:
  - wait for the retest
  - text: at most two trades
    met: ${n % 2 === 0}
market_context:
  bias: bullish
  key_levels:
    - symbol: SPY
      price: ${600 + (n % 100)}
review:
  lesson: One trade was enough.
  rating: ${1 + (n % 5)}
tags: [opex, a-plus]
---

# ${day}

Bought [[SPY]] at the open, as planned. Out at the first sign of weakness, which came early.

## Later

${'Watched the afternoon without a trade. '.repeat(20)}
`,
    );
  }
}

function timed(what: string): void {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [program, 'import', join(folder, 'vault'), '--home', join(folder, 'home'), '--json'],
    { encoding: 'utf8' },
  );
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(stderr);
  const [{ added, unchanged }] = JSON.parse(stdout).files;
  console.log(`${what}: ${seconds.toFixed(2)} s, ${added} added, ${unchanged} unchanged`);
}

try {
  writeNotes(join(folder, 'vault'));
  timed(`${count} notes`);
  timed('again');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
