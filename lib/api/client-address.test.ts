import { expect, test } from 'vitest';
import { addressBehind, clientAddress, clientHeader, isLoopback } from './client-address';

test.each([
  ['without trusted proxies nothing but the socket counts', '198.51.100.7', ['203.0.113.1'], [], '198.51.100.7'],
  ['behind a trusted proxy the hop that it added counts', '10.0.0.2', ['203.0.113.1'], ['10.0.0.0/8'], '203.0.113.1'],
  ['what a stranger put in front is not reached', '10.0.0.2', ['1.1.1.1, 203.0.113.1'], ['10.0.0.0/8'], '203.0.113.1'],
  ['several trusted proxies are walked through', '10.0.0.2', ['203.0.113.1, 10.9.9.9'], ['10.0.0.0/8'], '203.0.113.1'],
  [
    'a peer that is no trusted proxy cannot speak for others',
    '198.51.100.7',
    ['203.0.113.1'],
    ['10.0.0.0/8'],
    '198.51.100.7',
  ],
  [
    'a port that a proxy wrote is no part of it',
    '10.0.0.2',
    ['1.1.1.1, 203.0.113.1:4711'],
    ['10.0.0.0/8'],
    '203.0.113.1',
  ],
  ['nor of an IPv6 address', '10.0.0.2', ['1.1.1.1, [2001:db8::7]:4711'], ['10.0.0.0/8'], '2001:db8::7'],
  ['a hop that cannot be read ends the walk', '10.0.0.2', ['1.1.1.1, unknown'], ['10.0.0.0/8'], '10.0.0.2'],
  ['garbage in the header is passed over', '10.0.0.2', ['unknown, <script>'], ['10.0.0.0/8'], '10.0.0.2'],
])('%s', (_, peer, forwarded, trusted, expected) => {
  expect(addressBehind(peer, forwarded, trusted)).toBe(expected);
});

test('every spelling of this machine is loopback, and no other address is', () => {
  expect(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true);
  expect(['10.0.0.1', '::', '', 'localhost', '1.2.3.4'].some(isLoopback)).toBe(false);
});

test('a handler learns the address that this process determined, and believes no header that a client sent', () => {
  const own = clientHeader('203.0.113.9');
  expect(clientAddress(new Headers(own))).toBe('203.0.113.9');
  const [[name = '', value = ''] = []] = Object.entries(own);
  const [token = ''] = value.split(' ');
  for (const forged of ['', '203.0.113.9', ' 203.0.113.9', 'x 203.0.113.9', `${token.slice(1)} 203.0.113.9`]) {
    const headers = new Headers({ [name]: forged, 'x-forwarded-for': '127.0.0.1' });
    expect([forged, clientAddress(headers)]).toEqual([forged, '']);
  }
});
