/** The main job of a shipped program, in an empty folder. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../helpers.ts';

const execute = promisify(execFile);

/** An empty folder for a test, and an environment with only the folders for temporary files and for the cache. */
export function emptyPlace() {
  const folder = temporaryFolder();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const env: NodeJS.ProcessEnv = {
    PATH: '',
    TMPDIR: temporary,
    XDG_CACHE_HOME: temporaryFolder(),
  };
  return { folder, temporary, settings: { cwd: folder, env } };
}

/** The files of SQLite's addon that a process has loaded: a second one would know nothing of the locks of the first. */
function addonsIn(pid: number): string[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const loaded = lines.filter(
    (line) => / r-xp /.test(line) && /\.node\b|\/addon-/.test(line),
  );
  return [...new Set(loaded.map((line) => line.split(/\s+/).slice(3, 5).join(' ')))];
}

/** Creates a journal, imports, creates a key, serves, reads on the main thread and on another, stops. */
export async function mainJob(
  command: string,
  args: readonly string[],
  { folder, settings }: ReturnType<typeof emptyPlace>,
) {
  const home = ['--home', join(folder, 'home')];
  const journalApi = (...more: string[]) =>
    execute(command, [...args, ...more, ...home], settings);
  const example = await journalApi('import', '--example', 'trades');
  writeFileSync(join(folder, 'trades.jsonl'), example.stdout);
  await journalApi('init', '--timezone', 'America/New_York');
  await journalApi('import', 'trades.jsonl');
  const key = (
    await journalApi('key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h')
  ).stdout.trim();

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
  const ask = async (path: string): Promise<any> => {
    const answer = await fetch(`${url}${path}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  expect((await ask('/v1/trades')).data).toHaveLength(1);
  // Read by another thread.
  expect(
    (await ask('/v1/analytics/summary?sections=performance')).data.performance.trades,
  ).toBe(1);
  if (process.platform === 'linux')
    expect(addonsIn(server.pid as number)).toHaveLength(1);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
}
