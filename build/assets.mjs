/** The files that pages are made of: what the program serves beside its answers. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const SWAGGER_UI = 'node_modules/swagger-ui-dist';

/** Where each file comes from, by the name that it is served by. */
const SOURCES = {
  'docs.html': 'src/http/docs-page/docs.html',
  'docs.css': 'src/http/docs-page/docs.css',
  'docs.js': 'src/http/docs-page/docs.js',
  'swagger-ui.css': `${SWAGGER_UI}/swagger-ui.css`,
  'swagger-ui.js': `${SWAGGER_UI}/swagger-ui-bundle.js`,
  'page.html': 'src/web/index.html',
  'icon.svg': 'src/web/icon.svg',
};

/** Paths of all files that they are made of, some of packages, whose licences the bundle has to carry. */
export async function assetInputs() {
  return [...Object.values(SOURCES), ...(await page()).inputs];
}

/** The files by name, as they are served. */
async function assets() {
  const files = Object.entries(SOURCES).map(([name, path]) => [name, withoutSourceMap(readFileSync(join(root, path)))]);
  return { ...Object.fromEntries(files), ...(await page()).files };
}

let built;

/** The script and the styles of the page, and what they were made of. */
function page() {
  built ??= build({
    absWorkingDir: root,
    entryPoints: { page: 'src/web/main.tsx' },
    outdir: 'dist/assets',
    write: false,
    bundle: true,
    minify: true,
    metafile: true,
    // A file by itself, with nothing left to load.
    format: 'iife',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  }).then(({ outputFiles, metafile }) => ({
    files: Object.fromEntries(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)])),
    inputs: Object.keys(metafile.inputs),
  }));
  return built;
}

/** Puts them into dist/assets, from where a program that is run from source reads them. */
export async function writeAssets() {
  const folder = join(root, 'dist', 'assets');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(await assets())) writeFileSync(join(folder, name), bytes);
}

let embedded;

/** The same for a bundle: each as Brotli in base64. */
export async function embeddedAssets() {
  embedded ??= assets().then((files) =>
    Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, compress(bytes).toString('base64')])),
  );
  return embedded;
}

// Quality 11 would save another tenth and take twenty times as long at every build.
function compress(bytes) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(bytes, { params });
}

/** The comment that names a source map, which isn't served, is left out. */
function withoutSourceMap(bytes) {
  return Buffer.from(bytes.toString('utf8').replace(/\n?\/[/*]# sourceMappingURL=\S+(?: ?\*\/)?\s*$/, '\n'));
}
