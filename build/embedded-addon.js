/**
 * Replaces better-sqlite3's search for its addon in the bundled script, which contains the compressed addon. It is checked,
 * written to a new private folder, loaded, and removed, on systems other than Linux at the end of the process: threads load the very same
 * file. If the user has a folder that no other user can write (own-cache.cjs), a copy stays
 * there, and later starts check and load the copy: unpacking takes 15 ms.
 * addon.json is a part of the script: {platform, arch, sha256, size, deflated (base64)}.
 */

const { createHash } = require('node:crypto');
const {
  closeSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { inflateRawSync } = require('node:zlib');
const { lastingPath, loadAddon } = require('./addon-path.cjs');
const { openOwn, pathOfOwn, writeOwn } = require('./own-cache.cjs');

let addon;

exports.getBinding = function getBinding() {
  addon ??=
    EMBEDDED.addon === undefined
      ? load(require('./addon.json'))
      : loadAddon(EMBEDDED.addon);
  return addon;
};

function load({ platform, arch, sha256, size, deflated }) {
  if (process.platform !== platform || process.arch !== arch) {
    throw new Error(
      `this journal-api was built for ${platform}-${arch}, not for ${process.platform}-${process.arch}`,
    );
  }
  const kept = loadKept(sha256);
  if (kept) return kept;
  const bytes = unpacked(deflated, size);
  if (!bytes || hashOf(bytes) !== sha256) {
    throw new Error(
      "this journal-api is damaged: its SQLite addon doesn't match its checksum; copy the file again",
    );
  }
  writeOwn(`addon-${sha256}`, () => bytes);
  let refusal;
  // The temporary folder may forbid execution; the script's folder is the second choice.
  for (const parent of [tmpdir(), dirname(process.argv[1] ?? process.execPath)]) {
    try {
      return loadFrom(mkdtempSync(join(parent, 'journal-api-')), bytes);
    } catch (error) {
      refusal = error;
    }
  }
  throw new Error(
    `can't load the SQLite addon: ${refusal.message}; set TMPDIR to a folder that allows execution, such as ~/tmp`,
  );
}

/** Undefined without a copy that matches the checksum. */
function loadKept(sha256) {
  const name = `addon-${sha256}`;
  const file = openOwn(name);
  if (file === undefined) return undefined;
  try {
    // Linux loads the open file that was checked. Other systems load it by name, from a folder that only this user can write.
    if (hashOf(readFileSync(file)) === sha256) {
      const loaded = loadFile(
        process.platform === 'linux' ? `/proc/self/fd/${file}` : pathOfOwn(name),
      );
      if (process.platform !== 'linux') closeSync(file);
      return loaded;
    }
  } catch {}
  closeSync(file);
  return undefined;
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

function loadFile(path) {
  const loaded = loadAddon(path);
  // For threads.
  EMBEDDED.addon = path;
  return loaded;
}

/** Undefined if it can't be unpacked. */
function unpacked(deflated, size) {
  try {
    return inflateRawSync(Buffer.from(deflated, 'base64'), { chunkSize: size });
  } catch {
    return undefined;
  }
}

function loadFrom(folder, bytes) {
  const file = join(folder, 'better_sqlite3.node');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
    const path = lastingPath(file);
    const loaded = loadFile(path);
    if (path === file) process.once('exit', tried(remove));
    else remove();
    return loaded;
  } catch (error) {
    tried(remove)();
    throw error;
  }
}

/** Windows can't remove a file that is loaded. */
function tried(remove) {
  return () => {
    try {
      remove();
    } catch {}
  };
}
