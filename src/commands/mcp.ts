/** `mcp`: the journal for an agent on this machine, over standard input and output. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type ClientOptions,
  type Files,
  filesOf,
  type GlobalOptions,
  mcpOptions,
} from '../config.ts';
import { messageOf, nearest, UsageError } from '../errors.ts';
import { accessLog } from '../http/access-log.ts';
import {
  describeFault,
  type JournalCommand,
  note,
  printData,
  shellWord,
} from './shared/command.ts';
import { type Client, openClient } from './shared/local-app.ts';
import {
  fileFlags,
  type ProgramCommand,
  programCommand,
  serverSettingsOf,
  untilStopped,
} from './shared/serving.ts';

interface Options extends GlobalOptions, ClientOptions {
  printConfig?: string;
  log: 'json' | 'off';
}

export function registerMcp(program: JournalCommand): void {
  program
    .command('mcp')
    .description(
      'serve the journal to an agent as MCP tools, over standard input and output',
    )
    .option(
      '--print-config <client>',
      `print the configuration of a client: ${Object.keys(CLIENTS).join(', ')}`,
    )
    .addOptions(mcpOptions)
    .explained(
      "The agent's program starts this command; see docs/agents.md. For MCP over HTTP: journal-api serve --mcp.",
    )
    .examples(
      'journal-api key create --name agent --scopes all --expires 30d --out ~/agent.key',
      'journal-api mcp --print-config claude-desktop --key-file ~/agent.key',
    )
    .runs((options: Options) => {
      if (options.printConfig === undefined) return serve(options);
      const config = configFor(options.printConfig, filesOf(options), options);
      printData(config.text);
      note(config.advice);
    });
}

/**
 * Runs until the client disconnects or a signal arrives. Problems with key or journal are
 * reported in responses.
 */
async function serve(options: Options): Promise<void> {
  const fault = (error: unknown) =>
    note(`journal-api: a call failed: ${describeFault(error)}`);
  const { rateLimit } = serverSettingsOf({ host: '127.0.0.1', port: '0', ...options });
  const journal = retrying(() =>
    openClient(options, {
      rateLimit,
      ...(options.log === 'json'
        ? { log: accessLog((line) => process.stderr.write(line)) }
        : {}),
      onError: fault,
    }),
  );
  const { serveMcp } = await import('../mcp/transports.ts');
  const stop = serveMcp(journal.ask, { now: Date.now, onError: fault });
  await Promise.race([once(process.stdin, 'close'), untilStopped()]);
  await stop();
  journal.close();
}

/**
 * A client of an API that may be unavailable at first: each call tries to open it until
 * one succeeds.
 */
function retrying(open: () => Client): Client {
  let client: Client | undefined;
  try {
    client = open();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    note(`journal-api: warning: ${messageOf(error)}. Calls fail until this is fixed.`);
  }

  return {
    async ask(path) {
      client ??= open();
      return client.ask(path);
    },
    close: () => client?.close(),
  };
}

// Configuration to paste into an MCP client. Paths are absolute, and it contains no key.

interface ClientConfig {
  /** Its place: completes the sentence "Put it into …". */
  place: string;
  text: (start: ProgramCommand, url: string) => string;
  /**
   * Whether the client uses HTTP only, so that the text contains no path of a key: on
   * this machine, from the web, or so by OAuth.
   */
  http?: 'here' | 'web' | 'oauth';
}

/** Name shown by clients. */
const NAME = 'journal';

const HTTP_URL = 'http://127.0.0.1:4747/mcp';
/** Of a service on the web, without --url. */
const WEB_URL = 'https://journal.example.org';

const json = (value: object) => JSON.stringify(value, null, 2);
const mcpServers = (start: ProgramCommand) => json({ mcpServers: { [NAME]: start } });

const CLIENTS: Readonly<Record<string, ClientConfig>> = {
  'claude-code': {
    place: 'a shell: it is a command',
    text: ({ command, args }) =>
      `claude mcp add --scope user ${NAME} -- ${[command, ...args].map(shellWord).join(' ')}`,
  },
  'claude-desktop': {
    place:
      'claude_desktop_config.json (Settings, Developer, Edit Config), then restart Claude',
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
          info: {
            id: NAME,
            name: 'Trading journal',
            description: 'Read-only figures and notes of a trading journal',
          },
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
    place:
      'chatgpt.com: Settings, Apps, Advanced settings: turn on Developer mode, then Create app',
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
function configFor(
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
    const flags =
      config.http === 'web' ? `--allowed-host ${host}` : `--oauth --public-url ${origin}`;
    advice.push(
      `Start "journal-api serve --mcp --trust-proxy ${flags}" behind a proxy with TLS, ` +
        `and create a key with "${create} --hide money,texts,symbols".`,
    );
    if (config.http === 'oauth')
      advice.push(
        'The client then opens a page of the service, which asks for this key.',
      );
    advice.push(
      'docs/remote-agents.md has the proxy, what each client accepts, and how to end it.',
    );
  } else if (config.http)
    advice.push(`Start "journal-api serve --mcp", and create a key with "${create}".`);
  else if (!existsSync(keyFile))
    advice.push(`Create its key first: ${create} --out ${shellWord(keyFile)}`);

  const url = (options.url ?? WEB_URL).replace(/\/$/, '');
  return {
    text: config.text(startOf(files, options, keyFile), url),
    advice: advice.join('\n'),
  };
}

function startOf(
  files: Files,
  options: ClientOptions & GlobalOptions,
  keyFile: string,
): ProgramCommand {
  const journal =
    options.url === undefined ? fileFlags(files, options) : ['--url', options.url];
  return programCommand('mcp', ...journal, '--key-file', keyFile);
}
