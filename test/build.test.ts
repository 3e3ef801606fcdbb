/** What is shipped, run where nothing else is. */
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const execute = promisify(execFile);

/** A folder with nothing in it but what a test puts there, and no environment but a place for temporary files. */
function emptyPlace() {
  const folder = temporaryFolder();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  return { folder, temporary, settings: { cwd: folder, env: { PATH: '', TMPDIR: temporary } } };
}

/** Makes a journal, imports, makes a key, serves, reads, stops. */
async function mainJob(command: string, args: readonly string[], { folder, settings }: ReturnType<typeof emptyPlace>) {
  const home = ['--home', join(folder, 'home')];
  const journalApi = (...more: string[]) => execute(command, [...args, ...more, ...home], settings);
  const example = await journalApi('import', '--example', 'trades');
  writeFileSync(join(folder, 'trades.jsonl'), example.stdout);
  await journalApi('init', '--timezone', 'America/New_York');
  await journalApi('import', 'trades.jsonl');
  const key = (await journalApi('key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h')).stdout.trim();

  const server = spawn(command, [...args, 'serve', '--port', '0', ...home], {
    ...settings,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    server.once('error', reject);
    server.once('exit', () => reject(new Error(text)));
    server.stderr.on('data', (chunk) => {
      text += chunk;
      const ready = /ready at (\S+)/.exec(text)?.[1];
      if (ready) resolve(ready);
    });
  });
  const answer = await fetch(`${url}/v1/trades`, { headers: { Authorization: `Bearer ${key}` } });
  const body: any = await answer.json();
  expect([answer.status, body.data.length]).toEqual([200, 1]);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
}

test('the one script does the main job where nothing else is', async () => {
  const place = emptyPlace();
  copyFileSync('dist/journal-api.cjs', join(place.folder, 'journal-api.cjs'));
  await mainJob(process.execPath, ['journal-api.cjs'], place);
  // The addon was there only while it was being loaded.
  expect(readdirSync(place.temporary)).toEqual([]);
});

test('the source does it as it stands', async () => {
  await mainJob(process.execPath, [resolve('src/cli.ts')], emptyPlace());
});

test('the executable does it without Node', { timeout: 120_000 }, async () => {
  const place = emptyPlace();
  const executable = join(place.folder, process.platform === 'win32' ? 'journal-api.exe' : 'journal-api');
  const { buildExecutable } = await import(pathToFileURL(resolve('build/executable.mjs')).href);
  await buildExecutable(relative('.', executable), `${process.platform}-${process.arch}`);
  await mainJob(executable, [], place);
  expect(readdirSync(place.temporary)).toEqual([]);
});

test('the npm package does it with its one dependency, and nothing of ours beside it', {
  timeout: 60_000,
}, async () => {
  const place = emptyPlace();
  const shell = process.platform === 'win32';
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', place.folder];
  const { stdout } = await execute('npm', pack, { shell });
  const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
  await execute('tar', ['-xzf', filename], { cwd: place.folder });
  const { dependencies } = JSON.parse(readFileSync(join(place.folder, 'package', 'package.json'), 'utf8'));
  expect(Object.keys(dependencies)).toEqual(['better-sqlite3']);
  cpSync('node_modules/better-sqlite3', join(place.folder, 'node_modules', 'better-sqlite3'), { recursive: true });
  await mainJob(process.execPath, [join(place.folder, 'package', 'bin', 'journal-api')], place);
});

test('the one script brings older journals to its schema', async () => {
  const { folder, settings } = emptyPlace();
  copyFileSync('dist/journal-api.cjs', join(folder, 'journal-api.cjs'));
  const db = new Database(join(folder, 'journal.db'));
  db.exec(readFileSync('test/fixtures/schema-1.sql', 'utf8'));
  db.close();
  const journalApi = (command: string) =>
    execute(process.execPath, ['journal-api.cjs', command, '--db', 'journal.db'], settings);
  expect((await journalApi('upgrade')).stderr).toMatch(/from version 1 to/);
  expect((await journalApi('check')).stderr).toMatch(/No problems found/);
});

test('where Node has no Temporal, the polyfill in the script takes its place', async () => {
  const { folder, settings } = emptyPlace();
  const script = resolve('dist/journal-api.cjs');
  const journalApi = (...args: string[]) =>
    execute(process.execPath, ['--no-harmony-temporal', script, ...args, '--home', join(folder, 'home')], settings);
  await journalApi('init', '--timezone', 'Europe/Berlin');
  await expect(journalApi('user', 'add', 'b', '--timezone', 'Europe/Atlantis')).rejects.toMatchObject({
    stderr: expect.stringMatching(/IANA time zone.*Europe\/Atlantis/),
  });
  expect((await journalApi('user', 'list')).stdout).toContain('Europe/Berlin');
});

test('a damaged copy says so', async () => {
  const { folder, settings } = emptyPlace();
  const script = join(folder, 'journal-api.cjs');
  const text = readFileSync('dist/journal-api.cjs', 'utf8');
  const at = text.indexOf('sha256:\\"') + 9;
  writeFileSync(script, `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`);
  const failed = execute(process.execPath, ['journal-api.cjs', 'init', '--home', 'home'], settings);
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is damaged.*copy the file again/),
  });
});

test('it stays small', () => {
  expect(statSync('dist/journal-api.cjs').size).toBeLessThan(4e6);
  expect(statSync('dist/program.cjs').size).toBeLessThan(2.5e6);
});

test.each(['dist/journal-api.cjs', 'dist/program.cjs'])('%s tells an old Node in one line', async (script) => {
  // What such a Node would do first; the launcher's tests start a real one.
  const asOld = `Object.defineProperty(process.versions, 'napi', { value: '9' }); require('./${script}')`;
  const failed = execute(process.execPath, ['-e', asOld]);
  const stderr = expect.stringMatching(
    /^journal-api needs Node\.js 22\.14 or newer; this is v[\d.]+\. See https:\S+, or run "npm run build:binary" .*\n$/,
  );
  await expect(failed).rejects.toMatchObject({ code: 1, stdout: '', stderr });
});

test('the licences of what is inside are inside', () => {
  const text = readFileSync('dist/journal-api.cjs', 'utf8');
  const names = ['better-sqlite3', 'commander', 'csv-parse', 'hono', 'temporal-polyfill', 'zod'];
  expect(names.filter((name) => !new RegExp(`\\n${name} \\d+\\.\\d+\\.\\d+\\n`).test(text))).toEqual([]);
});
