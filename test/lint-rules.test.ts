/** The lint rules of this project, each on code that it refuses and code that it allows. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const CASES: [rule: string, isRefused: boolean, code: string][] = [
  ['no-literal-spreads', true, 'export const a = { ...{ b: 1, c: 2 } };'],
  ['no-literal-spreads', true, 'export const a = [...[1, 2], 3];'],
  ['no-literal-spreads', false, 'export const a = (b: object) => ({ ...b, c: 2 });'],
  [
    'no-literal-spreads',
    false,
    'export const a = (b?: object) => ({ ...(b ? { b } : {}) });',
  ],
  ['no-lists-by-split', true, "export const a = 'b c'.split(' ');"],
  ['no-lists-by-split', true, "export const a = ('b c ' + 'd').split(' ');"],
  ['no-lists-by-split', true, 'export const a = `b\nc`.split("\\n");'],
  ['no-lists-by-split', false, "export const a = (text: string) => text.split(' ');"],
  ['no-rows-as-arguments', true, 'export const a = (b: string[]) => [""].push(...b);'],
  ['no-rows-as-arguments', false, 'export const a = (b: string[]) => [...b, ""];'],
];

test.each(CASES)('%s refuses (%s): %s', (rule, isRefused, code) => {
  const folder = temporaryFolder();
  const config = join(folder, 'biome.json');
  writeFileSync(
    config,
    JSON.stringify({
      linter: { rules: { preset: 'none' } },
      plugins: [resolve(`build/${rule}.grit`)],
    }),
  );
  writeFileSync(join(folder, 'case.ts'), `${code}\n`);
  const biome = resolve('node_modules/.bin/biome');
  const { status, stderr } = spawnSync(
    biome,
    ['lint', `--config-path=${config}`, 'case.ts'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  expect([status, /case\.ts:1:\d+ plugin/.test(stderr)]).toEqual(
    isRefused ? [1, true] : [0, false],
  );
});
