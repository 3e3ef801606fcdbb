/** The assets of pages, which the program serves in addition to the API. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const SWAGGER_UI = 'node_modules/swagger-ui-dist';

/** Source of each file by its served name. */
const SOURCES = {
  'docs.html': 'src/http/docs-page/docs.html',
  'docs.css': 'src/http/docs-page/docs.css',
  'docs.js': 'src/http/docs-page/docs.js',
  'swagger-ui.css': `${SWAGGER_UI}/swagger-ui.css`,
  'swagger-ui.js': `${SWAGGER_UI}/swagger-ui-bundle.js`,
  'page.html': 'src/web/index.html',
  'icon.svg': 'src/web/icon.svg',
};

/** Source paths of all assets; some belong to packages, whose licences the bundle must contain. */
export async function assetInputs() {
  return [...Object.values(SOURCES), ...(await page()).inputs];
}

/** The served files by name. */
async function assets() {
  const files = Object.entries(SOURCES).map(([name, path]) => [
    name,
    withoutSourceMap(readFileSync(join(root, path))),
  ]);
  const {
    'answer-view.js': script,
    'answer-view-styles.css': styles,
    ...served
  } = (await page()).files;
  return {
    ...Object.fromEntries(files),
    ...served,
    'answer-view.html': answerView(String(script), String(styles)),
  };
}

/** The view that an agent's window shows: one file, since its host loads nothing else. */
function answerView(script, styles) {
  const inline = script.replaceAll('</script', '<\\/script');
  return Buffer.from(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Trading journal</title><style>${styles}</style></head><body><script>${inline}</script></body></html>`,
  );
}

let built;

/** The dashboard's script and styles, and their sources. */
function page() {
  const forBrowsers = {
    page: 'src/web/main.tsx',
    'answer-view': 'src/web/answer-view.ts',
    'answer-view-styles': 'src/web/styles/answer-view.css',
    'report-styles': 'src/web/styles/report.css',
  };
  built ??= Promise.all([
    // Single files that load nothing else.
    bundled(forBrowsers, {
      format: 'iife',
      target: ['chrome111', 'firefox113', 'safari16.4'],
    }),
    // For the command `report`, which renders the dashboard's views.
    bundled(
      { report: 'src/web/report.tsx' },
      { format: 'cjs', platform: 'browser', target: 'node22' },
    ),
  ]).then((parts) => ({
    files: Object.assign({}, ...parts.map(({ files }) => files)),
    inputs: parts.flatMap(({ inputs }) => inputs),
  }));
  return built;
}

async function bundled(entryPoints, options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'dist/assets',
    write: false,
    bundle: true,
    minify: true,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    alias: Object.fromEntries(
      ['entities', 'linkify-it', 'punycode.js'].map((name) => [
        name,
        './build/markdown-parts.mjs',
      ]),
    ),
    logLevel: 'warning',
    ...options,
  });
  return {
    files: Object.fromEntries(
      outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]),
    ),
    inputs: Object.keys(metafile.inputs),
  };
}

/** Writes the assets to dist/assets, for a program run from source. */
export async function writeAssets() {
  const folder = join(root, 'dist', 'assets');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(await assets()))
    writeFileSync(join(folder, name), bytes);
}

let embedded;

/** The assets for a bundle: Brotli in base64. */
export async function embeddedAssets() {
  embedded ??= assets().then((files) =>
    Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name, packed(bytes)]),
    ),
  );
  return embedded;
}

// Quality 11 would save another tenth but take twenty times as long.
export function packed(contents) {
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_QUALITY]: 9,
  };
  return brotliCompressSync(contents, { params }).toString('base64');
}

/** Removes the comment that names a source map, which isn't served. */
function withoutSourceMap(bytes) {
  return Buffer.from(
    bytes
      .toString('utf8')
      .replace(/\n?\/[/*]# sourceMappingURL=\S+(?: ?\*\/)?\s*$/, '\n'),
  );
}
