/** The lint rules of this project, each on code that it refuses and code that it allows. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const CASES: Record<string, { refused: string[]; allowed: string[] }> = {
  'no-literal-spreads': {
    refused: [
      'export const a = { ...{ b: 1, c: 2 } };',
      'export const a = [...[1, 2], 3];',
    ],
    allowed: [
      'export const a = (b: object) => ({ ...b, c: 2 });',
      'export const a = (b?: object) => ({ ...(b ? { b } : {}) });',
    ],
  },
  'no-lists-by-split': {
    refused: [
      "export const a = 'b c'.split(' ');",
      "export const a = ('b c ' + 'd').split(' ');",
      'export const a = `b\nc`.split("\\n");',
    ],
    allowed: ["export const a = (text: string) => text.split(' ');"],
  },
  'no-rows-as-arguments': {
    refused: ['export const a = (b: string[]) => [""].push(...b);'],
    allowed: ['export const a = (b: string[]) => [...b, ""];'],
  },
};

test.each(Object.entries(CASES))('%s', (rule, { refused, allowed }) => {
  const folder = temporaryFolder();
  const config = join(folder, 'biome.json');
  writeFileSync(
    config,
    JSON.stringify({
      linter: { rules: { preset: 'none' } },
      plugins: [resolve(`build/${rule}.grit`)],
    }),
  );
  const codes = [...refused, ...allowed];
  for (const [n, code] of codes.entries())
    writeFileSync(join(folder, `${n}.ts`), `${code}\n`);

  const biome = resolve('node_modules/.bin/biome');
  const { status, stderr } = spawnSync(biome, ['lint', `--config-path=${config}`, '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const found = codes.filter((_, n) =>
    new RegExp(`^${n}\\.ts:1:\\d+ plugin`, 'm').test(stderr),
  );
  expect([status, found]).toEqual([1, refused]);
});
