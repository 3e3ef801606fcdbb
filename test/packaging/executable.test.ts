/** The executable, built and run in an empty folder. */
import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { emptyPlace, mainJob } from './main-job.ts';

test('the executable does the main job without Node', { timeout: 600_000 }, async () => {
  const place = emptyPlace();
  const executable = join(
    place.folder,
    process.platform === 'win32' ? 'journal-api.exe' : 'journal-api',
  );
  const { buildExecutable } = await import(
    pathToFileURL(resolve('build/executable.mjs')).href
  );
  await buildExecutable(relative('.', executable), `${process.platform}-${process.arch}`);
  await mainJob(executable, [], place);
  expect(readdirSync(place.temporary)).toEqual([]);
});
