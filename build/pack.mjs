/**
 * One script out of many modules, each compiled when it is first asked for: to compile all of them took longer than most commands run.
 * They stay readable: each is a text in the script, as esbuild wrote it.
 */
import { basename } from 'node:path';
import { transform } from 'esbuild';

/** Loads a module of the script by its name, anything else from where Node finds it. It is written into the script. */
const LOADER = `
const { compileFunction } = require('node:vm');
const loaded = new Map();
function load(name) {
  const text = MODULES[name];
  if (text === undefined) return require(name);
  if (!loaded.has(name)) {
    const module = { exports: {} };
    loaded.set(name, module);
    const run = compileFunction(text, ['exports', 'require', 'module', 'EMBEDDED_ASSETS'], { filename: name });
    run(module.exports, load, module, () => load('./assets.js'));
  }
  return loaded.get(name).exports;
}
load('./cli.js');
`;

/**
 * @param files ECMAScript modules as esbuild gives them: {path, text}, of which cli.js is the first to run
 * @param assets the files of pages, as assets.mjs has them
 */
export async function pack(files, assets) {
  const modules = await Promise.all(files.map(async ({ path, text }) => [`./${basename(path)}`, await commonJs(text)]));
  // By name, so that each build gives the same bytes.
  modules.sort(([a], [b]) => (a < b ? -1 : 1));
  modules.push(['./assets.js', `module.exports = ${JSON.stringify(assets)};`]);
  const texts = modules.map(([name, text]) => `${JSON.stringify(name)}: ${asciiString(text)},`);
  return `const MODULES = {\n${texts.join('\n')}\n};\n${LOADER}`;
}

/** Any other character would make Node read and keep the whole script at two bytes a character. */
function asciiString(text) {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

async function commonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node18',
    minifyWhitespace: true,
    minifyIdentifiers: true,
    // As a call of require, which the loader answers.
    supported: { 'dynamic-import': false },
    // What looks for files beside the source is gone once they are put in.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return code;
}
