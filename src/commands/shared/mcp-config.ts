/** Configuration to paste into an MCP client. Paths are absolute, and it contains no key. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ClientOptions, Files, GlobalOptions } from '../../config.ts';
import { nearest, UsageError } from '../../errors.ts';
import { shellWord } from './output.ts';
import { fileFlags, type OwnCommand, ownCommand } from './own-command.ts';

interface ClientConfig {
  /** Its place: completes the sentence "Put it into …". */
  place: string;
  text: (start: OwnCommand, url: string) => string;
  /** Whether the client uses HTTP only, so that the text contains no path of a key: on this machine, from the web, or so by OAuth. */
  http?: 'here' | 'web' | 'oauth';
}

/** Name shown by clients. */
const NAME = 'journal';

const HTTP_URL = 'http://127.0.0.1:4747/mcp';
/** Of a service on the web, without --url. */
const WEB_URL = 'https://journal.example.org';

const json = (value: object) => JSON.stringify(value, null, 2);
const mcpServers = (start: OwnCommand) => json({ mcpServers: { [NAME]: start } });

export const CLIENTS: Readonly<Record<string, ClientConfig>> = {
  'claude-code': {
    place: 'a shell: it is a command',
    text: ({ command, args }) =>
      `claude mcp add --scope user ${NAME} -- ${[command, ...args].map(shellWord).join(' ')}`,
  },
  'claude-desktop': {
    place: 'claude_desktop_config.json (Settings, Developer, Edit Config), then restart Claude',
    text: mcpServers,
  },
  cursor: { place: '~/.cursor/mcp.json', text: mcpServers },
  vscode: {
    place: '.vscode/mcp.json, or the file that "MCP: Open User Configuration" opens',
    text: (start) => json({ servers: { [NAME]: { type: 'stdio', ...start } } }),
  },
  codex: {
    place: '~/.codex/config.toml',
    text: ({ command, args }) => `[mcp_servers.${NAME}]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}

# Or over HTTP, with "journal-api serve --mcp" running and the key in the environment:
# [mcp_servers.${NAME}]
# url = "${HTTP_URL}"
# bearer_token_env_var = "JOURNAL_API_KEY"`,
  },
  gemini: { place: '~/.gemini/settings.json', text: mcpServers },
  lmstudio: { place: 'mcp.json (Program, Install, Edit mcp.json)', text: mcpServers },
  openwebui: {
    place: 'Admin Settings, Integrations, Import, then enter the key as bearer token',
    text: () =>
      json([
        {
          type: 'mcp',
          url: HTTP_URL,
          auth_type: 'bearer',
          key: '',
          config: { enable: true },
          info: { id: NAME, name: 'Trading journal', description: 'Read-only figures and notes of a trading journal' },
        },
      ]),
    http: 'here',
  },
  mistral: {
    place: 'Le Chat: Connectors, Add Connector, Custom MCP Connector',
    text: (_, url) => `Connector name: ${NAME}
Server URL: ${url}/mcp
Authentication: API token, in the header Authorization as Bearer <key>`,
    http: 'web',
  },
  'claude-web': {
    place: 'claude.ai: Customize, Connectors, Add custom connector',
    text: (_, url) => `Name: ${NAME}
URL: ${url}/mcp
OAuth Client ID and Secret (Advanced settings): empty
Instead of OAuth, request headers (in accounts that have them): Authorization: Bearer <key>`,
    http: 'oauth',
  },
  chatgpt: {
    place: 'chatgpt.com: Settings, Apps, Advanced settings: turn on Developer mode, then Create app',
    text: (_, url) => `Name: ${NAME}
MCP Server URL: ${url}/mcp
Authentication: OAuth, without a client ID and secret`,
    http: 'oauth',
  },
};

/**
 * @returns the text to paste, and advice on its place
 * @throws UsageError for an unknown client
 */
export function configFor(
  client: string,
  files: Files,
  options: ClientOptions & GlobalOptions,
): { text: string; advice: string } {
  const config = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  if (!config) {
    const meant = nearest(client, Object.keys(CLIENTS));
    throw new UsageError(
      `--print-config takes one of ${Object.keys(CLIENTS).join(', ')}; got "${client}"${meant ? ` (did you mean ${meant}?)` : ''}`,
    );
  }
  const keyFile = resolve(options.keyFile ?? join(files.home, 'agent.key'));
  const advice = [`Put it into ${config.place}.`];
  const create = `journal-api key create --name ${client} --scopes all --expires 30d`;
  if (config.http === 'web' || config.http === 'oauth') {
    const { host, origin } = new URL(options.url ?? WEB_URL);
    const flags = config.http === 'web' ? `--allowed-host ${host}` : `--oauth --public-url ${origin}`;
    advice.push(
      `Start "journal-api serve --mcp --trust-proxy ${flags}" behind a proxy with TLS, and create a key with "${create} --hide money,texts,symbols".`,
    );
    if (config.http === 'oauth') advice.push('The client then opens a page of the service, which asks for this key.');
    advice.push('docs/remote-agents.md has the proxy, what each client accepts, and how to end it.');
  } else if (config.http) advice.push(`Start "journal-api serve --mcp", and create a key with "${create}".`);
  else if (!existsSync(keyFile)) advice.push(`Create its key first: ${create} --out ${shellWord(keyFile)}`);
  const url = (options.url ?? WEB_URL).replace(/\/$/, '');
  return { text: config.text(startOf(files, options, keyFile), url), advice: advice.join('\n') };
}

function startOf(files: Files, options: ClientOptions & GlobalOptions, keyFile: string): OwnCommand {
  const journal = options.url === undefined ? fileFlags(files, options) : ['--url', options.url];
  return ownCommand('mcp', ...journal, '--key-file', keyFile);
}
