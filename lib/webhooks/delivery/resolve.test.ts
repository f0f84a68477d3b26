// Names resolved by name servers. Node's resolver is replaced, because no name server is reachable from a test.

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { PrivateAddress, UnsafeAddress } from './address-guard';
import { checkWebhookUrl, resolveSafely, type Lookup } from './resolve';

const servers = vi.hoisted(() => ({
  options: [] as unknown[],
  a: async (_: string): Promise<string[]> => [],
  aaaa: async (_: string): Promise<string[]> => [],
}));
vi.mock('node:dns/promises', () => ({
  Resolver: class {
    constructor(options: unknown) {
      servers.options.push(options);
    }
    resolve4 = (name: string) => servers.a(name);
    resolve6 = (name: string) => servers.aaaa(name);
  },
}));

const far = { toLoopback: false };
const near = { toLoopback: true };
const fails = (message: string) => async (): Promise<string[]> => {
  throw new Error(message);
};
const shop = new URL('https://shop.example.com/');

beforeEach(() => {
  servers.options.length = 0;
  servers.a = async () => ['93.184.216.34'];
  servers.aaaa = async () => ['2606:2800:220:1::1'];
});

describe('the name servers of this machine', () => {
  test('receive a query for each kind of address of exactly this name, with two tries of three seconds', async () => {
    const names: string[] = [];
    servers.a = async (name) => (names.push(`A ${name}`), ['93.184.216.34']);
    servers.aaaa = async (name) => (names.push(`AAAA ${name}`), ['2606:2800:220:1::1']);
    expect(await resolveSafely(shop, far)).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ]);
    expect(names).toEqual(['A shop.example.com', 'AAAA shop.example.com']);
    expect(servers.options).toEqual([{ timeout: 3000, tries: 2 }]);
  });

  test('may know only one kind', async () => {
    servers.aaaa = fails('no AAAA');
    expect(await resolveSafely(shop, far)).toEqual([{ address: '93.184.216.34', family: 4 }]);
    [servers.a, servers.aaaa] = [fails('no A'), async () => ['2606:2800:220:1::1']];
    expect(await resolveSafely(shop, far)).toEqual([{ address: '2606:2800:220:1::1', family: 6 }]);
  });

  test('that know neither give no address, which is not a refusal', async () => {
    [servers.a, servers.aaaa] = [fails('no A'), fails('no AAAA')];
    await expect(resolveSafely(shop, far)).rejects.toThrow('no A');
    [servers.a, servers.aaaa] = [async () => [], async () => []];
    await expect(resolveSafely(shop, far)).rejects.toThrow('the name has no address');
    await expect(resolveSafely(shop, far)).rejects.not.toBeInstanceOf(UnsafeAddress);
  });

  test('receive no query for an address, nor for the name of this machine', async () => {
    expect(await resolveSafely(new URL('https://1.1.1.1/'), far)).toEqual([{ address: '1.1.1.1', family: 4 }]);
    expect(await resolveSafely(new URL('https://[2606:4700::1111]/'), far)).toEqual([
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await resolveSafely(new URL('http://localhost:3000/'), near)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(servers.options).toEqual([]);
  });
});

describe('of all names', () => {
  const lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];

  test('only localhost leads to this machine, and only where that is allowed', async () => {
    expect(await resolveSafely(new URL('http://localhost/'), near, lookup)).toHaveLength(1);
    await expect(resolveSafely(new URL('http://localhost/'), far, lookup)).rejects.toBeInstanceOf(PrivateAddress);
    await expect(resolveSafely(shop, near, lookup)).rejects.toBeInstanceOf(PrivateAddress);
  });

  test('and addresses, the one of this machine is dialled only where that is allowed', async () => {
    const url = new URL('http://127.0.0.1:3000/');
    expect(await resolveSafely(url, near)).toEqual([{ address: '127.0.0.1', family: 4 }]);
    await expect(resolveSafely(url, far)).rejects.toBeInstanceOf(PrivateAddress);
  });
});

test('sixteen addresses of a name are used, but one forbidden address after them still refuses it', async () => {
  const addresses = Array.from({ length: 20 }, (_, n) => `93.184.216.${n + 1}`);
  servers.a = async () => addresses;
  const used = await resolveSafely(shop, far);
  expect(used.map(({ address }) => address)).toEqual(addresses.slice(0, 16));
  servers.a = async () => [...addresses, '10.0.0.1'];
  await expect(resolveSafely(shop, far)).rejects.toBeInstanceOf(PrivateAddress);
});

describe('a URL that is saved', () => {
  test('is stored in its normal form', async () => {
    expect(await checkWebhookUrl('HTTPS://Shop.Example.COM:443/Hook', far)).toBe('https://shop.example.com/Hook');
  });

  test('must resolve now, and its refusal keeps the cause for the log', async () => {
    [servers.a, servers.aaaa] = [fails('no A'), fails('no AAAA')];
    const refused = checkWebhookUrl(shop.href, far);
    await expect(refused).rejects.toBeInstanceOf(UnsafeAddress);
    await expect(refused).rejects.toMatchObject({
      message: 'The host name of the URL could not be resolved.',
      cause: expect.objectContaining({ message: 'no A' }),
    });
  });

  test('that leads into a private network is refused as such', async () => {
    servers.a = async () => ['10.0.0.1'];
    await expect(checkWebhookUrl(shop.href, far)).rejects.toBeInstanceOf(PrivateAddress);
  });
});
