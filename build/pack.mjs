/**
 * One script out of many modules, each compiled when it is first required: compiling all of them takes longer than most commands run.
 * They are JSON in a comment, which Node skips much faster than it parses code or strings; PARTS says where each begins and ends.
 */
import { basename } from 'node:path';
import { transform } from 'esbuild';

const OPENING = 'function contents() {/*\n';

/** Loads a part of the script by its name, anything else from where Node finds it. It is written into the script. */
const LOADER = `
const { compileFunction } = require('node:vm');
const text = contents.toString();
const loaded = new Map();
function load(name) {
  if (!PARTS[name]) return require(name);
  const known = loaded.get(name);
  if (known) return known.exports;
  const part = JSON.parse(text.slice(...PARTS[name]));
  const module = { exports: name.endsWith('.json') ? part : {} };
  loaded.set(name, module);
  if (typeof part === 'string') {
    const run = compileFunction(part, ['exports', 'require', 'module', 'EMBEDDED_ASSETS'], { filename: name });
    run(module.exports, load, module, () => load('./assets.json'));
  }
  return module.exports;
}
load('./cli.js');
`;

/**
 * @param files ECMAScript modules as esbuild gives them: {path, text}, of which cli.js is the first to run
 * @param values JSON that modules require, by name: assets.json, addon.json
 * @returns JavaScript without the line that names its interpreter
 */
export async function pack(files, values) {
  const modules = await Promise.all(files.map(async ({ path, text }) => [basename(path), await commonJs(text)]));
  // By name, so that each build gives the same bytes.
  modules.sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = {};
  let contents = OPENING;
  for (const [name, value] of [...modules, ...Object.entries(values)]) {
    const json = jsonInComment(value);
    parts[`./${name}`] = [contents.length, contents.length + json.length];
    contents += `${json}\n`;
  }
  return `${contents}*/}\nconst PARTS = ${JSON.stringify(parts)};\n${LOADER}`;
}

/** Doesn't end the comment, and is ASCII: one character beyond Latin-1 makes Node keep the whole script at two bytes a character. */
function jsonInComment(value) {
  return JSON.stringify(value)
    .replaceAll('*/', '*\\/')
    .replaceAll(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
