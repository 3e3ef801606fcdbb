/** `key create`: the scopes of a key. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { temporaryFolder } from '../helpers.ts';
import { runHere } from '../program.ts';

test('scopes are given in one list, one by one, or both', async () => {
  const home = join(temporaryFolder(), 'home');
  await runHere(['init', '--home', home]);
  const cases: [given: string[], expected: readonly string[]][] = [
    [['trades:read, journals:read'], ['trades:read', 'journals:read']],
    [
      ['trades:read', 'journals:read'],
      ['trades:read', 'journals:read'],
    ],
    [
      ['trades:read,analytics:read', 'journals:read', 'trades:read'],
      ['trades:read', 'analytics:read', 'journals:read'],
    ],
    [['trades:read', 'all'], ALL_SCOPES],
  ];
  for (const [i, [given, expected]] of cases.entries()) {
    const scopes = given.flatMap((one) => ['--scopes', one]);
    const { code } = await runHere(['key', 'create', '--home', home, '--name', `${i}`, ...scopes, '--expires', '1h']);
    expect(code).toBe(0);
    const { stdout } = await runHere(['key', 'list', '--json', '--home', home]);
    const made = JSON.parse(stdout).find(({ name }: { name: string }) => name === `${i}`);
    expect(made.scopes).toEqual(expected);
  }
  const wrong = ['--scopes', 'trades:read', '--scopes', 'journal:read'];
  const { code, stderr } = await runHere(['key', 'create', '--home', home, '--name', 'n', ...wrong, '--expires', '1h']);
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean journals:read?');
});
