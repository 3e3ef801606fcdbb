/** `serve`: starts and stops the service. The demo uses it too. */
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { type Files, filesOf, type GlobalOptions, serverOptions } from '../config.ts';
import { UserError } from '../errors.ts';
import { accessLog } from '../http/access-log.ts';
import { createApp } from '../http/app.ts';
import { ReadThreads } from '../http/read-threads.ts';
import type { OpenRoute, ProtocolRoute } from '../http/route.ts';
import { type Listening, listen } from '../http/server.ts';
import { FileUnavailable, rootCause } from '../sqlite/errors.ts';
import { describeFault, type JournalCommand, note } from './shared/command.ts';
import { openFiles } from './shared/local-app.ts';
import { type ServerSettings, serverSettingsOf, untilStopped } from './shared/serving.ts';

export function registerServe(program: JournalCommand): void {
  program
    .command('serve')
    .description('serve the journal over HTTP, read-only')
    .addOptions(serverOptions)
    .examples('journal-api serve --port 4747')
    .runs((options: GlobalOptions) =>
      serve(filesOf(options), serverSettingsOf({ ...options })),
    );
}

/** Serves until SIGINT or SIGTERM, then lets running requests finish. */
async function serve(files: Files, settings: ServerSettings): Promise<void> {
  const stopped = untilStopped();
  const running = await start(files, settings);
  note(`journal-api is ready at ${running.url}`);
  await stopped;
  await running.stop();
}

export interface Running {
  url: string;
  stop: () => Promise<void>;
}

/**
 * Starts the service on a data folder.
 * @param ticket the route that exchanges one for a key
 */
export async function start(
  files: Files,
  settings: ServerSettings,
  ticket?: OpenRoute,
): Promise<Running> {
  // Old objects are collected once they grow by half: with V8's own limit, garbage piles
  // up under load, and collecting it costs the same.
  setFlagsFromString('--heap-growing-percent=50');
  const { secret, journal, keys, close } = openFiles(files, settings.lastUsed);
  const log = new LineBuffer();
  const fault = (what: string, error: unknown) =>
    log.write(`journal-api: ${what} failed: ${describeFault(error)}\n`);
  const { publicUrl } = settings;
  const oauth =
    settings.oauth && publicUrl !== undefined
      ? (await import('../http/oauth/server.ts')).oauthServer({
          keys,
          secret,
          publicUrl,
          now: Date.now,
        })
      : undefined;
  const threads = new ReadThreads(journal, settings.threads);
  const app = createApp({
    journal,
    threads,
    keys,
    secret,
    rateLimit: settings.rateLimit,
    corsOrigins: settings.corsOrigin,
    trustProxy: settings.trustProxy,
    allowedHosts: [settings.host, ...settings.allowedHost],
    ...(settings.log === 'json' ? { log: accessLog((line) => log.write(line)) } : {}),
    onUnavailable: unavailableLog((line) => log.write(line), Date.now),
    onError: (error, requestId) => fault(`request ${requestId}`, error),
    ...(oauth ? { oauth } : {}),
    ...(ticket ? { ticket } : {}),
    protocols: settings.mcp
      ? [await mcpRoute((error) => fault('a tool call', error))]
      : [],
    now: Date.now,
  });
  let server: Listening;

  try {
    server = await listen(app, settings);
  } catch (error) {
    log.close();
    close();
    throw error;
  }

  await printWarnings(files, settings, () => journal.readAsync(() => undefined));
  return {
    url: server.url,
    async stop() {
      await server.close();
      await threads.close();
      close();
      log.close();
    },
  };
}

/** Starts at a free port if the default one is taken and none was given. */
export async function startAnywhere(
  files: Files,
  settings: ServerSettings,
  isPortGiven: boolean,
  ticket?: OpenRoute,
): Promise<Running> {
  try {
    return await start(files, settings, ticket);
  } catch (error) {
    if (isPortGiven || !(error instanceof UserError)) throw error;
    return start(files, { ...settings, port: 0 }, ticket);
  }
}

/** MCP's code is loaded only if enabled, as OAuth's is. */
async function mcpRoute(onError: (error: unknown) => void): Promise<ProtocolRoute> {
  const { respondToMcp } = await import('../mcp/transports.ts');
  return {
    path: '/mcp',
    respond: (request, ask) => respondToMcp(request, ask, { now: Date.now, onError }),
  };
}

async function printWarnings(
  files: Files,
  settings: ServerSettings,
  tryJournal: () => Promise<void>,
): Promise<void> {
  const loopback =
    settings.host === 'localhost' ||
    settings.host === '::1' ||
    (isIP(settings.host) === 4 && settings.host.startsWith('127.'));
  if (!loopback && settings.tlsCert === undefined) {
    note(
      `journal-api: warning: other machines can reach ${settings.host}, ` +
        'and without TLS keys travel unencrypted; ' +
        'pass --tls-cert and --tls-key, or use a TLS proxy (--trust-proxy).',
    );
  }

  for (const file of [files.secret, files.keys, files.journal]) {
    if (!isOpenToOthers(file)) continue;
    note(
      `journal-api: warning: other users of this machine may read or change ${file}; run: ` +
        `chmod 600 ${file}`,
    );
  }

  try {
    await tryJournal();
  } catch (error) {
    if (!(error instanceof FileUnavailable)) throw error;
    note(
      `journal-api: warning: can't read the journal ${files.journal} yet: ` +
        `${error.message}. Requests get 503 until this is fixed.`,
    );
  }
}

/**
 * Whether other users have any permission on an existing file. Windows has no such
 * permissions.
 */
function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

// What it writes to stderr while it runs: a line per request, and why a file can't be
// read.

const FLUSH_MS = 100;
const FLUSH_CHARACTERS = 64 * 1024;

/** Maximum of unread output. Lines beyond it are dropped and counted. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Buffers log lines: written one by one, they would cost more than the requests they
 * report.
 */
export class LineBuffer {
  #waiting = '';
  #dropped = 0;
  readonly #timer = setInterval(() => this.flush(), FLUSH_MS).unref();

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length > FLUSH_CHARACTERS) this.flush();
  }

  flush(): void {
    if (this.#waiting === '') return;

    const lines = this.#waiting;
    this.#waiting = '';
    if (process.stderr.writableLength > MAX_UNREAD_BYTES) {
      this.#dropped += lines.split('\n').length - 1;
      return;
    }

    if (this.#dropped > 0)
      process.stderr.write(
        `journal-api: ${this.#dropped} log lines dropped: output not read\n`,
      );
    this.#dropped = 0;
    process.stderr.write(lines);
  }

  /** Writes the waiting lines and stops the timer. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}

const MINUTE_MS = 60_000;

/** There are far fewer causes. */
const MAX_CAUSES = 100;

/** Reports each cause once a minute. @param now milliseconds of any clock */
export function unavailableLog(
  write: (line: string) => void,
  now: () => number,
): (error: FileUnavailable) => void {
  const writtenAt = new Map<string, number>();
  return (error) => {
    const cause = rootCause(error);
    const message = cause === undefined ? error.message : `${error.message} (${cause})`;
    if (now() - (writtenAt.get(message) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    if (writtenAt.size >= MAX_CAUSES) writtenAt.clear();
    writtenAt.set(message, now());
    write(`journal-api: requests get 503: ${message}\n`);
  };
}
