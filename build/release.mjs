/**
 * Builds a release in dist/release: a script for each platform with a SQLite addon, an executable for each of these with a Node in the
 * npm registry, MCP bundles for desktop clients, the entry for the MCP registry, the compose file, the release notes, a bill of
 * materials (CycloneDX) and SHA256SUMS. The same commit and Node give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { bundleScript, root, TARGETS } from './bundle.mjs';
import { buildExecutable } from './executable.mjs';
import { MCP_BUNDLE_TARGETS, mcpBundle } from './mcp-bundle.mjs';
import { registryEntry } from './registry-entry.mjs';
import { releaseNotes } from './release-notes.mjs';

const { values } = parseArgs({ options: { target: { type: 'string', multiple: true } } });
const targets = values.target ?? TARGETS;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = join(root, 'dist', 'release');
const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const inside = new Map();
for (const target of targets) {
  const name = `journal-api-${version}-${target}`;
  const script = join(folder, `${name}.cjs`);
  note(await bundleScript(script, target));
  if (MCP_BUNDLE_TARGETS.includes(target))
    writeFileSync(join(folder, `${name}.mcpb`), mcpBundle(target, script));
  const executable = `dist/release/${name}${target.startsWith('win32') ? '.exe' : ''}`;
  const packages = await buildExecutable(executable, target, { isPinned: true });
  if (packages) note(packages);
  else
    console.error(
      `no executable for ${target}: the npm registry has no Node ${process.versions.node} for it`,
    );
}
writeFileSync(join(folder, `journal-api-${version}.cdx.json`), billOfMaterials());
writeFileSync(
  join(folder, 'server.json'),
  `${JSON.stringify(registryEntry(), null, 2)}\n`,
);
writeFileSync(join(folder, 'RELEASE-NOTES.md'), notes);
copyFileSync(join(root, 'compose.yaml'), join(folder, 'compose.yaml'));
writeFileSync(join(folder, 'SHA256SUMS'), await checkSums());
console.error(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd());

function note(packages) {
  for (const { name, version, license } of packages)
    inside.set(name, { name, version, license });
}

/** npm's bill of materials of the lockfile, without build and test packages, and without random and time values. */
function billOfMaterials() {
  const args = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--package-lock-only',
  ];
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
  const references = new Set([
    metadata.component['bom-ref'],
    ...ours.map((component) => component['bom-ref']),
  ]);
  // Node, SQLite and packages inlined in others aren't in the lockfile.
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
      components: [...ours, ...others].map((component) => ({
        ...component,
        scope: 'required',
        properties: undefined,
      })),
      dependencies: dependencies
        .filter(({ ref }) => references.has(ref))
        .map(({ ref, dependsOn }) => ({
          ref,
          dependsOn: dependsOn.filter((other) => references.has(other)),
        })),
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
