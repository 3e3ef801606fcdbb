/** An MCP bundle (.mcpb): the single script with a manifest, for clients that install extensions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { root } from './bundle.mjs';

/** Platforms of clients that install bundles. */
export const MCP_BUNDLE_TARGETS = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64',
  'linux-x64',
  'win32-arm64',
  'win32-x64',
];

const SCRIPT = 'server/journal-api.cjs';

/** A value that the client fills in. */
const filledIn = (name) => `\${${name}}`;

/**
 * @param target platform and architecture, such as darwin-arm64
 * @returns the manifest, in version 0.3 of its format
 */
export function mcpManifest(target) {
  const { version, description, license, author, engines } = JSON.parse(
    read('package.json'),
  );
  return {
    manifest_version: '0.3',
    name: 'journal-api',
    display_name: 'Trading journal',
    version,
    description,
    author: { name: author },
    license,
    keywords: ['trading', 'journal', 'analytics'],
    server: {
      type: 'node',
      entry_point: SCRIPT,
      mcp_config: {
        command: 'node',
        args: [`${filledIn('__dirname')}/${SCRIPT}`, 'mcp', '--log', 'off'],
        env: {
          JOURNAL_API_KEY: filledIn('user_config.key'),
          JOURNAL_API_HOME: filledIn('user_config.home'),
        },
      },
    },
    user_config: {
      key: {
        type: 'string',
        title: 'Key',
        description:
          'Create one with: journal-api key create --name claude --scopes all --expires 30d',
        sensitive: true,
        required: true,
      },
      home: {
        type: 'directory',
        title: 'Data folder',
        description:
          'Folder of journal.db and keys.db. Default: ~/.local/share/journal-api',
        required: false,
        default: `${filledIn('HOME')}/.local/share/journal-api`,
      },
    },
    tools_generated: true,
    compatibility: {
      platforms: [target.split('-')[0]],
      runtimes: { node: engines.node },
    },
  };
}

/**
 * @param script path of the single script for the target
 * @returns the bundle's bytes: a ZIP file, the same for the same input
 */
export function mcpBundle(target, script) {
  // The earliest time of a ZIP file, for the same bytes each time.
  const options = { mtime: new Date(1980, 0, 1), level: 9 };
  return zipSync({
    'manifest.json': [
      Buffer.from(`${JSON.stringify(mcpManifest(target), null, 2)}\n`),
      options,
    ],
    [SCRIPT]: [readFileSync(script), options],
    LICENSE: [Buffer.from(read('LICENSE')), options],
  });
}

function read(name) {
  return readFileSync(join(root, name), 'utf8');
}
