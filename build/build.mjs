/**
 * Bundles the program into dist/journal-api.mjs: one script with everything in it, schema.sql and better-sqlite3's addon for
 * this platform included. --target linux-arm64 (and so on) builds it for another platform.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => readFileSync(join(root, name), 'utf8');

const { values } = parseArgs({ options: { target: { type: 'string' }, outfile: { type: 'string' } } });
const target = values.target ?? `${process.platform}-${process.arch}`;
const outfile = values.outfile ?? join(root, 'dist', 'journal-api.mjs');

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli.ts'],
  outfile,
  bundle: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.12',
  minifySyntax: true,
  minifyWhitespace: true,
  define: {
    EMBEDDED_SCHEMA: JSON.stringify(read('schema.sql')),
    EMBEDDED_VERSION: JSON.stringify(JSON.parse(read('package.json')).version),
  },
  // Bundled CommonJS packages ask for Node's own modules through require.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  plugins: [embedAddon(target)],
  logLevel: 'warning',
});
appendFileSync(outfile, licences(Object.keys(metafile.inputs)));
console.error(`${outfile}: ${(statSync(outfile).size / 1e6).toFixed(2)} MB, for ${target}`);

/** Puts the addon in the place of better-sqlite3's search for it. */
function embedAddon(target) {
  return {
    name: 'embed-addon',
    setup({ onLoad }) {
      onLoad({ filter: /better-sqlite3[\\/]lib[\\/]binding\.js$/ }, () => ({
        contents: read('build/embedded-addon.js').replace('EMBEDDED_ADDON', () => addonOf(target)),
        resolveDir: root,
      }));
    },
  };
}

function addonOf(target) {
  const bytes = readFileSync(join(root, `node_modules/better-sqlite3/prebuilds/${target}.node`));
  const [platform, arch] = target.replace(/^linuxmusl/, 'linux').split('-');
  // Quality 11 would save another tenth and take twenty times as long at every build.
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 9 },
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return JSON.stringify({ platform, arch, sha256, brotli: brotli.toString('base64') });
}

/** The licences of the packages inside, as a comment at the end of the script. */
function licences(inputs) {
  const packages = new Set(
    inputs.map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]).filter(Boolean),
  );
  const texts = [...packages].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : license;
    return `${name} ${version}\n\n${text.replaceAll('*/', '* /')}`;
  });
  return `\n/*\nThis script contains the following packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n*/\n`;
}
