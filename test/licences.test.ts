/** The script contains the licence of everything bundled or linked into it. */
import { readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const script = readFileSync('dist/journal-api.cjs', 'utf8');
const packageOf = (path: string) =>
  /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
const manifest = (name: string) =>
  JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
/** The script has plain quotes only. */
const asWritten = (text: string) =>
  text.trim().replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"');

test('each package of a source file, and each that the addon is compiled with', async () => {
  const { metafile } = await build({
    entryPoints: ['src/cli.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    outfile: 'unused.cjs',
    logLevel: 'silent',
  });
  const bundled = new Set(
    Object.keys(metafile.inputs)
      .map(packageOf)
      .filter((name) => name !== undefined),
  );
  const compiled =
    readFileSync('node_modules/better-sqlite3/binding.gyp', 'utf8').match(
      /require\('([^']+)'\)/g,
    ) ?? [];
  const linked = compiled
    .map((text) => text.slice(9, -2))
    .filter((name) => !name.startsWith('.'));
  expect([...bundled]).toEqual(
    expect.arrayContaining(['better-sqlite3', 'commander', 'hono', 'zod']),
  );
  expect(linked).toContain('node-addon-api');
  for (const name of [...bundled, ...linked]) {
    expect(script).toContain(`\n${name} ${manifest(name).version}\n\n`);
    const file = readdirSync(`node_modules/${name}`).find((entry) =>
      /^licen[cs]e/i.test(entry),
    );
    if (file)
      expect(script).toContain(
        asWritten(readFileSync(`node_modules/${name}/${file}`, 'utf8')).slice(0, 1000),
      );
  }
  expect(script).toContain('\nSQLite\n\nIn the public domain');
  // Code inside a bundled package, and in the assets of pages.
  expect(script).toContain('\ncontent-type 1.0.5\n\n(The MIT License)');
  expect(script).toContain(
    `\nswagger-ui-dist ${manifest('swagger-ui-dist').version}\n\n`,
  );
  expect(script).toContain('Copyright (c) Facebook');
});
