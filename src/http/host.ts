/**
 * Host names that the service accepts. A hostile site can point its own name to this
 * machine, and the browser would then treat its page as one of this service (DNS
 * rebinding). Addresses are always accepted: the attack needs a name.
 */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ALLOW, Problem } from './problem.ts';
import type { RequestContext, RequestHeaders } from './request-context.ts';

// Client address for the limit on wrong keys: the peer, or the address that a trusted
// proxy names. IPv6 counts by /64.

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const LOOPBACK = ['127.0.0.0/8', '::1'];

export class ClientAddress {
  readonly #trusted: Network[];

  /**
   * @param trustProxy false, true (peers on loopback), or addresses and networks trusted
   * in addition to loopback
   */
  constructor(trustProxy: boolean | readonly string[]) {
    const others = typeof trustProxy === 'boolean' ? [] : trustProxy;
    this.#trusted = trustProxy === false ? [] : [...LOOPBACK, ...others].map(networkOf);
  }

  /**
   * @param peer address of the connection
   * @param forwardedFor the X-Forwarded-For header; its last entry is the trusted proxy's
   */
  of(peer: string, forwardedFor: string | undefined): string {
    const address = parse(peer);
    const named = parse(withoutPort(forwardedFor?.split(',').at(-1)?.trim() ?? ''));
    if (!address) return peer;
    return counted(named && this.trusts(peer) ? named : address);
  }

  /** Whether the peer is a trusted proxy. */
  trusts(peer: string): boolean {
    const address = this.#trusted.length === 0 ? undefined : parse(peer);
    return (
      address !== undefined &&
      ipaddr.subnetMatch(address, { trusted: this.#trusted }, 'none') === 'trusted'
    );
  }
}

/**
 * An address; an IPv4 address mapped to IPv6 (::ffff:192.0.2.1, ::ffff:c000:201) becomes
 * IPv4.
 */
function parse(text: string): Address | undefined {
  // Without the zone of a link-local address (%eth0): the library accepts fewer names
  // than systems use.
  return isIP(text) === 0 ? undefined : ipaddr.process(text.replace(/%.*/s, ''));
}

/** @param text an address, or a network such as 10.0.0.0/8 */
function networkOf(text: string): Network {
  const [written = '', bits] = text.split('/');
  const address = ipaddr.process(written);
  const whole = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, whole];
  const isMapped = address.kind() === 'ipv4' && written.includes(':');
  return [address, isMapped ? Math.max(0, Number(bits) - 96) : Number(bits)];
}

/** Some proxies write the client's port, too: 203.0.113.9:52110, [2001:db8::1]:52110. */
function withoutPort(address: string): string {
  return (
    /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ??
    /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ??
    address
  );
}

/**
 * Address or network that limits count by: the holder of an IPv6 address has its whole
 * /64.
 */
function counted(address: Address): string {
  if (!('parts' in address)) return address.toString();
  const groups = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}

// CORS: off unless origins are named. Pages may send Authorization; x-api-key is for
// programs only.

/** @returns headers that let a page of a named origin read the response */
export function corsHeaders(
  { origin }: RequestHeaders,
  allowed: readonly string[],
): Record<string, string> {
  if (!isAllowed(origin, allowed)) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers':
      'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
  };
}

/** Response to OPTIONS, including a browser's preflight. */
export function optionsReply(headers: RequestHeaders, allowed: readonly string[]) {
  const isPreflight =
    headers['access-control-request-method'] !== undefined &&
    isAllowed(headers.origin, allowed);
  return {
    status: 204,
    body: null,
    headers: { Allow: ALLOW, ...(isPreflight ? PREFLIGHT : {}) },
  };
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '600',
};

/**
 * For requests that do more than read a response, which CORS would guard: pages of other
 * sites are refused first.
 * @throws Problem (403)
 */
export function requireOwnOrigin(
  { origin, host }: RequestHeaders,
  allowed: readonly string[],
): void {
  if (origin === undefined || isAllowed(origin, allowed)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new Problem(
    'foreign_origin',
    'origin not allowed; start the service with --cors-origin to allow it',
  );
}

function isAllowed(
  origin: string | undefined,
  allowed: readonly string[],
): origin is string {
  return origin !== undefined && allowed.includes(origin);
}

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
    this.#names = new Set([
      'localhost',
      ...allowedHosts.map((name) => name.toLowerCase()),
    ]);
    this.#clientAddress = new ClientAddress(trustProxy);
  }

  /**
   * A proxy forwards the browser's host, so both X-Forwarded-Host and Host are checked,
   * and the host of a whole address in place of a path.
   * @throws Problem (400) for a request without a host, or with two; (421) for one to an
   * unknown host
   */
  require({ c, headers }: RequestContext): void {
    const { incoming } = c.env ?? {};
    if (incoming) {
      requireOneHost(incoming);
      this.#require(hostOfTarget(incoming.url));
    }
    this.#require(headers.host);
    const forwarded = headers['x-forwarded-host'];
    const peer = forwarded === undefined ? undefined : incoming?.socket.remoteAddress;
    if (peer !== undefined && this.#clientAddress.trusts(peer))
      this.#require(forwarded?.split(',').at(-1)?.trim());
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

/**
 * Of two headers Node keeps the first, but a proxy may have used the second. HTTP/1.0 may
 * send none.
 */
function requireOneHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return;

  throw new Problem(
    'bad_request',
    `a request needs exactly one Host header; this one has ${hosts === 0 ? 'none' : hosts}`,
  );
}

/** The host of GET http://journal.example.com/v1/me; undefined for a path. */
function hostOfTarget(target = '/'): string | undefined {
  return target.startsWith('/') || !URL.canParse(target)
    ? undefined
    : new URL(target).host;
}

/**
 * The address or the name in lower case: of journal.example.com:4747, 127.0.0.1:4747,
 * [::1]:4747.
 */
function nameIn(host: string): string {
  const name = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  // A final dot marks a complete name.
  return name.toLowerCase().replace(/\.$/, '');
}
