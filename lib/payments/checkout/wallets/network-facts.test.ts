// The facts of networks that payers see before they choose.

import { describe, expect, test } from 'vitest';
import { networkFacts, networkSpec } from '@/lib/networks/networks';
import { blockSeconds, cheapestOf, fastestOf, feeOf, displayedWait, secondsToConfirm } from './network-facts';

const live = (network: string) => networkSpec('live', network, 'public')!;

describe('the facts of networks', () => {
  test('are null for a network without a row and for a name from Object.prototype', () => {
    expect(networkFacts('dogecoin')).toBeNull();
    expect(networkFacts('constructor')).toBeNull();
  });

  test('the time to confirmation is the required blocks times the time between blocks', () => {
    expect(['tron', 'ethereum', 'bsc', 'solana'].map((one) => Math.round(secondsToConfirm(live(one))))).toEqual([
      57, 768, 1, 13,
    ]);
    expect(blockSeconds({ blockMs: 3000, chain: 'local' })).toBe(0.5);
  });

  test.each([
    [0, 'seconds', 5],
    [12.8, 'seconds', 15],
    [55, 'seconds', 55],
    [57, 'minutes', 1],
    [61, 'minutes', 2],
    [768, 'minutes', 13],
  ])('a wait of %d seconds is shown as %s, %d', (seconds, unit, count) => {
    expect(displayedWait(seconds)).toEqual({ unit, count });
  });
});

describe('the fee', () => {
  const NOW = 1_800_000_000;

  test('is the fee reported within the last quarter of an hour, never less', () => {
    const reported = { fee: '13373500', fee_read_at: NOW - 900 };
    expect(feeOf('tron', reported, NOW)).toEqual({ from: '13.4', to: null });
    expect(feeOf('bsc', { fee: '3150000000000', fee_read_at: NOW }, NOW)).toEqual({ from: '0.00000315', to: null });
    expect(feeOf('solana', { fee: '2044280', fee_read_at: NOW }, NOW)).toEqual({ from: '0.00205', to: null });
    expect(feeOf('ethereum', { fee: '9', fee_read_at: NOW }, NOW)).toEqual({ from: '0.000000000000000009', to: null });
    expect(feeOf('ethereum', { fee: '0', fee_read_at: NOW }, NOW)).toEqual({ from: '0', to: null });
  });

  test('is the usual fee without a recent report, and null for an unknown network', () => {
    const usual = networkFacts('tron')?.usualFee;
    expect(feeOf('tron', undefined, NOW)).toEqual(usual);
    expect(feeOf('tron', { fee: null, fee_read_at: null }, NOW)).toEqual(usual);
    expect(feeOf('tron', { fee: '1', fee_read_at: NOW - 901 }, NOW)).toEqual(usual);
    expect(feeOf('dogecoin', { fee: '1', fee_read_at: NOW }, NOW)).toBeNull();
  });
});

describe('the badges', () => {
  test('cheapest is the network that is cheaper than each other one whatever the prices', () => {
    expect(cheapestOf(['ethereum', 'bsc', 'tron', 'solana'])).toBe('bsc');
    expect(cheapestOf(['tron', 'solana'])).toBe('solana');
  });

  test('no network is marked when it depends on prices, one is unknown, or there is no choice', () => {
    expect(cheapestOf(['ethereum', 'tron'])).toBeNull();
    expect(cheapestOf(['bsc', 'dogecoin'])).toBeNull();
    expect(cheapestOf(['bsc'])).toBeNull();
    expect(fastestOf([live('bsc')])).toBeNull();
    expect(fastestOf([live('bsc'), live('bsc')])).toBeNull();
  });

  test('fastest is the network on which a payment counts first', () => {
    expect(fastestOf(['ethereum', 'tron', 'solana'].map(live))).toBe('solana');
    expect(fastestOf(['ethereum', 'tron', 'bsc', 'solana'].map(live))).toBe('bsc');
  });
});
