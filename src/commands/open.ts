/** `open`: opens the dashboard in the browser with its own key. Starts the service if none runs on these files. */
import type { Command } from 'commander';
import { type Files, filesOf, type GlobalOptions, serverOptions } from '../config.ts';
import { userFor } from '../journal-write/read.ts';
import { expiryOf, issueKey } from '../keys/issue.ts';
import { lensInWords, typedLens } from '../keys/lens.ts';
import { revokeKey, type StoredKey } from '../keys/store.ts';
import { addLens, addScopes, scopesOf } from './key.ts';
import { type Running, startAnywhere } from './serve.ts';
import { removeLeftPages, showInBrowser } from './shared/browser.ts';
import { findService } from './shared/find-service.ts';
import { requireAccounts } from './shared/local-app.ts';
import { note, print } from './shared/output.ts';
import { type ServerSettings, serverSettingsOf } from './shared/serve-settings.ts';
import { untilStopped } from './shared/until-stopped.ts';

interface OpenOptions extends GlobalOptions {
  scopes?: string;
  expires: string;
  user?: string;
  browser: boolean;
  accounts?: string;
  since?: string;
  hide?: string;
}

export function registerOpen(program: Command): void {
  const command = addLens(program.command('open'))
    .description('open the journal in the browser; starts the service if needed')
    .option('--scopes <scopes>', 'scopes of its key, separated by commas; repeatable (default: all)', addScopes)
    .option('--expires <when>', 'expiry of its key: 1h, 12h, 7d, or a date', '12h')
    .option('--user <id>', 'user whose journal to open (default: me, else the only user)')
    .option('--no-browser', 'print the address instead')
    .addHelpText(
      'after',
      `
The key is named "page". It reaches the browser in a file that only you can read, so no list of processes shows it. The dashboard
keeps it for its tab. To see what an agent or a mentor sees, use the options of their key.

Examples:
  $ journal-api open
  $ journal-api open --scopes agent_summary:read,trades:read
  $ journal-api open --hide money --accounts main`,
    )
    .action(async (_options, self: Command) => {
      const options = self.optsWithGlobals<OpenOptions>();
      const isGiven = (name: string) => self.getOptionValueSource(name) !== 'default';
      const settings = serverSettingsOf({ ...options, log: isGiven('log') ? self.getOptionValue('log') : 'off' });
      await open(filesOf(options), settings, isGiven('port'), options);
    });
  for (const option of serverOptions) command.addOption(option);
}

async function open(files: Files, settings: ServerSettings, isPortGiven: boolean, options: OpenOptions): Promise<void> {
  removeLeftPages(files.home);
  const user = userFor(files.journal, options.user);
  const now = Date.now();
  const scopes = scopesOf(options.scopes ?? 'all');
  const expires = expiryOf(options.expires, now, user.timezone);
  const lens = typedLens(options);
  await requireAccounts(files, user.id, lens);
  const stopped = untilStopped();
  const { url, running } = await serviceOn(files, settings, isPortGiven, user.id);
  let issued: { key: string; stored: StoredKey } | undefined;
  try {
    issued = issueKey(files, { userId: user.id, name: 'page', scopes, lens, expires, now });
    const { key, stored } = issued;
    const address = `${url}/#key=${key}`;
    const shown = options.browser ? await showInBrowser(address, files.home) : null;
    const until = `until ${running ? 'this ends, at the latest ' : ''}${stored.expires_at}`;
    if (shown) note(`${url} is open in the browser, with key ${stored.id} ${until}.`);
    else print(address);
    if (lens) note(`It shows ${lensInWords(lens)}.`);
    if (running) note('Stop with Ctrl-C.');
    // The browser must read its file first.
    const read = shown?.read.then(shown.remove);
    await (running ? stopped : Promise.race([stopped, read]));
    shown?.remove();
  } finally {
    try {
      // Revoked before the service ends, because its last requests may take a while.
      if (running && issued) revokeKey(files.keys, issued.stored.id, Date.now());
    } finally {
      await running?.stop();
    }
  }
}

/** The running service of these files at the usual address, or a new one. */
async function serviceOn(
  files: Files,
  settings: ServerSettings,
  isPortGiven: boolean,
  userId: string,
): Promise<{ url: string; running?: Running }> {
  const url = settings.port === 0 ? undefined : await findService(addressOf(settings), files, userId);
  if (url !== undefined) return { url };
  const running = await startAnywhere(files, settings, isPortGiven);
  return { url: addressOf(settings, new URL(running.url).port), running };
}

/** The address for a browser of this machine, even if the service listens on all addresses. */
function addressOf({ host, port, tlsCert }: ServerSettings, actualPort: string | number = port): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${actualPort}`;
}
