/**
 * Builds the program.
 *   dist/program.cjs      everything except SQLite's addon, for bin/journal-api and the npm package
 *   dist/program.parts    its modules, each loaded on first use
 *   dist/assets/          assets of pages, for a program run from source
 *   dist/journal-api.cjs  everything in one script, the addon for this platform included; --target for another platform
 *   dist/journal-api      (with --binary) an executable with Node inside
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeAssets } from './assets.mjs';
import { bundleProgram, bundleScript, root, TARGETS } from './bundle.mjs';
import { buildExecutable } from './executable.mjs';

const { values } = parseArgs({
  options: { target: { type: 'string' }, binary: { type: 'boolean' } },
});
const here = `${process.platform}-${process.arch}`;
const target = values.target?.replace(/^win-/, 'win32-') ?? here;
const suffix = target === here ? '' : `-${target}`;
if (!TARGETS.includes(target)) {
  console.error(
    `no SQLite addon for ${target}; pass --target with one of ${TARGETS.join(', ')}`,
  );
  process.exit(2);
}

if (target === here) {
  await writeAssets();
  await bundleProgram('dist/program.cjs');
  report('dist/program.cjs');
}
const script = `dist/journal-api${suffix}.cjs`;
await bundleScript(script, target);
report(script);
if (values.binary) {
  const executable = `dist/journal-api${suffix}${target.startsWith('win32') ? '.exe' : ''}`;
  if (!(await buildExecutable(executable, target))) {
    console.error(
      `no executable for ${target}: the npm registry has no Node ${process.versions.node} for it`,
    );
    process.exit(1);
  }
  report(executable);
}

function report(outfile) {
  console.error(
    `${outfile}: ${(statSync(join(root, outfile)).size / 1e6).toFixed(2)} MB, for ${target}`,
  );
}
