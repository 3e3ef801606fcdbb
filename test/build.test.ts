/** What is shipped, run where nothing else is. `npm test` has built it. */
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const execute = promisify(execFile);

/** The one script alone in a folder, with no environment but a place for temporary files. */
function shipped() {
  const folder = temporaryFolder();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  copyFileSync('dist/journal-api.cjs', join(folder, 'journal-api.cjs'));
  return { folder, temporary, settings: { cwd: folder, env: { PATH: '', TMPDIR: temporary } } };
}

test('the one script does the main job where nothing else is', async () => {
  const { folder, temporary, settings } = shipped();
  const journalApi = (...args: string[]) =>
    execute(process.execPath, ['journal-api.cjs', ...args, '--home', join(folder, 'home')], settings);

  const example = await journalApi('import', '--example', 'trades');
  writeFileSync(join(folder, 'trades.jsonl'), example.stdout);
  await journalApi('init', '--timezone', 'America/New_York');
  await journalApi('import', 'trades.jsonl');
  const key = (await journalApi('key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h')).stdout.trim();

  const args = ['journal-api.cjs', 'serve', '--port', '0', '--home', join(folder, 'home')];
  const server = spawn(process.execPath, args, { ...settings, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
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

  // The addon was there only while it was being loaded.
  expect(readdirSync(temporary)).toEqual([]);
});

test('a damaged copy says so', async () => {
  const { folder, settings } = shipped();
  const script = join(folder, 'journal-api.cjs');
  const text = readFileSync(script, 'utf8');
  const at = text.indexOf('sha256:"') + 8;
  writeFileSync(script, `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`);
  const failed = execute(process.execPath, ['journal-api.cjs', 'init', '--home', 'home'], settings);
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is damaged.*copy the file again/),
  });
});

test('it stays small', () => {
  expect(statSync('dist/journal-api.cjs').size).toBeLessThan(2.5e6);
  expect(statSync('dist/program.cjs').size).toBeLessThan(1e6);
});

test('it begins with what an old Node can read, and is told in one line', () => {
  const beginning = readFileSync('dist/journal-api.cjs', 'utf8').slice(0, 1000);
  expect(beginning).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(beginning).toContain('needs Node.js 22.12 or newer');
});

test('the licences of what is inside are inside', () => {
  const text = readFileSync('dist/journal-api.cjs', 'utf8');
  for (const name of ['better-sqlite3', 'commander', 'csv-parse', 'hono', 'temporal-polyfill', 'zod']) {
    expect(text).toMatch(new RegExp(`\\n${name} \\d+\\.\\d+\\.\\d+\\n`));
  }
});
