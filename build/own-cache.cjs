/**
 * Keeps compiled code and SQLite's addon between two starts, in a folder of the user's own. Anyone who could write there could run code as this
 * user. So temporary folders are not used, folder and file must belong to this user and be closed to all others, and the opened
 * file is the one that is checked. Without such a folder, and on Windows, which has no such owners and modes, nothing is kept.
 */
const fs = require('node:fs');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');

const PRIVATE = 0o077;

/** Files of other versions of the program, or of Node, stay this long. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/** @throws if an empty HOME would make it a folder of the current one */
function cacheFolder() {
  const home =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : join(homedir(), '.cache');
  const base = [process.env.XDG_CACHE_HOME ?? '', home].find(isAbsolute);
  if (base === undefined) throw new Error('no home folder');
  return join(base, 'journal-api');
}

function isOwn(stat) {
  return stat.uid === process.geteuid() && (stat.mode & PRIVATE) === 0;
}

/** @returns the descriptor of a file that no other user can have written; undefined if none */
exports.openOwn = function openOwn(name) {
  if (!process.geteuid || process.geteuid() !== process.getuid()) return undefined;
  let file;
  try {
    const folder = cacheFolder();
    const stat = fs.lstatSync(folder);
    if (!stat.isDirectory() || !isOwn(stat)) return undefined;
    file = fs.openSync(
      join(folder, name),
      fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW,
    );
    const found = fs.fstatSync(file);
    if (found.isFile() && isOwn(found)) return file;
  } catch {}
  if (file !== undefined) fs.closeSync(file);
  return undefined;
};

exports.pathOfOwn = (name) => join(cacheFolder(), name);

/**
 * Writes a file completely or not at all, and without an error if it can't.
 * @param make returns its bytes, and is called only if there is a folder for them
 */
exports.writeOwn = function writeOwn(name, make) {
  if (!process.geteuid || process.geteuid() !== process.getuid()) return;
  try {
    const folder = cacheFolder();
    const base = dirname(folder);
    // Root makes no folder in the home of another user.
    if (fs.statSync(fs.existsSync(base) ? base : dirname(base)).uid !== process.geteuid())
      return;
    // Not `recursive`, which in Node never ends below /proc.
    for (const path of [base, folder]) if (!fs.existsSync(path)) makeFolder(path);
    const stat = fs.lstatSync(folder);
    if (!stat.isDirectory() || !isOwn(stat)) return;
    removeOld(folder);
    const path = join(folder, `.${name}.${process.pid}`);
    const file = fs.openSync(path, 'wx', 0o600);
    try {
      fs.writeFileSync(file, make());
      fs.renameSync(path, join(folder, name));
    } catch {
      fs.rmSync(path, { force: true });
    } finally {
      fs.closeSync(file);
    }
  } catch {}
};

/** Another start may make it at the same time. */
function makeFolder(path) {
  try {
    fs.mkdirSync(path, 0o700);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

function removeOld(folder) {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - fs.lstatSync(path).mtimeMs > KEPT_MS) fs.rmSync(path);
  }
}
