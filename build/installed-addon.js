/**
 * Replaces better-sqlite3's search for its addon in the program of the npm package. The bundle contains its JavaScript, because Node
 * takes 5 ms to find those 14 files; the addon is in the package.
 */
const { dirname, join } = require('node:path');

let addon;

exports.getBinding = function getBinding() {
  addon ??= require(join(dirname(require.resolve('better-sqlite3/package.json')), 'lib', 'binding.js')).getBinding();
  return addon;
};
