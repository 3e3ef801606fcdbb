/** Once, before the first test: builds what the tests start, and says with which seed the property tests run. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { TestProject } from 'vitest/node';

export default function setup(project: TestProject): void {
  if (process.env['FC_SEED'] === 'random') process.env['FC_SEED'] = String(randomInt(2 ** 31));
  if (process.env['FC_SEED']) console.log(`FC_SEED=${process.env['FC_SEED']}`);
  const build = () => void execFileSync(process.execPath, ['build/build.mjs'], { stdio: 'pipe' });
  build();
  project.onTestsRerun(build);
}
