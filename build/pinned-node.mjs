/** A release packs only Nodes with a SHA-256 in nodes.json, regardless of the registry and this machine. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

const NODES = JSON.parse(readFileSync(join(root, 'build', 'nodes.json'), 'utf8'));

/** @throws Error for any other Node */
export function requirePinned(path, target, version = process.versions.node) {
  const pinned = NODES[version]?.[target];
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (pinned === sha256) return;
  throw new Error(
    pinned === undefined
      ? `build/nodes.json has no hash for Node ${version} on ${target}; this one has ${sha256}: verify it with another source, then add it`
      : `Node ${version} for ${target} at ${path} has the SHA-256 ${sha256}, but build/nodes.json has ${pinned}; use the pinned Node`,
  );
}
