/**
 * Replaces better-sqlite3's search for its addon in the program of the npm package. The bundle contains its JavaScript, because Node
 * takes 5 ms to find those 14 files; the addon is in the package.
 */
const { dirname, join } = require('node:path');
const { lastingPath, loadAddon } = require('./addon-path.cjs');

let addon;

exports.getBinding = function getBinding() {
  addon ??= EMBEDDED.addon === undefined ? loadInstalled() : loadAddon(EMBEDDED.addon);
  return addon;
};

function loadInstalled() {
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  const loaded = require(join(folder, 'lib', 'binding.js')).getBinding();
  const path = Object.keys(require.cache).find(
    (name) => name.endsWith('.node') && name.startsWith(folder),
  );
  // For threads.
  EMBEDDED.addon = lastingPath(path);
  return loaded;
}
