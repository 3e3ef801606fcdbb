/** Once, before the first test: builds the programs that tests start, and draws the seed of everything random. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Linux's file system in memory, where commits of SQLite don't wait for a disk. */
const MEMORY = '/dev/shm';

export default function setup(project: TestProject): void {
  process.env['SEED'] ||= String(randomInt(2 ** 31));
  console.log(`Random cases by SEED=${process.env['SEED']}: set it to repeat them.`);
  const folder = memoryFolder() ?? mkdtempSync(join(tmpdir(), 'journal-api-'));
  process.env['TMPDIR'] = folder;
  process.env['XDG_CACHE_HOME'] = join(folder, 'cache');
  // Also if the run is interrupted.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const build = () =>
    void execFileSync(process.execPath, ['build/build.mjs'], { stdio: 'pipe' });
  // `.ci/run` builds once for all its runs.
  if (process.env['BUILT'] !== 'yes') build();
  project.onTestsRerun(build);
}

/** A folder in memory with enough space that permits starting programs, which containers often forbid. */
function memoryFolder(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < 2 ** 30) return undefined;
    folder = mkdtempSync(join(MEMORY, 'journal-api-'));
    const script = join(folder, 'script');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(script);
    return folder;
  } catch {
    if (folder) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
