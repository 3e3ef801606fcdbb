/** The official clients: the current one, with a pinned or negotiated revision, and the older one. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { listen } from '../../src/http/server.ts';
import { respondToMcp } from '../../src/mcp/transports.ts';
import { ASKED_AT, fillPlanted } from '../agents/journal.ts';
import { atEnd, World } from '../helpers.ts';
import { PROGRAM } from '../program.ts';

const CLIENTS = {
  '2.4, pinned to 2026-07-28': () =>
    new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  '2.4, automatic': () => new Client(INFO, { versionNegotiation: { mode: 'auto' } }),
  '2.4, legacy': () => new Client(INFO),
  '1.32': () => new OldClient(INFO),
} as const;

export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = Object.keys(CLIENTS) as ClientName[];

const INFO = { name: 'test', version: '1' };

/** Methods that all clients share. */
export interface AnyClient {
  listTools: () => Promise<{ tools: Tool[] }>;
  callTool: (call: { name: string; arguments: object }) => Promise<any>;
  listPrompts: () => Promise<{ prompts: { name: string }[] }>;
  getPrompt: (prompt: {
    name: string;
    arguments?: Record<string, string>;
  }) => Promise<any>;
  listResources: () => Promise<any>;
  readResource: (resource: { uri: string }) => Promise<any>;
  complete: (given: {
    ref: object;
    argument: { name: string; value: string };
  }) => Promise<any>;
  getInstructions: () => string | undefined;
  getServerCapabilities: () => any;
  close: () => Promise<void>;
}

interface Tool {
  name: string;
  description?: string;
  inputSchema: any;
  outputSchema?: any;
  annotations?: any;
}

/** A world that serves MCP, too. */
export function mcpWorld(
  ...[user, settings]: ConstructorParameters<typeof World>
): World {
  const world: World = new World(user, {
    protocols: [
      {
        path: '/mcp',
        respond: (request, ask) =>
          respondToMcp(request, ask, {
            now: () => world.now,
            onError: (error) => world.faults.push(error),
          }),
      },
    ],
    ...settings,
  });
  return world;
}

/** A client of a service whose journal has the planted facts, at the time of the questions. */
export async function connectToPlanted(): Promise<AnyClient> {
  const world = mcpWorld();
  fillPlanted(world);
  world.now = ASKED_AT;
  return connectOverHttp('2.4, automatic', await serveMcpOverHttp(world), world.key());
}

/** @returns http://127.0.0.1:40123/mcp */
export async function serveMcpOverHttp(world: World): Promise<string> {
  const server = await listen(world.app, { host: '127.0.0.1', port: 0 });
  atEnd(() => server.close());
  return `${server.url}/mcp`;
}

export async function connectOverHttp(
  name: ClientName,
  url: string,
  key: string,
): Promise<AnyClient> {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const client = CLIENTS[name]() as any;
  const Transport =
    name === '1.32' ? OldHttpClientTransport : StreamableHTTPClientTransport;
  await client.connect(new Transport(new URL(url), { requestInit }));
  atEnd(() => client.close());
  return client;
}

/** @param args of the command mcp */
export async function connectOverStdio(
  name: ClientName,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<AnyClient> {
  const client = CLIENTS[name]() as any;
  const Transport = name === '1.32' ? OldStdioClientTransport : StdioClientTransport;
  const started = {
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--log', 'off', ...args],
    env,
    stderr: 'ignore',
  };
  await client.connect(new Transport(started as any));
  atEnd(() => client.close());
  return client;
}

/** The answer of a tool, which must be the same as text and as structure. */
export async function call(
  client: AnyClient,
  name: string,
  given: object = {},
): Promise<any> {
  const { content, structuredContent, isError } = await client.callTool({
    name,
    arguments: given,
  });
  if (isError) throw new Error(content[0].text);
  const text = JSON.parse(content[0].text);
  if (JSON.stringify(text) !== JSON.stringify(structuredContent))
    throw new Error('text and structure differ');
  return text;
}
