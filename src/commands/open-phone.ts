/**
 * `open --phone`: shows a code that opens the dashboard on a phone in the same network.
 * Its listener and its key end together.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { encode, renderUnicodeCompact } from 'uqr';
import type { Files } from '../config.ts';
import { UsageError, UserError } from '../errors.ts';
import { createTicket, TICKET_MS } from '../http/ticket.ts';
import { issueKey } from '../keys/issue.ts';
import { lensInWords } from '../keys/lens.ts';
import { revokeKey, type StoredKey } from '../keys/store.ts';
import { type Running, startAnywhere } from './serve.ts';
import { note, print } from './shared/command.ts';
import { type PageOptions, pageKey } from './shared/page-key.ts';
import { type ServerSettings, untilStopped } from './shared/serving.ts';
import { asked, terminalHere } from './shared/terminal.ts';

export interface PhoneOptions extends PageOptions {
  yes?: boolean;
}

const LONGEST_HOURS = 12;
const HOUR = 3_600_000;

/**
 * @param isTyped whether an option is on the command line
 * @throws UsageError without a terminal: the code gives the journal to any reader of the
 * output
 */
export async function openOnPhone(
  files: Files,
  server: ServerSettings,
  isTyped: (option: string) => boolean,
  options: PhoneOptions,
): Promise<void> {
  if (!process.stdout.isTTY)
    throw new UsageError(
      '--phone shows a code that opens the journal; run it in a terminal',
    );

  const host = isTyped('host') ? requirePrivate(server.host) : await chosenAddress();
  // For the dashboard alone.
  const settings = {
    ...server,
    host,
    mcp: false,
    oauth: false,
    corsOrigin: [],
    trustProxy: false,
  };
  const hide = await agreedHide(settings, options);
  const newKey = await pageKey(files, 'phone', { ...options, ...(hide ? { hide } : {}) });
  if (newKey.expires - newKey.now > LONGEST_HOURS * HOUR)
    throw new UsageError(
      `--expires ${options.expires} is too long for a phone; pass ${LONGEST_HOURS}h or less`,
    );

  const { promise: ended, resolve: end } = Promise.withResolvers<string | undefined>();
  void untilStopped().then(() => end(undefined));
  let issued: { key: string; stored: StoredKey } | undefined;
  let running: Running | undefined;

  const revoke = () => {
    if (issued) revokeKey(files.keys, issued.stored.id, Date.now());
    issued = undefined;
  };

  const unused = setTimeout(
    () => end('the code was not used in time; run it again'),
    TICKET_MS,
  );
  const ticket = createTicket({
    key: () => issued?.key,
    now: Date.now,
    onUse(address) {
      clearTimeout(unused);
      note(`Opened by ${address}. If that isn't your phone, stop with Ctrl-C.`);
    },
    onReuse: () => end('the code was used twice, so its key is revoked; run it again'),
  });

  try {
    running = await startAnywhere(files, settings, isTyped('port'), ticket.route);
    issued = issueKey(files, newKey);
    process.once('exit', revoke);
    setTimeout(() => end(undefined), newKey.expires - Date.now()).unref();
    const url = (isTyped('publicUrl') && server.publicUrl) || running.url;
    showCode(`${url}/#ticket=${ticket.text}`);
    const { id, expires_at: expires } = issued.stored;
    note(`Key ${id} (phone) ends with this command, at the latest ${expires}.`);
    note(`It shows ${lensInWords(newKey.lens ?? null)}. Stop with Ctrl-C.`);

    const problem = await ended;
    if (problem !== undefined) throw new UserError(problem);
  } finally {
    clearTimeout(unused);
    try {
      // Before the service ends, because its last requests may take a while.
      revoke();
    } finally {
      await running?.stop();
    }
  }
}

// The address: a private one, which only the same network can reach.

/** Ranges of networks at home and at work. */
const USUAL = ['private', 'uniqueLocal'];

/** Others that are private, too, for tunnels and for networks such as Tailscale's. */
const NAMED = [...USUAL, 'loopback', 'carrierGradeNat'];

/** @returns the address in its usual form @throws UsageError */
export function requirePrivate(host: string): string {
  if (isIP(host) === 0 || !NAMED.includes(ipaddr.process(host).range()))
    throw new UsageError(
      `--host ${host} is not a private address; ` +
        'pass one that the phone reaches in its network, such as 192.168.1.5',
    );
  return ipaddr.process(host).toString();
}

/** The only private address of this machine, or the one that the user chooses. */
export async function chosenAddress(
  interfaces = networkInterfaces(),
  terminal = terminalHere(),
): Promise<string> {
  const found = privateAddresses(interfaces);
  const [first] = found;
  if (!first)
    throw new UserError(
      "this machine has no private address; connect it to the phone's network, or pass --host",
    );
  if (found.length === 1) return first.address;

  const list = found.map(({ address, network }) => `${address} (${network})`).join(', ');
  if (!terminal)
    throw new UsageError(
      `this machine has several addresses: ${list}; choose one with --host`,
    );
  return asked(
    terminal,
    `Address in the phone's network: ${list} [${first.address}] `,
    (typed) =>
      (typed === '' ? first : found.find(({ address }) => address === typed))?.address,
    () => 'Type one of these addresses.',
  );
}

/** IPv6 only without IPv4: a machine has several IPv6 addresses in one network. */
function privateAddresses(
  interfaces: ReturnType<typeof networkInterfaces>,
): { address: string; network: string }[] {
  const all = Object.entries(interfaces).flatMap(([network, addresses = []]) =>
    addresses.map((address) => ({ ...address, network })),
  );
  const usual = all.filter(
    ({ address, internal }) =>
      !internal && USUAL.includes(ipaddr.process(address).range()),
  );
  const ofVersion4 = usual.filter(({ family }) => family === 'IPv4');
  return ofVersion4.length > 0 ? ofVersion4 : usual;
}

/**
 * Asks before the key and the journal travel in clear text.
 * @returns what the key hides, as typed
 */
export async function agreedHide(
  { host, tlsCert }: Pick<ServerSettings, 'host' | 'tlsCert'>,
  { hide, yes }: Pick<PhoneOptions, 'hide' | 'yes'>,
  terminal = terminalHere(),
): Promise<string | undefined> {
  const isSafe = tlsCert !== undefined || ipaddr.process(host).range() === 'loopback';
  if (isSafe || yes) return hide;

  const danger = 'Without TLS, anybody in this network can read the key and the journal';
  if (!terminal) {
    throw new UsageError(
      `${danger}; pass --yes, with --hide money to leave amounts out, or --tls-cert and --tls-key`,
    );
  }

  const hidesMoney = hide?.includes('money') === true;
  const choices = hidesMoney ? '[y/N] ' : '[y/N, or m to go on with --hide money] ';
  const hint = hidesMoney ? 'Type y or n.' : 'Type y, n or m.';
  const answer = await asked(
    terminal,
    `${danger}. Go on? ${choices}`,
    (typed) => ANSWER.exec(typed)?.[0].toLowerCase(),
    () => hint,
  );
  if (/^n?$|^no$/.test(answer)) throw new UserError('the journal was not opened');
  return answer === 'm' && !hidesMoney ? [hide, 'money'].filter(Boolean).join(',') : hide;
}

const ANSWER = /^(?:y|yes|n|no|m|)$/i;

/** White on black in any terminal, with a margin that cameras need. */
function showCode(address: string): void {
  const options = { border: 2 };
  const { size } = encode(address, options);
  const isTooNarrow = process.stdout.columns > 0 && process.stdout.columns < size;
  if (isTooNarrow)
    note(`The code needs a terminal of ${size} columns; this one has fewer.`);
  else {
    const lines = renderUnicodeCompact(address, options).split('\n');
    for (const line of lines) process.stdout.write(`\x1b[97;40m${line}\x1b[0m\n`);
  }
  note(
    "Scan the code with the phone's camera within two minutes; it works once. Its address:",
  );
  print(address);
}
