/** Once, before the first test: builds what the tests start, and says with which seed the property tests run. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Linux's file system in memory, where no commit of SQLite waits for a disk. */
const MEMORY = '/dev/shm';

/** @returns what removes all that the tests have left */
export default function setup(project: TestProject): () => void {
  if (process.env['FC_SEED'] === 'random') process.env['FC_SEED'] = String(randomInt(2 ** 31));
  if (process.env['FC_SEED']) console.log(`FC_SEED=${process.env['FC_SEED']}`);
  const folder = temporaryFolder();
  process.env['TMPDIR'] = folder;
  const build = () => void execFileSync(process.execPath, ['build/build.mjs'], { stdio: 'pipe' });
  build();
  project.onTestsRerun(build);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** In memory where there is room for it, else where temporary files go. */
function temporaryFolder(): string {
  if (existsSync(MEMORY)) {
    const folder = mkdtempSync(join(MEMORY, 'journal-api-'));
    if (hasRoom(folder) && mayRunPrograms(folder)) return folder;
    rmSync(folder, { recursive: true });
  }
  return mkdtempSync(join(tmpdir(), 'journal-api-'));
}

function hasRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 2 ** 30;
}

/** Tests start what they have put there; containers often forbid it. */
function mayRunPrograms(folder: string): boolean {
  const script = join(folder, 'may-run');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
  try {
    execFileSync(script);
    return true;
  } catch {
    return false;
  }
}
