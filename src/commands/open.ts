/**
 * `open`: opens the dashboard in the browser with its own key. Starts the service if none
 * runs on these files.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { request as requestByTls } from 'node:https';
import { isIPv6 } from 'node:net';
import { type Files, filesOf, serverOptions } from '../config.ts';
import { issueKey } from '../keys/issue.ts';
import { lensInWords } from '../keys/lens.ts';
import {
  type Address,
  addressProof,
  CHALLENGE_HEADER,
  openSecret,
  PROOF_HEADER,
} from '../keys/secret.ts';
import { deleteKey, revokeKey, type StoredKey } from '../keys/store.ts';
import { addLens, joinedByCommas } from './key.ts';
import { openOnPhone, type PhoneOptions } from './open-phone.ts';
import { type Running, startAnywhere } from './serve.ts';
import { removeLeftPages, showInBrowser } from './shared/browser.ts';
import { type JournalCommand, note, print } from './shared/command.ts';
import { pageKey } from './shared/page-key.ts';
import { type ServerSettings, serverSettingsOf, untilStopped } from './shared/serving.ts';

interface OpenOptions extends PhoneOptions {
  browser: boolean;
  phone?: boolean;
}

export function registerOpen(program: JournalCommand): void {
  addLens(program.command('open'))
    .description('open the journal in the browser; starts the service if needed')
    .option(
      '--scopes <scopes>',
      'scopes of its key, separated by commas; repeatable (default: all)',
      joinedByCommas,
    )
    .option('--expires <when>', 'expiry of its key: 1h, 12h, 7d, or a date', '12h')
    .userOption('user whose journal to open')
    .option('--no-browser', 'print the address instead')
    .option(
      '--phone',
      'show a code for a phone in the same network instead; listens on one private address',
    )
    .option('--yes', 'with --phone: without TLS, go on without asking')
    .addOptions(serverOptions)
    .explained(
      `The key is named "page". It reaches the browser in a file that only you can read, so no list of processes shows it. The dashboard
keeps it for its tab. To see what an agent or a mentor sees, use the options of their key.

With --phone, the key is named "phone" and lives 12 hours at most. The code that the terminal shows works once, within two minutes; a
second use ends the key. The key also ends with the command, but not if that is killed (kill -9): see "journal-api key list".`,
    )
    .examples(
      'journal-api open',
      'journal-api open --scopes agent_summary:read,trades:read',
      'journal-api open --hide money --accounts main',
      'journal-api open --phone --hide money',
    )
    .action(async (_options, self: JournalCommand) => {
      const options = self.optsWithGlobals<OpenOptions>();
      const isGiven = (name: string) => self.getOptionValueSource(name) !== 'default';
      const settings = serverSettingsOf({
        ...options,
        log: isGiven('log') ? self.getOptionValue('log') : 'off',
      });
      const files = filesOf(options);
      // The environment's settings are those of serve, on another address.
      const isTyped = (name: string) => self.getOptionValueSource(name) === 'cli';
      if (options.phone) await openOnPhone(files, settings, isTyped, options);
      else await open(files, settings, isGiven('port'), options);
    });
}

async function open(
  files: Files,
  settings: ServerSettings,
  isPortGiven: boolean,
  options: OpenOptions,
): Promise<void> {
  removeLeftPages(files.home);
  const newKey = await pageKey(files, 'page', options);

  const stopped = untilStopped();
  const { url, running } = await serviceOn(files, settings, isPortGiven, newKey.userId);
  let issued: { key: string; stored: StoredKey } | undefined;

  try {
    issued = issueKey(files, newKey);
    const { key, stored } = issued;
    const address = `${url}/#key=${key}`;
    const shown = options.browser ? await showInBrowser(address, files.home) : null;
    const until = `until ${running ? 'this ends, at the latest ' : ''}${stored.expires_at}`;
    if (shown) note(`${url} is open in the browser, with key ${stored.id} ${until}.`);
    else print(address);
    if (newKey.lens) note(`It shows ${lensInWords(newKey.lens)}.`);
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
  const url =
    settings.port === 0
      ? undefined
      : await findService(addressOf(settings), files, userId);
  if (url !== undefined) return { url };
  const running = await startAnywhere(files, settings, isPortGiven);
  return { url: addressOf(settings, new URL(running.url).port), running };
}

/**
 * The address for a browser of this machine, even if the service listens on all
 * addresses.
 */
function addressOf(
  { host, port, tlsCert }: ServerSettings,
  actualPort: string | number = port,
): string {
  const name = LOOPBACK[host] ?? host;
  const scheme = tlsCert === undefined ? 'http' : 'https';
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${actualPort}`;
}

/** This machine's address for browsers, by the one that stands for all addresses. */
const LOOPBACK: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '::1',
};

// Finds out whether the service at an address uses these files.

const TIMEOUT_MS = 3000;
const MINUTE = 60_000;

/**
 * The service must prove that it has the secret of these files and is at the requested
 * address. An impostor can't, not even by forwarding the challenge. A copy of the files
 * has the same secret, so a new key is tried as well.
 * @param url http://127.0.0.1:4747
 * @returns the proved address, because a name may resolve differently next time. With TLS
 * the certificate proves the name
 */
export async function findService(
  url: string,
  files: Files,
  userId: string,
): Promise<string | undefined> {
  const challenge = randomBytes(32).toString('base64url');
  const answered = await ask(`${url}/healthz`, { [CHALLENGE_HEADER]: challenge });
  const proof = answered?.headers[PROOF_HEADER];
  if (!answered || typeof proof !== 'string') return undefined;

  const expected = addressProof(openSecret(files), challenge, answered.at) as string;
  if (!isEqual(Buffer.from(proof), Buffer.from(expected))) return undefined;

  const { address, port } = answered.at;
  const proved = url.startsWith('https:')
    ? url
    : `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
  return (await hasKeys(proved, files, userId)) ? proved : undefined;
}

/**
 * Whether it reads the keys of these files: tries a new key without scopes, then deletes
 * it.
 */
async function hasKeys(url: string, files: Files, userId: string): Promise<boolean> {
  const now = Date.now();
  const probe = {
    userId,
    name: 'looking for the service',
    scopes: [],
    expires: now + MINUTE,
    now,
  };
  const { key, stored } = issueKey(files, probe);

  try {
    return (
      (await ask(`${url}/v1/me`, { authorization: `Bearer ${key}` }))?.status === 200
    );
  } finally {
    deleteKey(files.keys, stored.id);
  }
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

interface Answered {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  /** Its end of the connection. */
  at: Address;
}

/** Undefined without a response. */
function ask(url: string, headers: OutgoingHttpHeaders): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestByTls : request;
    const asked = send(url, {
      headers,
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    asked.once('error', () => resolve(undefined));
    asked.once('response', (response) => {
      const { remoteAddress: address = '', remotePort: port = 0 } = response.socket;
      resolve({
        status: response.statusCode,
        headers: response.headers,
        at: { address, port },
      });
      response.destroy();
    });
    asked.end();
  });
}
