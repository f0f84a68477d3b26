import { describe, expect, it } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { configuredNetworks, offers, openChains } from './registry';

const deps = { clock: openTestClock(1_760_000_000), log: silentLog() };
const config = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: 'postgresql://app@127.0.0.1/app',
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    ...settings,
  });

describe('followed chains', () => {
  it('are the networks with endpoints, each with the row of its environment', () => {
    const settings = config({
      LIVE_ETHEREUM_URLS: 'https://a.example/key,https://b.example',
      TEST_BSC_URLS: 'http://127.0.0.1:1',
      TEST_CHAINS: 'local',
    });
    const chains = openChains(settings, deps);
    expect(chains.map(({ environment, network, spec }) => [environment, network, spec.chainId])).toEqual([
      ['live', 'ethereum', 1],
      ['test', 'bsc', 31338],
    ]);
    expect(configuredNetworks(settings)).toEqual(chains.map(({ spec }) => spec));
  });

  it('are the public test networks unless the test environment is local', () => {
    expect(openChains(config({ TEST_BSC_URLS: 'https://a.example' }), deps)[0]?.spec.chainId).toBe(97);
  });

  it('are refused with the setting’s name if the network does not exist', () => {
    const open = () => openChains(config({ TEST_ETHERIUM_URLS: 'https://secret.example/key' }), deps);
    expect(open).toThrow(/TEST_ETHERIUM_URLS: there is no network of this name/);
    expect(open).not.toThrow(/secret/);
  });

  it('can use the table’s public endpoints, alone or after others', async () => {
    const settings = config({ LIVE_BSC_URLS: 'https://mine.example default', LIVE_TRON_URLS: 'default' });
    const counts = openChains(settings, deps).map(({ network, endpoints }) => [network, endpoints.health().length]);
    expect(counts).toEqual([
      ['bsc', 3],
      ['tron', 1],
    ]);
  });

  it('are refused if the network has no public endpoints', () => {
    const open = () => openChains(config({ TEST_BSC_URLS: 'default', TEST_CHAINS: 'local' }), deps);
    expect(open).toThrow(/TEST_BSC_URLS: there are no public endpoints of bsc for `default`/);
  });

  it('are refused without repeating an entry that is not a URL', () => {
    const open = () => openChains(config({ LIVE_BSC_URLS: 'https://a.example ftp://my-key' }), deps);
    expect(open).toThrow(/LIVE_BSC_URLS: entry 2 is not an http or https address/);
    expect(open).not.toThrow(/my-key/);
  });
});

describe('offered tokens', () => {
  const offered = (settings: Record<string, string>) =>
    offers(config(settings)).map(({ spec, currencies, withheld }) => [spec.network, currencies, withheld]);

  it('include every token of a configured network except disabled ones, which have a reason', () => {
    const settings = { LIVE_TRON_URLS: 'default', LIVE_BSC_URLS: 'default' };
    expect(offered(settings)).toEqual([
      ['bsc', ['USDT', 'USDC'], []],
      ['tron', ['USDT'], [{ currency: 'USDC', reason: 'discontinued' }]],
    ]);
    expect(offered({ ...settings, OFFER_TRON_USDC: 'on' })[1]).toEqual(['tron', ['USDT', 'USDC'], []]);
  });

  it('include the tokens of local chains, which are not discontinued', () => {
    expect(offered({ TEST_TRON_URLS: 'http://127.0.0.1:1', TEST_CHAINS: 'local' })).toEqual([
      ['tron', ['USDT', 'USDC'], []],
    ]);
  });
});
