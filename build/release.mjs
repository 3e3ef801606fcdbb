/**
 * Makes a release in dist/release: the script for every platform that SQLite's addon is there for, an executable for every one of these
 * that the npm registry has a Node for, a bill of materials (CycloneDX) of what is inside, and SHA256SUMS of it all. Run twice
 * on the same commit with the same Node it makes the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { bundleScript, root, TARGETS } from './bundle.mjs';
import { buildExecutable } from './executable.mjs';

const { values } = parseArgs({ options: { target: { type: 'string', multiple: true } } });
const targets = values.target ?? TARGETS;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = join(root, 'dist', 'release');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const inside = new Map();
for (const target of targets) {
  const name = `journal-api-${version}-${target}`;
  note(await bundleScript(join(folder, `${name}.cjs`), target));
  const executable = `dist/release/${name}${target.startsWith('win32') ? '.exe' : ''}`;
  const packages = await buildExecutable(executable, target, { isPinned: true });
  if (packages) note(packages);
  else console.error(`no executable for ${target}: the npm registry has no Node ${process.versions.node} for it`);
}
writeFileSync(join(folder, `journal-api-${version}.cdx.json`), billOfMaterials());
writeFileSync(join(folder, 'SHA256SUMS'), await checkSums());
console.error(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd());

function note(packages) {
  for (const { name, version, license } of packages) inside.set(name, { name, version, license });
}

/** What npm says of the lockfile, less the packages that are only built or tested with, and less time and chance. */
function billOfMaterials() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const npm = execFileSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const { metadata, components, dependencies, serialNumber: _, ...bom } = JSON.parse(npm);
  const ours = components.filter(({ name, group, version }) => {
    const whole = group ? `${group}/${name}` : name;
    return inside.get(whole)?.version === version && inside.delete(whole);
  });
  const references = new Set([metadata.component['bom-ref'], ...ours.map((component) => component['bom-ref'])]);
  // Node, SQLite and what a package was bundled from come in no package of the lockfile.
  const others = [...inside.values()].map(({ name, version, license }) => ({
    'bom-ref': `${name}@${version}`,
    type: name === 'Node.js' ? 'platform' : 'library',
    name,
    version,
    licenses: [{ license: { name: license } }],
  }));
  const { timestamp: __, ...when } = metadata;
  return `${JSON.stringify(
    {
      ...bom,
      metadata: { ...when, component: { ...when.component, name: 'journal-api' } },
      components: [...ours, ...others].map((component) => ({ ...component, scope: 'required', properties: undefined })),
      dependencies: dependencies
        .filter(({ ref }) => references.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) })),
    },
    null,
    2,
  )}\n`;
}

async function checkSums() {
  const lines = [];
  for (const name of readdirSync(folder).sort()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  return lines.join('');
}
