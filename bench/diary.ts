/**
 * A trader's effort for a week's journal, in files, edits, errors and seconds of the program: the 20 trades of a real export with a setup,
 * a stop, mistakes, a rule and two sentences each. node bench/diary.ts [FILE] (default: Tradovate's Performance.csv)
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const export_ =
  process.argv[2] ??
  fileURLToPath(new URL('../../shared/data/tradovate/Performance.csv', import.meta.url));
const program = new URL('../dist/program.cjs', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const notes = join(folder, 'notes');
let seconds = 0;

function run(...args: string[]): string {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [program, ...args, '--home', join(folder, 'home')],
    {
      encoding: 'utf8',
    },
  );
  seconds += (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Fills in the existing lines of a printed note, one edit per section. */
function filledIn(text: string, most: number): { text: string; sections: number } {
  const parts = text.split(/(?=^## )/m);
  let sections = 0;
  const filled = parts.map((part) => {
    if (!part.includes('<!-- t:') || sections === most) return part;
    sections++;
    const price = 4200 + sections;
    return part
      .replace(/^setup::$/m, 'setup:: Failed breakout')
      .replace(/^stop_loss::$/m, `stop_loss:: ${price}`)
      .replace(/^mistakes::$/m, 'mistakes:: chased')
      .replace(/^rules::$/m, 'rules:: wait for the close = no')
      .replace(
        /\s*$/,
        '\n\nTook it before the bar had closed. The second try needed a reason.\n\n',
      );
  });
  return { text: filled.join(''), sections };
}

try {
  run('init', '--timezone', 'America/Chicago');
  run('import', export_, '--timezone', 'America/Chicago');
  seconds = 0;
  run('day', '--period', '2025-W49', '--out', notes);
  let left = 20;
  let edits = 0;
  const files = readdirSync(notes).slice(0, 5);
  for (const name of files) {
    const { text, sections } = filledIn(readFileSync(join(notes, name), 'utf8'), left);
    writeFileSync(join(notes, name), text);
    left -= sections;
    edits += sections;
  }
  const [{ added, changed, problems }] = JSON.parse(run('import', notes, '--json')).files;
  console.log(
    `${files.length} files, ${edits} sections edited, ${problems.length} errors, ${seconds.toFixed(1)} s of the program`,
  );
  console.log(`${added} entries and sessions added, ${changed} trades changed, no ids typed`);
} finally {
  rmSync(folder, { recursive: true });
}
