/**
 * Settings: flags over environment over defaults. The only reader of the environment;
 * commander reads each variable declared here and shows it in --help.
 * commands/shared/serving.ts checks the settings of serve.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { messageOf, UsageError, UserError } from './errors.ts';

/** Flags without a value: commander takes any text in the environment as yes. */
const FLAGS = ['JOURNAL_API_MCP', 'JOURNAL_API_OAUTH', 'JOURNAL_API_NO_LAST_USED'];

// An empty variable, as compose files and units write it, counts as unset.
for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith('JOURNAL_API_') && value === '') delete process.env[name];
  if (FLAGS.includes(name) && (value === 'false' || value === '0'))
    delete process.env[name];
}

/** Options of every command. */
export const globalOptions = [
  new Option(
    '--home <folder>',
    'data folder (default: $XDG_DATA_HOME/journal-api, else ~/.local/share/journal-api)',
  ).env('JOURNAL_API_HOME'),
  new Option('--db <file>', 'journal file (default: journal.db in the data folder)').env(
    'JOURNAL_API_DB',
  ),
  new Option('--keys <file>', 'key store (default: keys.db in the data folder)').env(
    'JOURNAL_API_KEYS',
  ),
  new Option(
    '--secret-file <file>',
    'secret that key hashes are made with (default: secret in the data folder)',
  ).env('JOURNAL_API_SECRET_FILE'),
];

export interface GlobalOptions {
  home?: string;
  db?: string;
  keys?: string;
  secretFile?: string;
}

/** Absolute paths of the data folder and its files. */
export interface Files {
  home: string;
  journal: string;
  keys: string;
  secret: string;
  /** Folder of the journal's backups, made before an import writes. */
  backups: string;
}

/** @param options as parsed by commander */
export function filesOf(options: GlobalOptions): Files {
  const home = resolve(
    options.home ??
      join(
        process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'),
        'journal-api',
      ),
  );
  const files = {
    home,
    journal: resolve(options.db ?? join(home, 'journal.db')),
    keys: resolve(options.keys ?? join(home, 'keys.db')),
    secret: resolve(options.secretFile ?? join(home, 'secret')),
    backups: join(home, 'backups'),
  };

  // A line break would be a line of its own in a unit of "service", or in a script's
  // output.
  const odd = Object.values(files).find((path) => /\p{Cc}/u.test(path));
  if (odd === undefined) return files;
  throw new UsageError(
    `the path ${JSON.stringify(odd)} holds a line break or other control character`,
  );
}

/** The user's editor command, from the usual variables; undefined without one. */
export function editorIn(): string | undefined {
  return process.env['VISUAL'] || process.env['EDITOR'] || undefined;
}

/** Whether a browser could be visible: on Linux, only with a display. */
export const canShowBrowser =
  process.platform !== 'linux' ||
  Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);

const rateLimit = new Option(
  '--rate-limit <n>',
  'requests per minute for each key; 0 for no limit',
)
  .env('JOURNAL_API_RATE_LIMIT')
  .default('120');

const log = new Option('--log <format>', 'request log on stderr')
  .env('JOURNAL_API_LOG')
  .choices(['json', 'off'])
  .default('json');

/** Options of the API's clients. */
export const clientOptions = [
  new Option(
    '--url <url>',
    'address of a running service, such as http://127.0.0.1:4747 (default: read the local files)',
  ).env('JOURNAL_API_URL'),
  new Option(
    '--key-file <file>',
    'file that holds the key (default: the environment variable JOURNAL_API_KEY)',
  ).env('JOURNAL_API_KEY_FILE'),
];

/** Options of mcp. */
export const mcpOptions = [...clientOptions, rateLimit, log];

export interface ClientOptions {
  url?: string;
  keyFile?: string;
}

/**
 * The client's key; undefined if none is given. Never a flag: other users of the machine
 * can see flags.
 * @throws UserError if the key file can't be read
 */
export function keyIn({ keyFile }: ClientOptions): string | undefined {
  if (keyFile === undefined) return process.env['JOURNAL_API_KEY'];
  try {
    return readFileSync(keyFile, 'utf8').trim();
  } catch (error) {
    throw new UserError(`can't read the key file ${keyFile}: ${messageOf(error)}`);
  }
}

/** Options of serve. */
export const serverOptions = [
  new Option('--host <address>', 'address to listen on')
    .env('JOURNAL_API_HOST')
    .default('127.0.0.1'),
  new Option('--port <number>', 'port to listen on; 0 picks a free one')
    .env('JOURNAL_API_PORT')
    .default('4747'),
  new Option('--tls-cert <file>', 'certificate (PEM), to serve HTTPS').env(
    'JOURNAL_API_TLS_CERT',
  ),
  new Option('--tls-key <file>', 'private key of the certificate (PEM)').env(
    'JOURNAL_API_TLS_KEY',
  ),
  new Option(
    '--cors-origin <origins>',
    'browser origins allowed to call, separated by commas',
  ).env('JOURNAL_API_CORS_ORIGIN'),
  rateLimit,
  new Option(
    '--trust-proxy [addresses]',
    'trust X-Forwarded-For from loopback and these addresses or networks, separated by commas',
  ).env('JOURNAL_API_TRUST_PROXY'),
  new Option(
    '--allowed-host <names>',
    'host names to accept, in addition to localhost; repeatable, or separated by commas',
  )
    .env('JOURNAL_API_ALLOWED_HOST')
    .argParser((value, before?: string) =>
      before === undefined ? value : `${before},${value}`,
    ),
  new Option(
    '--no-last-used',
    "don't record when keys were last used and what they read; the key store is never written",
  ).env('JOURNAL_API_NO_LAST_USED'),
  new Option(
    '--threads <n>',
    'threads for requests that take long, such as figures and searches (default: ' +
      'one less than the processors, at most 4)',
  ).env('JOURNAL_API_THREADS'),
  log,
  new Option('--mcp', 'also serve MCP for agents at /mcp').env('JOURNAL_API_MCP'),
  new Option(
    '--oauth',
    'let agents that only use OAuth sign in to /mcp, with a page that takes a key',
  ).env('JOURNAL_API_OAUTH'),
  new Option(
    '--public-url <origin>',
    'https origin of the service for others; its host name is accepted',
  ).env('JOURNAL_API_PUBLIC_URL'),
];
