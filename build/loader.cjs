/**
 * Runs the modules of the script (pack.mjs), each on first use, with the code that V8 compiled at an earlier start: compiling is a fifth of
 * the time of most commands. pack.mjs writes this into a function, program(source), after BUILD, LAZY and PARTS.
 * source says where the parts are: {file} open file, {text} of the script, or {bytes} that threads share; and for a thread {isThread, addon}.
 */
const { readSync } = require('node:fs');
const v8 = require('node:v8');
const { Script } = require('node:vm');
const { openOwn, writeOwn } = require('./own-cache.cjs');

const loaded = new Map();
const scripts = new Map();
const TAG = v8.cachedDataVersionTag();
const CODE = `code-${BUILD}-${TAG}`;
/** Bytes before the index: its length and checksum. */
const HEAD = 8;
const cache = openCache();

function load(name) {
  if (name === 'node:v8') return FLAGS;
  if (!PARTS[name]) return LAZY.includes(name) ? lazily(name) : require(name);
  const known = loaded.get(name);
  if (known) return known.exports;
  const part = JSON.parse(textOf(...PARTS[name]));
  const isText = name.endsWith('.json');
  const module = { exports: isText ? part : {} };
  loaded.set(name, module);
  if (!isText) run(name, part, module);
  return module.exports;
}
load.resolve = require.resolve;
load.cache = require.cache;

function textOf(start, end) {
  if (source.text !== undefined) return source.text.slice(start, end);
  const bytes = Buffer.allocUnsafe(end - start);
  if (source.bytes) bytes.set(source.bytes.subarray(start, end));
  else if (readSync(source.file, bytes, 0, bytes.length, start) < bytes.length)
    throw new Error('the file next to this script is damaged; install journal-api again');
  return bytes.toString('latin1');
}

/** The texts inside, for src/embedded.ts. */
const embedded = Object.assign((text) => load(`./${text}.json`), {
  /** Path of SQLite's addon once it is loaded: threads load the same file, because a second copy would know nothing of the locks of the first. */
  addon: source.addon,
  /** The script of a thread, and its data: this very program, even if its file was replaced or is an executable. */
  thread: () => ({
    script: `(${program})(require('node:worker_threads').workerData.program)`,
    data: {
      program: {
        file: source.file,
        bytes: sharedBytes(),
        addon: embedded.addon,
        isThread: true,
      },
    },
  }),
});

let shared;

/** The text of the script in memory that threads share; undefined if there is a file. */
function sharedBytes() {
  if (source.text === undefined) return undefined;
  if (!shared) {
    shared = new Uint8Array(new SharedArrayBuffer(source.text.length));
    new TextEncoder().encodeInto(source.text, shared);
  }
  return shared;
}

function run(name, part, module) {
  const code = `(function(exports,require,module,EMBEDDED){${part}\n})`;
  const script = new Script(code, { filename: name, cachedData: codeOf(name) });
  scripts.set(name, script);
  script.runInThisContext()(module.exports, load, module, embedded);
}

function codeOf(name) {
  try {
    return cache[name]?.();
  } catch {
    return undefined;
  }
}

/** A module of Node that is loaded at the first use of one of its exports. */
function lazily(name) {
  let found;
  const get = (_, key) => {
    if (key === '__esModule') return undefined;
    found ??= require(name);
    return found[key];
  };
  return new Proxy({}, { get });
}

/**
 * The code of each module, from a file that has the length and checksum of its index, the index and the code. V8 runs whatever bytes it
 * gets, and damaged ones end the process: so a piece is used only if it has its checksum.
 */
function openCache() {
  const at = (start, length) => {
    // Not from the pool: its buffers may begin at any byte, and both V8 and the checksum read words.
    const bytes = Buffer.allocUnsafeSlow(length);
    if (readSync(file, bytes, 0, length, start) !== length)
      throw new Error('the file is too short');
    return bytes;
  };
  const checked = (bytes, sum) => (checksum(bytes) === sum ? bytes : undefined);
  const file = openOwn(CODE);
  if (file === undefined) return {};
  try {
    const head = at(0, HEAD);
    const length = head.readUInt32LE();
    const found = Object.entries(
      JSON.parse(checked(at(HEAD, length), head.readUInt32LE(4))),
    );
    return Object.fromEntries(
      found.map(([name, [start, bytes, sum]]) => [
        name,
        () => checked(at(HEAD + length + start, bytes), sum),
      ]),
    );
  } catch {
    return {};
  }
}

/** Detects damage, not forgery: 2 ms for the code of a large command, while Node's own functions take 3 to 9 ms to load. */
function checksum(bytes) {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  const { length } = words;
  let sum = bytes.length;
  for (const byte of bytes.subarray(length * 4)) sum = sum * 256 + byte;
  for (let i = 0; i < length; i++) {
    sum = Math.imul(sum ^ words[i], 0x5bd1e995);
    sum ^= sum >>> 15;
  }
  return sum >>> 0;
}

let isKept = false;

/** V8 rejects code that was compiled with other flags, so the code is kept before serve or an import changes them. */
const FLAGS = {
  ...v8,
  setFlagsFromString(flags) {
    keepCode();
    v8.setFlagsFromString(flags);
  },
};

/** Keeps the code of this start and of earlier ones, if this start had to compile a module. */
function keepCode() {
  const isNew = [...scripts.values()].some(
    (script) => script.cachedDataRejected !== false,
  );
  if (isKept || !isNew || v8.cachedDataVersionTag() !== TAG) return;
  isKept = true;
  writeOwn(CODE, () => {
    const names = [...new Set([...Object.keys(cache), ...scripts.keys()])];
    const codes = names.map((name) => [
      name,
      scripts.get(name)?.createCachedData() ?? codeOf(name),
    ]);
    const whole = codes.filter(([, code]) => code !== undefined);
    let start = 0;
    const places = whole.map(([name, code]) => {
      start += code.length;
      return [name, [start - code.length, code.length, checksum(code)]];
    });
    const index = Buffer.from(JSON.stringify(Object.fromEntries(places)));
    const head = Buffer.alloc(HEAD);
    head.writeUInt32LE(index.length);
    head.writeUInt32LE(checksum(index), 4);
    return Buffer.concat([head, index, ...whole.map(([, code]) => code)]);
  });
}

// A service may run for months.
setTimeout(keepCode, 1000).unref();
process.once('exit', keepCode);
load(source.isThread ? './thread-main.js' : './cli.js');
