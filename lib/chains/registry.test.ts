import { describe, expect, it } from 'vitest';
import { readConfig } from '@/lib/config';
import { openTestClock, silentLog } from '@/lib/testing/chain-clock';
import { configuredNetworks, openChains } from './registry';

const deps = { clock: openTestClock(1_760_000_000), log: silentLog() };
const config = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: 'postgresql://app@127.0.0.1/app',
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    ...settings,
  });

describe('the followed chains', () => {
  it('are those with endpoints, each with the row of its environment', () => {
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

  it('are refused by the name of the setting when this version cannot follow them', () => {
    const open = () => openChains(config({ TEST_TRON_URLS: 'https://secret.example/key' }), deps);
    expect(open).toThrow(/TEST_TRON_URLS: this version cannot follow tron/);
    expect(open).not.toThrow(/secret/);
  });

  it('are refused without repeating an entry that is not an address', () => {
    const open = () => openChains(config({ LIVE_BSC_URLS: 'https://a.example ftp://my-key' }), deps);
    expect(open).toThrow(/LIVE_BSC_URLS: entry 2 is not an http or https address/);
    expect(open).not.toThrow(/my-key/);
  });
});
