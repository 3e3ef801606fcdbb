/**
 * SQLite's addon for threads. Each loads the very file that the main thread has loaded, because a
 * second copy would know nothing of the locks of the first, and closing a file would drop them.
 */
const { closeSync, existsSync, openSync } = require('node:fs');

/**
 * A path that leads to a file even after it was removed or replaced: on Linux, that of the open
 * file.
 * @returns the path itself elsewhere
 */
exports.lastingPath = function lastingPath(path) {
  if (process.platform !== 'linux') return path;
  const file = openSync(path);
  const open = `/proc/self/fd/${file}`;
  if (existsSync(open)) return open;
  closeSync(file);
  return path;
};

exports.loadAddon = function loadAddon(path) {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
};
