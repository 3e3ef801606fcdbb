/** Imports that take over 2 s of processor time for 1 MB, by the built program into a new journal: node bench/slow-imports.ts [FORMAT...] */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportOf, FORMS } from '../test/faults/export-forms.ts';

const BYTES = 1_000_000;
const LIMIT_SECONDS = 2;

const program = new URL('../dist/program.cjs', import.meta.url).pathname;

function measure(
  name: string,
  most = BYTES,
): { bytes: number; seconds: number; refusal: string | undefined } {
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
  try {
    const { file, content } = exportOf(name, 100_000, most);
    const path = join(folder, file);
    writeFileSync(path, content);
    const args = [
      program,
      'import',
      path,
      '--date',
      '2026-01-15',
      '--allow-duplicates',
      '--home',
      join(folder, 'home'),
    ];
    const command = [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
    const { stdout, stderr, status } = spawnSync(
      'bash',
      ['-c', `TIMEFORMAT='%U %S'; time ${command} 2>&1 >/dev/null`],
      {
        encoding: 'utf8',
        env: { ...process.env, TZ: 'UTC' },
      },
    );
    const [user = 0, system = 0] = stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
    return {
      bytes: statSync(path).size,
      seconds: user + system,
      refusal: status === 0 ? undefined : stdout,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(FORMS);
for (const name of names) {
  const { bytes, seconds, refusal } = measure(name);
  const size = `${(bytes / 1e6).toFixed(2)} MB`;
  const ratio = () => (seconds / measure(name, BYTES / 4).seconds).toFixed(1);
  const slow = seconds > LIMIT_SECONDS ? `, over the limit; ${ratio()} times a quarter of it` : '';
  console.log(
    `${name}, ${size}: ${refusal === undefined ? `${seconds.toFixed(1)} s${slow}` : `refused: ${refusal.slice(0, 200)}`}`,
  );
}
