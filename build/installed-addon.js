/**
 * Takes the place of better-sqlite3's own search for its addon in the program of the npm package: its JavaScript is in the bundle, since Node
 * takes 5 ms to find those 14 files, and the addon is in the package.
 */
const { dirname, join } = require('node:path');

exports.getBinding = function getBinding() {
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  return require(join(folder, 'lib', 'binding.js')).getBinding();
};
