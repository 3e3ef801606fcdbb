/**
 * Which names the service answers to. A page of a hostile site can have its own name point to this machine, and would then be
 * taken for a page of ours by the browser (DNS rebinding). Addresses are always fine: that trick needs a name.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ClientAddress } from './client-address.ts';
import { Problem } from './problem.ts';
import type { RequestContext } from './request-context.ts';

interface HostSettings {
  /** Names besides localhost, without a port. */
  allowedHosts: readonly string[];
  trustProxy: boolean | readonly string[];
}

export class HostCheck {
  readonly #names: ReadonlySet<string>;
  readonly #clientAddress: ClientAddress;
  /** The one that was answered to last: mostly the next one, too. */
  #last: string | undefined;

  constructor({ allowedHosts, trustProxy }: HostSettings) {
    this.#names = new Set(['localhost', ...allowedHosts.map((name) => name.toLowerCase())]);
    this.#clientAddress = new ClientAddress(trustProxy);
  }

  /**
   * A proxy passes on what a browser sent it, so its X-Forwarded-Host must pass as well as Host, and takes the place of neither.
   * @throws Problem (400) for a request that names no host, or two; (421) for one that was meant for another name
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
      `this service does not go by the name "${name.slice(0, 100)}"; if that is its name, start it with --allowed-host ${
        /^[a-z0-9._-]{1,100}$/.test(name) ? name : '<name>'
      }`,
    );
  }
}

/** Of two, Node keeps the first, and what stands in front of it may have gone by the second. HTTP/1.0 may leave it out. */
function requireOneHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return;
  throw new Problem('bad_request', `a request has one Host header; this one has ${hosts === 0 ? 'none' : hosts}`);
}

/** The address or the name in lower case: of journal.example.com:4747, 127.0.0.1:4747, [::1]:4747. */
function nameIn(host: string): string {
  const name = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  // A dot at the end says that the name is complete.
  return name.toLowerCase().replace(/\.$/, '');
}
