/** Bundles the program with esbuild into one script of modules (pack.mjs), with the licences of its packages at the end. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { build } from 'esbuild';
import { commandLines } from '../src/commands/program.ts';
import { sampleTexts } from '../src/embedded.ts';
import { assetInputs, embeddedAssets, packed } from './assets.mjs';
import { licenceComment, packagesIn } from './licences.mjs';
import { pack } from './pack.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => readFileSync(join(root, name), 'utf8');

const PREBUILDS = 'node_modules/better-sqlite3/prebuilds';

/** Platforms with a SQLite addon: linux-x64, linuxmusl-arm64, win32-x64 ... */
export const TARGETS = readdirSync(join(root, PREBUILDS))
  .filter((name) => name.endsWith('.node'))
  .map((name) => name.replace('.node', ''))
  .sort();

/** Everything except better-sqlite3, for bin/journal-api and the npm package. */
export function bundleProgram(outfile) {
  return bundle(
    outfile,
    {
      plugins: [bindingFrom('installed-addon.js')],
      external: ['better-sqlite3/package.json'],
    },
    {},
    [],
  );
}

/**
 * Everything in one script, the addon for one platform included.
 * @param more packages inside that esbuild doesn't bundle
 * @returns the packages inside, from licences.mjs
 */
export function bundleScript(outfile, target, more = []) {
  return bundle(
    outfile,
    { plugins: [bindingFrom('embedded-addon.js')], external: ['./addon.json'] },
    { 'addon.json': addonFor(target) },
    more,
  );
}

async function bundle(outfile, options, values, more) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    // The second is for threads; the third is loaded if Node has no Temporal (temporal.mjs).
    entryPoints: {
      cli: 'src/cli.ts',
      'thread-main': 'src/http/thread-main.ts',
      'temporal-polyfill': 'node_modules/temporal-polyfill/index.js',
    },
    outdir: 'dist',
    write: false,
    bundle: true,
    splitting: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    // So that an old Node can parse the script and report its own version.
    target: 'node18',
    alias: {
      '@modelcontextprotocol/server/_shims': './build/mcp-shims.mjs',
      'temporal-polyfill': './build/temporal.mjs',
    },
    minifySyntax: true,
    minifyWhitespace: true,
    minifyIdentifiers: true,
    define: {
      EMBEDDED_COMMANDS: JSON.stringify(await commandLines()),
      EMBEDDED_VERSION: JSON.stringify(JSON.parse(read('package.json')).version),
    },
    logLevel: 'warning',
    ...options,
    external: ['./temporal-polyfill.js', ...options.external],
  });
  const packages = [
    ...packagesIn(
      root,
      [...Object.keys(metafile.inputs), ...(await assetInputs())],
      'addon.json' in values,
    ),
    ...more,
  ];
  const path = resolve(root, outfile);
  // In a file of their own where there may be two: in the npm package.
  const file =
    'addon.json' in values ? undefined : basename(path).replace(/cjs$/, 'parts');
  const { script, parts } = await pack(
    outputFiles,
    { ...(await texts()), ...values },
    file,
  );
  mkdirSync(dirname(path), { recursive: true });
  if (file) replaceFile(join(dirname(path), file), parts);
  replaceFile(
    path,
    `#!/usr/bin/env node\n${read('build/node-version.js')}${script}${licenceComment(packages)}`,
  );
  return packages;
}

/** A process that runs the old file keeps it. */
function replaceFile(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** The program's own texts (src/embedded.ts). */
async function texts() {
  const migrations = readdirSync(join(root, 'migrations')).sort();
  return {
    'assets.json': await embeddedAssets(),
    'migrations.json': migrations.map((name) => read(`migrations/${name}`)),
    'schema.json': read('schema.sql'),
    'sample.json': packed(JSON.stringify(sampleTexts())),
    'skill.json': read('skills/trading-journal/SKILL.md'),
  };
}

/** Replaces better-sqlite3's search for its addon by a file of build/. */
function bindingFrom(name) {
  return {
    name: 'binding',
    setup({ onLoad }) {
      onLoad({ filter: /better-sqlite3[\\/]lib[\\/]binding\.js$/ }, () => ({
        contents: read(`build/${name}`),
        resolveDir: join(root, 'build'),
      }));
    },
  };
}

/** The data that embedded-addon.js unpacks. */
function addonFor(target) {
  const path = join(root, PREBUILDS, `${target}.node`);
  if (!existsSync(path)) throw new Error(`no SQLite addon for ${target}`);
  const bytes = readFileSync(path);
  const [platform, arch] = target.replace(/^linuxmusl/, 'linux').split('-');
  // Brotli would be a tenth smaller but take three times as long to unpack at each start.
  const deflated = deflateRawSync(bytes, { level: 9 }).toString('base64');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { platform, arch, sha256, size: bytes.length, deflated };
}
