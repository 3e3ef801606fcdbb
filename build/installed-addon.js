/**
 * Replaces better-sqlite3's search for its addon in the program of the npm package. The bundle contains its JavaScript, because Node
 * takes 5 ms to find those 14 files; the addon is in the package.
 */
const { openSync } = require('node:fs');
const { dirname, join } = require('node:path');

let addon;

exports.getBinding = function getBinding() {
  addon ??= EMBEDDED.addon === undefined ? loadInstalled() : loadSame(EMBEDDED.addon);
  return addon;
};

function loadInstalled() {
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  const loaded = require(join(folder, 'lib', 'binding.js')).getBinding();
  const path = Object.keys(require.cache).find((name) => name.endsWith('.node') && name.startsWith(folder));
  // For threads: an update may replace the file, and on Linux the open one stays.
  EMBEDDED.addon = process.platform === 'linux' ? `/proc/self/fd/${openSync(path)}` : path;
  return loaded;
}

/** What the main thread has loaded. */
function loadSame(path) {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}
