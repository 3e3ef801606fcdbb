/**
 * Replaces better-sqlite3's search for its addon in the bundled script, which contains the compressed addon. It is checked,
 * written to a new private folder, loaded, and removed.
 * addon.json is a part of the script: {platform, arch, sha256, size, deflated (base64)}.
 */

const { createHash } = require('node:crypto');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { inflateRawSync } = require('node:zlib');

let addon;

exports.getBinding = function getBinding() {
  addon ??= load(require('./addon.json'));
  return addon;
};

function load({ platform, arch, sha256, size, deflated }) {
  if (process.platform !== platform || process.arch !== arch) {
    throw new Error(`this journal-api was built for ${platform}-${arch}, not for ${process.platform}-${process.arch}`);
  }
  const bytes = unpacked(deflated, size);
  if (!bytes || createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new Error("this journal-api is damaged: its SQLite addon doesn't match its checksum; copy the file again");
  }
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
  try {
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
    const module = { exports: {} };
    process.dlopen(module, file);
    return module.exports;
  } finally {
    // A loaded addon needs no file, except on Windows, where it can't be removed.
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {}
  }
}
