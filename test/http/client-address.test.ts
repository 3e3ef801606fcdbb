import { expect, test } from 'vitest';
import { ClientAddress } from '../../src/http/client-address.ts';

test.each([
  ['its port stripped', true, '127.0.0.1', '203.0.113.9:52110', '203.0.113.9'],
  ['IPv6 in brackets, by /64', true, '::1', '[2001:db8:0:1::7]:443', '2001:db8:0:1::/64'],
  ['a trusted network', ['10.0.0.0/8'], '10.2.3.4', '203.0.113.9', '203.0.113.9'],
  ['a trusted network of IPv6', ['fd00::/8'], 'fd12::1', '203.0.113.9', '203.0.113.9'],
  ['outside of the trusted network', ['10.0.0.0/8'], '11.2.3.4', '203.0.113.9', '11.2.3.4'],
  ['nonsense in the header', true, '127.0.0.1', 'unknown', '127.0.0.1'],
] as const)('%s', (_name, trust, peer, forwarded, expected) => {
  expect(new ClientAddress(trust).of(peer, forwarded)).toBe(expected);
});
