/** The main job of a shipped program, in an empty folder. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const execute = promisify(execFile);

/** An empty folder for a test, and an environment with only the folders for temporary files and for the cache. */
export function emptyPlace() {
  const folder = temporaryFolder();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const env: NodeJS.ProcessEnv = { PATH: '', TMPDIR: temporary, XDG_CACHE_HOME: temporaryFolder() };
  return { folder, temporary, settings: { cwd: folder, env } };
}

/** Creates a journal, imports, creates a key, serves, reads, stops. */
export async function mainJob(
  command: string,
  args: readonly string[],
  { folder, settings }: ReturnType<typeof emptyPlace>,
) {
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
