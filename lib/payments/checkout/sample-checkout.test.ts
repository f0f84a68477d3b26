// The sample payment of the branding preview renders like a real one and never requests real money.

import { describe, expect, test } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { stageOf } from './stage';
import { viewCheckout } from './view';
import { sampleFacts, sampleReceipt } from './sample-checkout';

const NOW = 1_800_000_000;
const SETTINGS = {
  DATABASE_URL: 'postgresql://nowhere',
  MASTER_KEYS: `1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64')}`,
};
const LIVE = {
  LIVE_ETHEREUM_URLS: 'http://127.0.0.1:1',
  LIVE_TRON_URLS: 'http://127.0.0.1:1',
  LIVE_SOLANA_URLS: 'http://127.0.0.1:1',
};
const TEST = { TEST_CHAINS: 'local', TEST_BSC_URLS: 'http://127.0.0.1:1' };
const branding = {
  brand_color: '#0f766e',
  theme: 'auto',
  support_contact: 'help@shop.example',
  embed_origins: [],
  logo_hash: null,
  logo_width: null,
  logo_height: null,
} as const;
const store = { name: 'Noor Tea', website: 'https://shop.example', branding };

const sample = (settings: object) => ({ store, config: readConfig({ ...SETTINGS, ...settings }), now: NOW });
const viewOf = (settings: object, isPaid: boolean) => {
  const one = sample(settings);
  return viewCheckout(sampleFacts({ ...one, isPaid }), one.config, NOW);
};

describe.each([
  ['test and live networks', { ...LIVE, ...TEST }, 'test'],
  ['live networks only', LIVE, 'live'],
])('the sample payment with %s', (_, settings, environment) => {
  test('waits for the customer on every offered network, the test environment first', () => {
    const view = viewOf(settings, false);
    expect([stageOf(view), view.facts.environment]).toEqual(['pay', environment]);
    expect(view.methods.length).toBe(view.facts.networks.length);
    expect(new Set(view.methods.map(({ amount }) => amount))).toEqual(new Set(['51.67']));
  });

  test('is paid in full by one final payment, which its receipt lists', () => {
    const view = viewOf(settings, true);
    expect(stageOf(view)).toBe('paid');
    expect(view.seen).toMatchObject([{ amount: '51.67', final: true, verdict: 'counts' }]);
    const receipt = sampleReceipt(sample(settings));
    expect(receipt).toMatchObject({
      storeName: 'Noor Tea',
      contact: 'help@shop.example',
      brand: { brandColor: '#0f766e', theme: 'auto' },
      paid: [{ amount: '51.67', currency: 'USDT' }],
      order: { price: { amount: '44.80', currency: 'EUR' } },
    });
    expect(receipt.transactions.length).toBe(1);
  });
});

test('without any network the sample payment shows that it cannot be paid', () => {
  expect(stageOf(viewOf({}, false))).toBe('unavailable');
});
