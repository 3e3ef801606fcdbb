/** Messages for errors of the file system. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messageOf, mistyped } from '../src/errors.ts';
import { temporaryFolder } from './helpers.ts';

test.each<[string, string, (folder: string) => void]>([
  [
    'missing',
    'there is no such file or folder',
    (folder) => statSync(join(folder, 'none.csv')),
  ],
  [
    'a missing folder',
    'there is no such file or folder',
    (folder) => readdirSync(join(folder, 'none')),
  ],
  ['a folder', 'it is a folder', (folder) => readFileSync(folder)],
  [
    'behind a file',
    'a part of the path is a file, not a folder',
    (folder) => statSync(join(folder, 'file', 'x')),
  ],
  ['there', 'it exists already', (folder) => mkdirSync(join(folder, 'file'))],
  [
    'a name of 300 letters',
    'the name is too long',
    (folder) => statSync(join(folder, 'x'.repeat(300))),
  ],
  [
    'a link to itself',
    'its links form a loop',
    (folder) => statSync(join(folder, 'link')),
  ],
  // Other errors keep their message.
  [
    'no file',
    'ENOENT',
    () => {
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    },
  ],
])('a path that is %s: %s', (_, expected, act) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('link', join(folder, 'link'));
  let message = '';
  try {
    act(folder);
  } catch (error) {
    message = messageOf(error);
  }
  expect(message).toBe(expected);
});

test.each([
  ['slep_hours', 'sleep_hours'],
  ['setups', 'setup'],
  ['confluence', undefined],
  ['vix', undefined],
])('%s of the trader is mistyped for %s', (name, field) => {
  expect(mistyped(name, ['confidence', 'setup', 'sleep_hours', 'mix'])).toBe(field);
});
