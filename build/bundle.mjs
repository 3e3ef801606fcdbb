/** Bundles the program with esbuild, the licences of what is inside at the end. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { assetInputs, compress, embeddedAssets } from './assets.mjs';
import { licenceComment, packagesIn } from './licences.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => readFileSync(join(root, name), 'utf8');

const PREBUILDS = 'node_modules/better-sqlite3/prebuilds';

/** The platforms that there is a SQLite addon for: linux-x64, linuxmusl-arm64, win32-x64 ... */
export const TARGETS = readdirSync(join(root, PREBUILDS))
  .filter((name) => name.endsWith('.node'))
  .map((name) => name.replace('.node', ''))
  .sort();

/** All but better-sqlite3: what bin/journal-api starts, and what the npm package holds. */
export function bundleProgram(outfile) {
  return bundle(outfile, { external: ['better-sqlite3'] }, []);
}

/**
 * Everything in one script, the addon for one platform included.
 * @param more packages that are inside beside what esbuild puts there
 * @returns the packages inside, as licences.mjs has them
 */
export function bundleScript(outfile, target, more = []) {
  return bundle(outfile, { plugins: [embedAddon(target)] }, more);
}

async function bundle(outfile, options, more) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli.ts'],
    outfile,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    // Old enough for an old Node to read it and say that it is too old.
    target: 'node18',
    alias: { '@modelcontextprotocol/server/_shims': './build/mcp-shims.mjs' },
    minifySyntax: true,
    minifyWhitespace: true,
    define: {
      EMBEDDED_MIGRATIONS: JSON.stringify(
        readdirSync(join(root, 'migrations'))
          .sort()
          .map((name) => read(`migrations/${name}`)),
      ),
      EMBEDDED_SCHEMA: JSON.stringify(read('schema.sql')),
      EMBEDDED_SKILL: JSON.stringify(read('skills/trading-journal/SKILL.md')),
      EMBEDDED_VERSION: JSON.stringify(JSON.parse(read('package.json')).version),
    },
    banner: { js: `#!/usr/bin/env node\n${read('build/node-version.js')}` },
    footer: {
      js: [
        // Says what kind of module it is: by words alone, "import" in a message looks like a statement of the other kind.
        'module.exports = {};',
        // In a function, which is compiled when it is called: as constants they would cost every command 3 ms.
        `function EMBEDDED_ASSETS() { return ${JSON.stringify(await embeddedAssets())}; }`,
      ].join('\n'),
    },
    logLevel: 'warning',
    // What looks for files beside the source is gone once they are put in.
    logOverride: { 'empty-import-meta': 'silent' },
    ...options,
  });
  const packages = [
    ...packagesIn(root, [...Object.keys(metafile.inputs), ...(await assetInputs())], 'plugins' in options),
    ...more,
  ];
  appendFileSync(resolve(root, outfile), licenceComment(packages));
  return packages;
}

/** Puts the addon in the place of better-sqlite3's search for it. */
function embedAddon(target) {
  return {
    name: 'embed-addon',
    setup({ onLoad }) {
      onLoad({ filter: /better-sqlite3[\\/]lib[\\/]binding\.js$/ }, () => ({
        contents: read('build/embedded-addon.js').replace('EMBEDDED_ADDON', () => embeddedAddon(target)),
        resolveDir: root,
      }));
    },
  };
}

function embeddedAddon(target) {
  const path = join(root, PREBUILDS, `${target}.node`);
  if (!existsSync(path)) throw new Error(`there is no SQLite addon for ${target}`);
  const bytes = readFileSync(path);
  const [platform, arch] = target.replace(/^linuxmusl/, 'linux').split('-');
  const brotli = compress(bytes).toString('base64');
  return JSON.stringify({ platform, arch, sha256: createHash('sha256').update(bytes).digest('hex'), brotli });
}
