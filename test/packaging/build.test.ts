/** The shipped programs, run in an empty folder. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { emptyPlace, mainJob } from './main-job.ts';

const execute = promisify(execFile);

test('the single script does the main job in an empty folder', async () => {
  const place = emptyPlace();
  copyFileSync('dist/journal-api.cjs', join(place.folder, 'journal-api.cjs'));
  await mainJob(process.execPath, ['journal-api.cjs'], place);
  // The addon existed only while it was loaded.
  expect(readdirSync(place.temporary)).toEqual([]);
});

test('the source runs without a build', async () => {
  const place = emptyPlace();
  // Node strips the types of each file once, not on each start.
  place.settings.env['NODE_COMPILE_CACHE'] = join(place.folder, 'compiled');
  await mainJob(process.execPath, [resolve('src/cli.ts')], place);
});

test('the npm package does the main job with its one dependency', {
  timeout: 600_000,
}, async () => {
  const place = emptyPlace();
  const shell = process.platform === 'win32';
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', place.folder];
  const { stdout } = await execute('npm', pack, { shell });
  const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
  await execute('tar', ['-xzf', filename], { cwd: place.folder });
  for (const file of ['SECURITY.md', 'CHANGELOG.md', 'LICENSE'])
    expect(existsSync(join(place.folder, 'package', file)), file).toBe(true);
  const { dependencies } = JSON.parse(
    readFileSync(join(place.folder, 'package', 'package.json'), 'utf8'),
  );
  expect(Object.keys(dependencies)).toEqual(['better-sqlite3']);
  cpSync(
    'node_modules/better-sqlite3',
    join(place.folder, 'node_modules', 'better-sqlite3'),
    {
      recursive: true,
    },
  );
  await mainJob(
    process.execPath,
    [join(place.folder, 'package', 'bin', 'journal-api')],
    place,
  );
});

test('the single script upgrades older journals', async () => {
  const { folder, settings } = emptyPlace();
  copyFileSync('dist/journal-api.cjs', join(folder, 'journal-api.cjs'));
  const db = new Database(join(folder, 'journal.db'));
  db.exec(readFileSync('test/fixtures/schema-1.sql', 'utf8'));
  db.close();
  const journalApi = (command: string) =>
    execute(
      process.execPath,
      ['journal-api.cjs', command, '--db', 'journal.db'],
      settings,
    );
  expect((await journalApi('upgrade')).stderr).toMatch(/from version 1 to/);
  expect((await journalApi('check')).stderr).toMatch(/No problems found/);
});

test('the script has a polyfill for a Node without Temporal', async () => {
  const { folder, settings } = emptyPlace();
  const script = resolve('dist/journal-api.cjs');
  const journalApi = (...args: string[]) =>
    execute(
      process.execPath,
      ['--no-harmony-temporal', script, ...args, '--home', join(folder, 'home')],
      settings,
    );
  await journalApi('init', '--timezone', 'Europe/Berlin');
  await expect(
    journalApi('user', 'add', 'b', '--timezone', 'Europe/Atlantis'),
  ).rejects.toMatchObject({
    stderr: expect.stringMatching(/IANA time zone.*Europe\/Atlantis/),
  });
  expect((await journalApi('user', 'list')).stdout).toContain('Europe/Berlin');
});

test.each(['sha256', 'deflated'])('a script damaged in %s reports it', async (part) => {
  const { folder, settings } = emptyPlace();
  const script = join(folder, 'journal-api.cjs');
  const text = readFileSync('dist/journal-api.cjs', 'utf8');
  const at = text.indexOf(`"${part}":"`) + part.length + 4;
  writeFileSync(
    script,
    `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`,
  );
  const failed = execute(
    process.execPath,
    ['journal-api.cjs', 'init', '--home', 'home'],
    settings,
  );
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is damaged.*copy the file again/),
  });
});

test('it stays small', () => {
  expect(statSync('dist/journal-api.cjs').size).toBeLessThan(5.5e6);
  expect(
    statSync('dist/program.cjs').size + statSync('dist/program.parts').size,
  ).toBeLessThan(4e6);
});

test.each(['dist/journal-api.cjs', 'dist/program.cjs'])(
  '%s rejects an old Node in one line',
  async (script) => {
    // A simulated old Node; the launcher's tests start a real one.
    const asOld = `Object.defineProperty(process.versions, 'napi', { value: '9' }); require('./${script}')`;
    const failed = execute(process.execPath, ['-e', asOld]);
    const stderr = expect.stringMatching(
      /^journal-api needs Node\.js 22\.14 or newer; this is v[\d.]+\. See https:\S+, or run "npm run build:binary" .*\n$/,
    );
    await expect(failed).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  },
);

test('the script contains the licences of its packages', () => {
  const text = readFileSync('dist/journal-api.cjs', 'utf8');
  const names = [
    'better-sqlite3',
    'commander',
    'csv-parse',
    'hono',
    'temporal-polyfill',
    'zod',
  ];
  expect(
    names.filter((name) => !new RegExp(`\\n${name} \\d+\\.\\d+\\.\\d+\\n`).test(text)),
  ).toEqual([]);
});
