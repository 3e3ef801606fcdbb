/** The built program's cache of code between two starts: no other user may have write access to it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const { openOwn, writeOwn } = createRequire(import.meta.url)('../build/own-cache.cjs') as {
  openOwn: (name: string) => number | undefined;
  writeOwn: (name: string, make: () => Buffer) => void;
};

const NAME = 'code-1';
let base: string;
let folder: string;
let file: string;

beforeEach(() => {
  base = temporaryFolder();
  folder = join(base, 'journal-api');
  file = join(folder, NAME);
  vi.stubEnv('XDG_CACHE_HOME', base);
  return () => vi.unstubAllEnvs();
});

const read = () => {
  const found = openOwn(NAME);
  return found === undefined ? undefined : readFileSync(found, 'utf8');
};
const write = () => writeOwn(NAME, () => Buffer.from('code'));

describe.skipIf(process.platform === 'win32')('a cached file', () => {
  test('only its owner may read or write it and its folder', () => {
    write();
    expect(read()).toBe('code');
    expect([folder, file].map((path) => lstatSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual([NAME]);
  });

  test.each<[string, () => void]>([
    ['other users can write the folder', () => chmodSync(folder, 0o777)],
    ['other users can read the folder', () => chmodSync(folder, 0o755)],
    ['other users can write the file', () => chmodSync(file, 0o666)],
    ['other users can read the file', () => chmodSync(file, 0o644)],
    ['the folder is a link', () => moveAndLink(folder)],
    ['the file is a link', () => moveAndLink(file)],
    ['the file is a folder', () => renameSync(file, `${file}.old`) ?? mkdirSync(file, { mode: 0o700 })],
    ...(process.getuid?.() === 0
      ? ([
          ['another user owns the folder', () => chownSync(folder, 1, 1)],
          ['another user owns the file', () => chownSync(file, 1, 1)],
        ] as [string, () => void][])
      : []),
  ])('is not read if %s', (_, change) => {
    write();
    change();
    expect(read()).toBeUndefined();
  });

  test.each<[string, () => void]>([
    ['other users can write the folder', () => mkdirSync(folder, { mode: 0o700 }) ?? chmodSync(folder, 0o777)],
    ['the folder is a link', () => symlinkSync(temporaryFolder(), folder)],
    ['a file is in its place', () => symlinkSync('/dev/null', folder)],
    ...(process.getuid?.() === 0
      ? ([['another user owns its parent folder', () => chownSync(base, 1, 1)]] as [string, () => void][])
      : []),
  ])('is not written if %s', (_, change) => {
    change();
    const make = vi.fn(() => Buffer.from('code'));
    writeOwn(NAME, make);
    expect(make).not.toHaveBeenCalled();
  });
});

test.each([
  ['dist/program.cjs', '/dev/null'],
  ['dist/journal-api.cjs', '/dev/null'],
  ['dist/program.cjs', '/proc/none'],
])('%s works if the cache folder can only be in %s', (script, base) => {
  const env = { ...process.env, XDG_CACHE_HOME: base };
  const started = execFileSync(process.execPath, [resolve(script), '--help'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(started.toString()).toMatch(/^Usage: journal-api/);
});

test.skipIf(process.platform === 'win32')('damaged code is compiled again', () => {
  const help = () =>
    execFileSync(process.execPath, [resolve('dist/program.cjs'), '--help'], { stdio: 'pipe' }).toString();
  const before = help();
  const [kept = ''] = readdirSync(folder);
  const bytes = readFileSync(join(folder, kept));
  for (const damaged of [bytes.subarray(0, 100), bytes.subarray(0, bytes.length - 100), Buffer.alloc(0)]) {
    writeOwn(kept, () => damaged);
    expect(help()).toBe(before);
  }
});

function moveAndLink(path: string): void {
  renameSync(path, `${path}.old`);
  symlinkSync(`${path}.old`, path);
}
