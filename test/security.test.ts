/** SECURITY.md names the tests of each promise: they are there. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('SECURITY.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| .* \| `test\//.test(line));

test('each promise is held by tests that exist', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path as string);
    for (const path of named) expect([path, existsSync(path)]).toEqual([path, true]);
  }
});
