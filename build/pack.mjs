/**
 * Packs many modules into one script. Each is compiled on first use, because compiling all takes longer than most commands run.
 * They are JSON, in a file next to the script or in a comment. Node skips a comment much faster than it parses code or strings, but 2.6 MB
 * still take 5 ms, a fifth of Node's own start. PARTS has the start and end of each module.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

/**
 * Node's modules that take long to load and are needed late, if at all: each is loaded at the first use of something in it. crypto takes
 * 9 ms, https with TLS another 12, zlib and http 3 to 4.
 */
const LAZY = [
  'node:child_process',
  'node:crypto',
  'node:http',
  'node:https',
  'node:net',
  'node:zlib',
];

const OPENING = 'function contents() {/*\n';

/** Opens the file that holds the modules. It stays open, because an update may replace it while a service runs. */
const opened = (name) =>
  `require('node:fs').openSync(require('node:path').join(__dirname, ${JSON.stringify(name)}))`;

/**
 * @param files ECMAScript modules from esbuild: {path, text}; cli.js runs first
 * @param values JSON that modules require, by name: assets.json, addon.json
 * @param file name of the file next to the script that holds the modules; undefined to put them into the script
 * @returns {script: JavaScript without its #! line, parts: contents of the file}
 */
export async function pack(files, values, file) {
  const modules = await Promise.all(
    files.map(async ({ path, text }) => [basename(path), await commonJs(text)]),
  );
  // Sorted, so that each build gives the same bytes.
  modules.sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = {};
  let contents = file ? '' : OPENING;
  for (const [name, value] of [...modules, ...Object.entries(values)]) {
    const json = jsonInComment(value);
    parts[`./${name}`] = [contents.length, contents.length + json.length];
    contents += `${json}\n`;
  }
  const id = createHash('sha256').update(contents).digest('hex').slice(0, 16);
  const constants = { BUILD: id, LAZY, PARTS: parts };
  const declared = Object.entries(constants).map(
    ([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`,
  );
  // A function, whose text is the script of a thread as well.
  const program = `(function program(source) {\n${declared.join('')}${await loader()}})`;
  const script = file
    ? `${program}({ file: ${opened(file)} });\n`
    : `${contents}*/}\n${program}({ text: contents.toString() });\n`;
  return { script, parts: contents };
}

/** What runs the parts. */
async function loader() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('loader.cjs', import.meta.url))],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** Doesn't end the comment, and is ASCII: a character outside Latin-1 makes Node store the script with two bytes per character. */
function jsonInComment(value) {
  return JSON.stringify(value)
    .replaceAll('*/', '*\\/')
    .replaceAll(
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
    // Becomes a call of require, which the loader handles.
    supported: { 'dynamic-import': false },
    // Code that reads files next to the source is removed, because they are embedded.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  for (const [, variable, name] of code.matchAll(
    /([\w$]+)=[\w$]+\(require\("([^"]+)"\)/g,
  )) {
    // import * as crypto would copy what isn't there yet.
    const isWhole = new RegExp(
      `(?<![\\w$])${variable.replaceAll('$', '\\$')}\\.(?!default\\.)`,
    ).test(code);
    if (LAZY.includes(name) && isWhole)
      throw new Error(`import what is needed of ${name} by its name`);
  }
  return code;
}
