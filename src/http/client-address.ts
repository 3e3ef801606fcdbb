/** Who is calling, for the limit on failed keys: the peer, or the address a trusted proxy names. IPv6 counts by /64. */
import { BlockList, isIP, isIPv6 } from 'node:net';

export class ClientAddress {
  readonly #trusted: BlockList | undefined;

  /** @param trustProxy false, true (peers on loopback), or addresses and networks trusted besides loopback */
  constructor(trustProxy: boolean | readonly string[]) {
    if (trustProxy === false) return;
    this.#trusted = new BlockList();
    this.#trusted.addSubnet('127.0.0.0', 8, 'ipv4');
    this.#trusted.addAddress('::1', 'ipv6');
    for (const entry of trustProxy === true ? [] : trustProxy) {
      const [address = '', bits] = entry.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(bits), family);
    }
  }

  /**
   * @param peer address of the connection
   * @param forwardedFor the X-Forwarded-For header; its last entry is the one our own proxy wrote
   */
  of(peer: string, forwardedFor: string | undefined): string {
    const address = withoutMapping(peer);
    const named = withoutMapping(withoutPort(forwardedFor?.split(',').at(-1)?.trim() ?? ''));
    const believed =
      isIP(named) !== 0 && isIP(address) !== 0 && this.#trusted?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
    return network(believed ? named : address);
  }
}

/** Some proxies write the client's port, too: 203.0.113.9:52110, [2001:db8::1]:52110. */
function withoutPort(address: string): string {
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? address;
}

/** An IPv4 address that arrived in an IPv6 socket. */
function withoutMapping(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  if (tail !== undefined) while (groups.length + after < 8) groups.push('0');
  return `${[...groups, ...(tail ?? '').split(':')]
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')}::/64`;
}
