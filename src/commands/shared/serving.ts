/**
 * What commands that run or describe the service share: its settings, checked; its own
 * command line; the wait for a signal.
 */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { isSea } from 'node:sea';
import type { Files, GlobalOptions } from '../../config.ts';
import { UsageError } from '../../errors.ts';

export type ServerSettings = ReturnType<typeof serverSettingsOf>;

const EXPECTED: Record<string, string> = {
  host: '--host takes an address, such as 127.0.0.1',
  port: '--port takes a whole number from 0 to 65535, such as 4747',
  corsOrigin:
    '--cors-origin takes origins such as https://app.example.com, separated by commas',
  threads: '--threads takes a whole number from 1 to 64, such as 2',
  rateLimit:
    '--rate-limit takes a whole number of requests per minute, such as 120, or 0 for no limit',
  allowedHost:
    '--allowed-host takes names such as journal.example.com, without a port, separated by commas',
  publicUrl:
    '--public-url takes an https origin without a path, ' +
    'such as https://journal.example.org (http on 127.0.0.1 or localhost only)',
  trustProxy:
    '--trust-proxy takes no value, or IP addresses and networks such as 10.0.0.0/8, ' +
    'separated by commas',
};

/**
 * @param options of serve, as parsed by commander
 * @throws UsageError that names the wrong option
 */
export function serverSettingsOf(options: Record<string, unknown>) {
  /** Undefined values are wrong ones. */
  function checked<T>(name: string, value: T | undefined): T {
    if (value !== undefined) return value;
    throw new UsageError(`${EXPECTED[name]}; got "${String(options[name])}"`);
  }

  const text = (name: string) => options[name] as string | undefined;
  const settings = {
    host: checked('host', text('host') || undefined),
    port: checked('port', wholeNumber(text('port'), 65535)),
    tlsCert: text('tlsCert'),
    tlsKey: text('tlsKey'),
    corsOrigin: checked('corsOrigin', listOf(text('corsOrigin'), originOf)),
    rateLimit: checked('rateLimit', wholeNumber(text('rateLimit'), 1_000_000)),
    threads: checked(
      'threads',
      options['threads'] === undefined ? usualThreads() : threadsIn(text('threads')),
    ),
    // true trusts loopback; addresses and networks are trusted in addition to it.
    trustProxy: checked(
      'trustProxy',
      trusted(options['trustProxy'] as string | boolean | undefined),
    ),
    allowedHost: checked(
      'allowedHost',
      listOf(text('allowedHost'), (name) => (HOST_NAME.test(name) ? name : undefined)),
    ),
    lastUsed: options['lastUsed'] !== false,
    log: options['log'] as 'json' | 'off',
    mcp: options['mcp'] === true,
    oauth: options['oauth'] === true,
    // Origin under which clients elsewhere reach the service.
    publicUrl: text('publicUrl'),
  };
  if (settings.publicUrl !== undefined) {
    settings.publicUrl = checked('publicUrl', publicOrigin(settings.publicUrl));
    settings.allowedHost.push(new URL(settings.publicUrl).hostname);
  }

  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key need each other; pass both');
  }
  if (settings.oauth && (!settings.mcp || settings.publicUrl === undefined)) {
    throw new UsageError(
      '--oauth needs --mcp and --public-url, such as --mcp --oauth --public-url ' +
        'https://journal.example.org',
    );
  }

  return settings;
}

const HOST_NAME = /^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$/;

function wholeNumber(text: string | undefined, most: number): number | undefined {
  return text !== undefined && /^\d+$/.test(text) && Number(text) <= most
    ? Number(text)
    : undefined;
}

/** The main thread needs a processor, too. */
function usualThreads(): number {
  return Math.min(Math.max(availableParallelism() - 1, 1), 4);
}

function threadsIn(option: string | undefined): number | undefined {
  return wholeNumber(option, 64) || undefined;
}

/** The parts between commas; undefined if one is wrong. */
function listOf(
  text: string | undefined,
  read: (part: string) => string | undefined,
): string[] | undefined {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  const items = parts.filter((part) => part !== '').map(read);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function originOf(text: string): string | undefined {
  const origin = URL.canParse(text) ? new URL(text).origin : '';
  return /^https?:\/\//.test(origin) ? origin : undefined;
}

function publicOrigin(text: string): string | undefined {
  const origin = originOf(text);
  const isPlain = origin === text.replace(/\/$/, '').toLowerCase();
  return isPlain && /^(https:|http:\/\/(127\.0\.0\.1|localhost)(:|$))/.test(origin)
    ? origin
    : undefined;
}

/** A bare flag, or "true" from the environment, is true. */
function trusted(option: string | boolean | undefined): boolean | string[] | undefined {
  if (typeof option === 'boolean') return option;
  if (option === 'true' || option === '1') return true;
  if (option === undefined || ['false', '0', ''].includes(option)) return false;
  return listOf(option, (part) => (isNetwork(part) ? part : undefined));
}

/** Whether a text is an IP address without a zone, or a network such as 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^%/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number;
  return Number(bits ?? 0) <= most;
}

// The command line that starts this program again, with absolute paths, for other
// programs to run.

export interface ProgramCommand {
  command: string;
  args: string[];
}

/** @param args of the command line, the command's name first */
export function programCommand(...args: string[]): ProgramCommand {
  // An executable is its own script.
  const script = isSea() ? [] : [resolve(process.argv[1] as string)];
  return { command: process.execPath, args: [...script, ...args] };
}

/** Flags for these files. */
export function fileFlags(files: Files, options: GlobalOptions): string[] {
  const placed = (flag: string, path: string | undefined) =>
    path === undefined ? [] : [flag, resolve(path)];
  return [
    '--home',
    files.home,
    ...placed('--db', options.db),
    ...placed('--keys', options.keys),
    ...placed('--secret-file', options.secretFile),
  ];
}

/**
 * Resolves on the first signal to stop. A second one, more than a second later, ends the
 * process at once.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const stop = () => {
        resolve();
        // The launcher forwards a Ctrl-C that the terminal has already sent to both
        // processes.
        setTimeout(() => process.off(signal, stop), 1000).unref();
      };
      process.on(signal, stop);
    }
  });
}
