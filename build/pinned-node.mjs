/** The Nodes that a release packs: those whose SHA-256 stands in nodes.json, whatever the registry or this machine has by then. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

const NODES = JSON.parse(readFileSync(join(root, 'build', 'nodes.json'), 'utf8'));

/** @throws Error for any other */
export function requirePinned(path, target, version = process.versions.node) {
  const pinned = NODES[version]?.[target];
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (pinned === sha256) return;
  throw new Error(
    pinned === undefined
      ? `build/nodes.json has no hash for Node ${version} on ${target}; this one has ${sha256}: check it against another source, then add it`
      : `the Node ${version} for ${target} at ${path} has the SHA-256 ${sha256}, and build/nodes.json says ${pinned}; use the one that was pinned`,
  );
}
