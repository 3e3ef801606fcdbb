/** A release packs only pinned Nodes, byte for byte. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers.ts';

const { node: version } = JSON.parse(
  readFileSync('package.json', 'utf8'),
).devDependencies;
const pinned: Record<string, string> = JSON.parse(
  readFileSync('build/nodes.json', 'utf8'),
)[version];
const target = `${process.platform}-${process.arch}`;
const { requirePinned } = await import(
  pathToFileURL(resolve('build/pinned-node.mjs')).href
);

test('the Node of the tests is pinned for each platform with an executable', () => {
  expect(Object.keys(pinned)).toEqual([
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64',
    'linux-x64',
    'win32-x64',
  ]);
  for (const sha256 of Object.values(pinned)) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});

test.runIf(process.versions.node === version && target in pinned)(
  'any other is refused, with its hash',
  () => {
    expect(() => requirePinned(process.execPath, target)).not.toThrow();
    const changed = join(temporaryFolder(), 'node');
    copyFileSync(process.execPath, changed);
    writeFileSync(changed, '\0', { flag: 'a' });
    expect(() => requirePinned(changed, target)).toThrow(
      `build/nodes.json has ${pinned[target]}`,
    );
    expect(() => requirePinned(process.execPath, target, '26.0.0')).toThrow(
      'has no hash for Node 26.0.0',
    );
    expect(() => requirePinned(process.execPath, 'linuxmusl-x64')).toThrow('has no hash');
  },
);
