/**
 * Time, processor time and memory of the built program to import many fills, then one more day: node bench/import.ts [FILLS]
 * The fills are those of fills-file.ts.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAIRS_A_DAY, writeFills } from './fills-file.ts';

const count = Math.floor(Number(process.argv[2] ?? 100_000) / 2);
const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const program = new URL('../dist/program.cjs', import.meta.url).pathname;
const meter = join(folder, 'meter.cjs');
writeFileSync(
  meter,
  `process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('PEAK ' + maxRSS + ' CPU ' + (userCPUTime + systemCPUTime) + '\\n');
  });`,
);

function timed(what: string, path: string): void {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--require', meter, program, 'import', path, '--home', folder, '--json'],
    { encoding: 'utf8' },
  );
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(stderr);
  const [file] = JSON.parse(stdout).files;
  const [, peak, cpu] = (/PEAK (\d+) CPU (\d+)/.exec(stderr) ?? []).map(Number) as [
    number,
    number,
    number,
  ];
  console.log(
    `${what}: ${seconds.toFixed(2)} s, ${(cpu / 1e6).toFixed(2)} s of processor time, ${file.platform.new_fills} new fills, ${file.added} trades added, at most ${(peak / 1024).toFixed(0)} MB`,
  );
}

try {
  const [all, day] = [join(folder, 'all.csv'), join(folder, 'day.csv')];
  writeFills(all, 0, count);
  writeFills(day, count, PAIRS_A_DAY);
  timed(`${2 * count} fills`, all);
  timed('one more day', day);
  timed('the same day again', day);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
