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
import { temporaryFolder } from '../helpers.ts';

const { openOwn, writeOwn } = createRequire(import.meta.url)(
  '../../build/own-cache.cjs',
) as {
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
    expect([folder, file].map((path) => lstatSync(path).mode & 0o777)).toEqual([
      0o700, 0o600,
    ]);
    expect(readdirSync(folder)).toEqual([NAME]);
  });

  test.each<[string, () => void]>([
    ['other users can write the folder', () => chmodSync(folder, 0o777)],
    ['other users can read the folder', () => chmodSync(folder, 0o755)],
    ['other users can write the file', () => chmodSync(file, 0o666)],
    ['other users can read the file', () => chmodSync(file, 0o644)],
    ['the folder is a link', () => moveAndLink(folder)],
    ['the file is a link', () => moveAndLink(file)],
    [
      'the file is a folder',
      () => renameSync(file, `${file}.old`) ?? mkdirSync(file, { mode: 0o700 }),
    ],
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
    [
      'other users can write the folder',
      () => mkdirSync(folder, { mode: 0o700 }) ?? chmodSync(folder, 0o777),
    ],
    ['the folder is a link', () => symlinkSync(temporaryFolder(), folder)],
    ['a file is in its place', () => symlinkSync('/dev/null', folder)],
    ...(process.getuid?.() === 0
      ? ([['another user owns its parent folder', () => chownSync(base, 1, 1)]] as [
          string,
          () => void,
        ][])
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

const start = (...args: string[]) =>
  execFileSync(process.execPath, [resolve('dist/program.cjs'), ...args], {
    cwd: base,
    stdio: 'pipe',
  }).toString();

test.skipIf(process.platform === 'win32')(
  'damaged code is never run, and is compiled again',
  () => {
    const outputs = ['--version', '--help'].map(
      (option) => [option, start(option)] as const,
    );
    const [kept = ''] = readdirSync(folder);
    const path = join(folder, kept);
    const bytes = readFileSync(path);
    const index = bytes.subarray(8, 8 + bytes.readUInt32LE());
    // V8 itself checks the first bytes of each piece.
    const pieces = Object.values(
      JSON.parse(index.toString()) as Record<string, [number, number]>,
    ).map(
      ([start, length]) =>
        [8 + index.length + start + 64, 8 + index.length + start + length] as const,
    );
    const flipped = (from: number, to: number) =>
      bytes.map((byte, i) => (i >= from && i < to ? byte ^ 0xff : byte));
    for (const damaged of [
      bytes.subarray(0, 100),
      bytes.subarray(0, bytes.length - 100),
      Buffer.alloc(0),
      flipped(0, 1),
      flipped(30, 31),
      bytes.map((byte, i) =>
        pieces.some(([from, to]) => i >= from && i < to) ? byte ^ 0xff : byte,
      ),
      flipped(bytes.length - 1, bytes.length),
    ]) {
      for (const [option, before] of outputs) {
        writeOwn(kept, () => Buffer.from(damaged));
        expect(start(option)).toBe(before);
      }
      // With --help, which loads all of these pieces.
      expect(readFileSync(path).equals(damaged)).toBe(false);
    }
    // The new code has what a start needs: the next one changes nothing.
    start('--help');
    const { ino } = lstatSync(path);
    start('--help');
    expect(lstatSync(path).ino).toBe(ino);
  },
);

test('an empty HOME makes no folder in the current one', () => {
  vi.stubEnv('XDG_CACHE_HOME', '');
  vi.stubEnv('HOME', '');
  expect(start('--help')).toMatch(/^Usage: journal-api/);
  expect(readdirSync(base)).toEqual([]);
});

function moveAndLink(path: string): void {
  renameSync(path, `${path}.old`);
  symlinkSync(`${path}.old`, path);
}
