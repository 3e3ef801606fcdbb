/** SECURITY.md names existing tests for each promise. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('SECURITY.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| .* \| `test\//.test(line));

test('each promise has existing tests', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path as string);
    for (const path of named) expect([path, existsSync(path)]).toEqual([path, true]);
  }
});
