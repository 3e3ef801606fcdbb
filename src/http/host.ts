/**
 * Host names that the service accepts. A hostile site can point its own name to this machine, and the browser would then treat its
 * page as one of this service (DNS rebinding). Addresses are always accepted: the attack needs a name.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ClientAddress } from './client-address.ts';
import { Problem } from './problem.ts';
import type { RequestContext } from './request-context.ts';

interface HostSettings {
  /** Names in addition to localhost, without a port. */
  allowedHosts: readonly string[];
  trustProxy: boolean | readonly string[];
}

export class HostCheck {
  readonly #names: ReadonlySet<string>;
  readonly #clientAddress: ClientAddress;
  /** The last host accepted, which mostly is the next one, too. */
  #last: string | undefined;

  constructor({ allowedHosts, trustProxy }: HostSettings) {
    this.#names = new Set(['localhost', ...allowedHosts.map((name) => name.toLowerCase())]);
    this.#clientAddress = new ClientAddress(trustProxy);
  }

  /**
   * A proxy forwards the browser's host, so both X-Forwarded-Host and Host are checked.
   * @throws Problem (400) for a request without a host, or with two; (421) for one to an unknown host
   */
  require({ c, headers }: RequestContext): void {
    const { incoming } = c.env ?? {};
    if (incoming) requireOneHost(incoming);
    this.#require(headers.host);
    const forwarded = headers['x-forwarded-host'] as string | undefined;
    const peer = forwarded === undefined ? undefined : incoming?.socket.remoteAddress;
    if (peer !== undefined && this.#clientAddress.trusts(peer)) this.#require(forwarded?.split(',').at(-1)?.trim());
  }

  #require(host: string | undefined): void {
    if (host === undefined || host === this.#last) return;
    const name = nameIn(host);
    if (isIP(name) !== 0 || this.#names.has(name)) {
      this.#last = host;
      return;
    }
    throw new Problem(
      'misdirected_request',
      `unknown host "${name.slice(0, 100)}"; if it is this service, start it with --allowed-host ${
        /^[a-z0-9._-]{1,100}$/.test(name) ? name : '<name>'
      }`,
    );
  }
}

/** Of two headers Node keeps the first, but a proxy may have used the second. HTTP/1.0 may send none. */
function requireOneHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return;
  throw new Problem(
    'bad_request',
    `a request needs exactly one Host header; this one has ${hosts === 0 ? 'none' : hosts}`,
  );
}

/** The address or the name in lower case: of journal.example.com:4747, 127.0.0.1:4747, [::1]:4747. */
function nameIn(host: string): string {
  const name = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  // A final dot marks a complete name.
  return name.toLowerCase().replace(/\.$/, '');
}
