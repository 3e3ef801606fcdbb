/** `serve`: starts and stops the service. The demo uses it too. */
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { type Files, filesOf, type GlobalOptions, serverOptions } from '../config.ts';
import { UserError } from '../errors.ts';
import { accessLog } from '../http/access-log.ts';
import { createApp } from '../http/app.ts';
import type { ProtocolRoute } from '../http/route.ts';
import { type Listening, listen } from '../http/server.ts';
import { openJournal } from '../journal/journal.ts';
import { KeyReader } from '../keys/key-reader.ts';
import { WatchedSecret } from '../keys/watched-secret.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import { describeFault, note } from './shared/output.ts';
import { LineBuffer, UnavailableLog } from './shared/serve-log.ts';
import { type ServerSettings, serverSettingsOf } from './shared/serve-settings.ts';
import { untilStopped } from './shared/until-stopped.ts';

/** Interval of recording when keys were last used. */
const FLUSH_MS = 60_000;

export function registerServe(program: Command): void {
  const command = program
    .command('serve')
    .description('serve the journal over HTTP, read-only')
    .addHelpText('after', '\nExample:\n  $ journal-api serve --port 4747')
    .action(async (_options, self: Command) => {
      const options = self.optsWithGlobals<GlobalOptions>();
      await serve(filesOf(options), serverSettingsOf({ ...options }));
    });
  for (const option of serverOptions) command.addOption(option);
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

/** Starts the service on a data folder. */
export async function start(files: Files, settings: ServerSettings): Promise<Running> {
  // Old objects are collected once they grow by half: with V8's own limit, garbage piles up under load, and collecting it costs the same.
  setFlagsFromString('--heap-growing-percent=50');
  const secret = new WatchedSecret(files);
  const journal = openJournal(files.journal);
  const keys = new KeyReader(files.keys, settings.lastUsed);
  const log = new LineBuffer();
  const unavailable = new UnavailableLog((line) => log.write(line), Date.now);
  const fault = (what: string, error: unknown) => log.write(`journal-api: ${what} failed: ${describeFault(error)}\n`);
  const { publicUrl } = settings;
  const oauth =
    settings.oauth && publicUrl !== undefined
      ? (await import('../http/oauth/server.ts')).oauthServer({ keys, secret, publicUrl, now: Date.now })
      : undefined;
  const app = createApp({
    journal,
    keys,
    secret,
    rateLimit: settings.rateLimit,
    corsOrigins: settings.corsOrigin,
    trustProxy: settings.trustProxy,
    allowedHosts: [settings.host, ...settings.allowedHost],
    ...(settings.log === 'json' ? { log: accessLog((line) => log.write(line)) } : {}),
    onUnavailable: (error) => unavailable.report(error),
    onError: (error, requestId) => fault(`request ${requestId}`, error),
    ...(oauth ? { oauth } : {}),
    protocols: settings.mcp ? [await mcpRoute((error) => fault('a tool call', error))] : [],
    now: Date.now,
  });
  let server: Listening;
  try {
    server = await listen(app, settings);
  } catch (error) {
    log.close();
    keys.close();
    journal.close();
    throw error;
  }
  await printWarnings(files, settings, () => journal.readAsync(() => undefined));
  const flush = setInterval(() => keys.flush(), FLUSH_MS).unref();
  return {
    url: server.url,
    async stop() {
      await server.close();
      clearInterval(flush);
      keys.close();
      journal.close();
      log.close();
    },
  };
}

/** Starts at a free port if the default one is taken and none was given. */
export async function startAnywhere(files: Files, settings: ServerSettings, isPortGiven: boolean): Promise<Running> {
  try {
    return await start(files, settings);
  } catch (error) {
    if (isPortGiven || !(error instanceof UserError)) throw error;
    return start(files, { ...settings, port: 0 });
  }
}

/** MCP's code is loaded only if enabled, as OAuth's is. */
async function mcpRoute(onError: (error: unknown) => void): Promise<ProtocolRoute> {
  const { respondToMcp } = await import('../mcp/http.ts');
  return { path: '/mcp', respond: (request, ask) => respondToMcp(request, ask, { now: Date.now, onError }) };
}

async function printWarnings(files: Files, settings: ServerSettings, tryJournal: () => Promise<void>): Promise<void> {
  const loopback =
    settings.host === 'localhost' ||
    settings.host === '::1' ||
    (isIP(settings.host) === 4 && settings.host.startsWith('127.'));
  if (!loopback && settings.tlsCert === undefined) {
    note(
      `journal-api: warning: other machines can reach ${settings.host}, and without TLS keys travel unencrypted; pass --tls-cert and --tls-key, or use a TLS proxy (--trust-proxy).`,
    );
  }
  for (const file of [files.secret, files.keys, files.journal]) {
    if (!isOpenToOthers(file)) continue;
    note(`journal-api: warning: other users of this machine may read or change ${file}; run: chmod 600 ${file}`);
  }
  try {
    await tryJournal();
  } catch (error) {
    if (!(error instanceof FileUnavailable)) throw error;
    note(
      `journal-api: warning: can't read the journal ${files.journal} yet: ${error.message}. Requests get 503 until this is fixed.`,
    );
  }
}

/** Whether other users have any permission on an existing file. Windows has no such permissions. */
function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}
