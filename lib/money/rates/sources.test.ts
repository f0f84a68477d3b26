import { expect, test } from 'vitest';
import { testConfig } from '@/testing/fixtures';
import { PROVIDERS, rateSources } from './sources';

const of = (setting: string) => rateSources(testConfig({ RATE_SOURCES: setting }));

test('every provider is registered under its own name', () => {
  for (const [name, provider] of Object.entries(PROVIDERS)) expect(provider.source).toBe(name);
});

test('a source is requested at its usual address, or at the configured one', () => {
  const addresses = of('kraken er-api=http://127.0.0.1:9').map(({ provider, url }) => [provider.source, url]);
  expect(addresses).toEqual([
    ['kraken', `https://api.kraken.com${PROVIDERS.kraken.path}`],
    ['er-api', 'http://127.0.0.1:9/v6/latest/USD'],
  ]);
});

test('an unknown source is refused by name', () => {
  const sources = [{ name: 'oracle', address: null }] as unknown as Parameters<typeof rateSources>[0]['RATE_SOURCES'];
  expect(() => rateSources({ RATE_SOURCES: sources })).toThrow(/there is no source "oracle"/);
});
