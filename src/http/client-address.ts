/** Client address for the limit on wrong keys: the peer, or the address that a trusted proxy names. IPv6 counts by /64. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const LOOPBACK = ['127.0.0.0/8', '::1'];

export class ClientAddress {
  readonly #trusted: Network[];

  /** @param trustProxy false, true (peers on loopback), or addresses and networks trusted in addition to loopback */
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
    return address !== undefined && ipaddr.subnetMatch(address, { trusted: this.#trusted }, 'none') === 'trusted';
  }
}

/** An address; an IPv4 address mapped to IPv6 (::ffff:192.0.2.1, ::ffff:c000:201) becomes IPv4. */
function parse(text: string): Address | undefined {
  // Without the zone of a link-local address (%eth0): the library accepts fewer names than systems use.
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
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? address;
}

/** Address or network that limits count by: the holder of an IPv6 address has its whole /64. */
function counted(address: Address): string {
  if (!('parts' in address)) return address.toString();
  const groups = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}
