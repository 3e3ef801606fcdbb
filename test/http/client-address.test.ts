import { expect, test } from 'vitest';
import { ClientAddress } from '../../src/http/client-address.ts';

test.each([
  ['its port stripped', true, '127.0.0.1', '203.0.113.9:52110', '203.0.113.9'],
  ['IPv6 in brackets, by /64', true, '::1', '[2001:db8:0:1::7]:443', '2001:db8:0:1::/64'],
  ['a trusted network', ['10.0.0.0/8'], '10.2.3.4', '203.0.113.9', '203.0.113.9'],
  ['a trusted network of IPv6', ['fd00::/8'], 'fd12::1', '203.0.113.9', '203.0.113.9'],
  ['outside of the trusted network', ['10.0.0.0/8'], '11.2.3.4', '203.0.113.9', '11.2.3.4'],
  ['IPv4 in an IPv6 socket, in hexadecimal', false, '::ffff:c000:201', undefined, '192.0.2.1'],
  ['a trusted peer, in hexadecimal', true, '::ffff:7f00:1', '203.0.113.9', '203.0.113.9'],
  ['a client, in hexadecimal', true, '127.0.0.1', '::FFFF:CB00:7109', '203.0.113.9'],
  ['a client, with every group', true, '127.0.0.1', '0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
  ['a trusted network, written as IPv6', ['::ffff:10.0.0.0/104'], '10.2.3.4', '203.0.113.9', '203.0.113.9'],
  ['outside of it', ['::ffff:10.0.0.0/104'], '11.2.3.4', '203.0.113.9', '11.2.3.4'],
  ['IPv6 beside a network of IPv4', ['0.0.0.0/0'], '2001:db8::1', '203.0.113.9', '2001:db8:0:0::/64'],
  ['a zone of any name', false, 'fe80::1%br-12.7', undefined, 'fe80:0:0:0::/64'],
  ['IPv4 in octal, as no proxy writes it', true, '127.0.0.1', '010.0.0.1', '127.0.0.1'],
  ['IPv4 as one number', true, '127.0.0.1', '3405803785', '127.0.0.1'],
  ['nonsense in the header', true, '127.0.0.1', 'unknown', '127.0.0.1'],
] as const)('%s', (_name, trust, peer, forwarded, expected) => {
  expect(new ClientAddress(trust).of(peer, forwarded)).toBe(expected);
});
