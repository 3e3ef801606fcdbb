/**
 * Packs many modules into one script. Each is compiled on first use, because compiling all takes longer than most commands run.
 * They are JSON in a comment, which Node skips much faster than it parses code or strings; PARTS has the start and end of each.
 */
import { basename } from 'node:path';
import { transform } from 'esbuild';

/**
 * Node's modules that take long to load and are needed late, if at all: each is loaded at the first use of something in it. crypto takes
 * 9 ms, https with TLS another 12, zlib and http 3 to 4.
 */
const LAZY = ['node:child_process', 'node:crypto', 'node:http', 'node:https', 'node:zlib'];

const OPENING = 'function contents() {/*\n';

/** Part of the script: loads a part by name, and anything else as Node does. */
const LOADER = `
const { compileFunction } = require('node:vm');
const LAZY = ${JSON.stringify(LAZY)};
const text = contents.toString();
const loaded = new Map();
function load(name) {
  if (!PARTS[name]) return LAZY.includes(name) ? lazily(name) : require(name);
  const known = loaded.get(name);
  if (known) return known.exports;
  const part = JSON.parse(text.slice(...PARTS[name]));
  const isText = name.endsWith('.json');
  const module = { exports: isText ? part : {} };
  loaded.set(name, module);
  if (!isText) {
    const run = compileFunction(part, ['exports', 'require', 'module', 'EMBEDDED'], { filename: name });
    run(module.exports, load, module, (part) => load('./' + part + '.json'));
  }
  return module.exports;
}
load.resolve = require.resolve;
function lazily(name) {
  let found;
  return new Proxy({}, { get: (_, key) => (key === '__esModule' ? undefined : (found ??= require(name))[key]) });
}
load('./cli.js');
`;

/**
 * @param files ECMAScript modules from esbuild: {path, text}; cli.js runs first
 * @param values JSON that modules require, by name: assets.json, addon.json
 * @returns JavaScript without its #! line
 */
export async function pack(files, values) {
  const modules = await Promise.all(files.map(async ({ path, text }) => [basename(path), await commonJs(text)]));
  // Sorted, so that each build gives the same bytes.
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

/** Doesn't end the comment, and is ASCII: a character outside Latin-1 makes Node store the script with two bytes per character. */
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
    // Becomes a call of require, which the loader handles.
    supported: { 'dynamic-import': false },
    // Code that reads files next to the source is removed, because they are embedded.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  for (const [, variable, name] of code.matchAll(/([\w$]+)=[\w$]+\(require\("([^"]+)"\)/g)) {
    // import * as crypto would copy what isn't there yet.
    const isWhole = code.replaceAll(`${variable}.default.`, '').includes(`${variable}.`);
    if (LAZY.includes(name) && isWhole) throw new Error(`import what is needed of ${name} by its name`);
  }
  return code;
}
