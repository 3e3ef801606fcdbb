/** server.json: the server's entry in the MCP registry. The owner of the name publishes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

/** @returns the entry, in the registry's format of 2025-12-11 */
export function registryEntry() {
  const { name, mcpName, version, description } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return {
    $schema:
      'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Trading journal',
    description,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          {
            name: 'JOURNAL_API_KEY',
            description:
              'A key, created with: journal-api key create --name agent --scopes all --expires 30d',
            isRequired: true,
            isSecret: true,
          },
          {
            name: 'JOURNAL_API_HOME',
            description: 'Folder of journal.db and keys.db',
            format: 'filepath',
          },
          {
            name: 'JOURNAL_API_URL',
            description: 'Address of a running service to use instead of local files',
          },
        ],
      },
    ],
  };
}
