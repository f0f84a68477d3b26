import { expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { factoriesOn, forwarderFactories, newFactoryOn } from './factories';

const [ONE, OTHER] = ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA'];
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

it('names the contracts of each network in their order', () => {
  const all = forwarderFactories([`tron@mainnet=${ONE}`, `tron@mainnet=${OTHER}`]);
  expect(factoriesOn(all, networkSpec('live', 'tron', 'public')!)).toEqual([ONE, OTHER]);
  expect(factoriesOn(all, networkSpec('test', 'tron', 'local')!)).toEqual([]);
  expect(forwarderFactories([])).toEqual([]);
});

it('the first entry of a network gives new addresses, which are those of keys in front of the contracts', () => {
  const spec = networkSpec('live', 'tron', 'public')!;
  const newOn = (...entries: string[]) => newFactoryOn(forwarderFactories(entries), spec);
  expect(newOn()).toBe(null);
  expect(newOn(`tron@mainnet=${ONE}`, `tron@mainnet=${OTHER}`)).toBe(ONE);
  expect(newOn('tron@mainnet=keys', `tron@mainnet=${ONE}`)).toBe(null);
  expect(newOn(`tron@testnet=${ONE}`)).toBe(null);
  expect(factoriesOn(forwarderFactories(['tron@mainnet=keys', `tron@mainnet=${ONE}`]), spec)).toEqual([ONE]);
});

it.each([
  ['another family', [`ethereum@mainnet=${ONE}`]],
  ['an unknown chain', [`tron@moon=${ONE}`]],
  ['no address', ['tron@mainnet=']],
  ['an EVM address', ['tron@mainnet=0x7982d9b7cffc2f9f186b06a6c109d593908c3762']],
  ['a wrong checksum', [`tron@mainnet=${ONE.slice(0, -1)}8`]],
  ['a token', [`tron@mainnet=${USDT}`]],
  ['more than an address', [`tron@mainnet=${ONE}=${ONE}`]],
  ['a contract twice', [`tron@mainnet=${ONE}`, `tron@mainnet=${ONE}`]],
  ['one contract for two networks', [`tron@mainnet=${ONE}`, `tron@testnet=${ONE}`]],
])('refuses %s, and repeats no value', (_what, entries) => {
  let message = '';
  try {
    forwarderFactories(entries);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/^(needs|names)/);
  for (const value of [ONE, OTHER, USDT]) expect(message).not.toContain(value);
});
