import { expect, test } from 'vitest';
import { testConfig } from '@/testing/fixtures';
import { countsTowards, decimalsIn, tokensOn } from './tokens';

/** Local chains on Ethereum and BSC; TRON has no endpoint. On TRON's mainnet USDC is discontinued. */
const config = testConfig();
const LIVE = { LIVE_TRON_URLS: 'https://node.example', LIVE_ETHEREUM_URLS: 'https://node.example' };
const withTron = testConfig(LIVE);
const withTronUsdc = testConfig({ ...LIVE, OFFER_TRON_USDC: 'on' });

test('refunds are paid out in the offered tokens, without one that is discontinued unless the operator offers it', () => {
  expect(tokensOn(config, 'test')('ethereum')).toEqual(['USDT', 'USDC']);
  expect(tokensOn(withTron, 'live')('tron')).toEqual(['USDT']);
  expect(tokensOn(withTronUsdc, 'live')('tron')).toEqual(['USDT', 'USDC']);
  // Each environment has its own tokens on a network of the same name.
  expect(tokensOn(withTron, 'test')('tron')).toEqual(['USDT', 'USDC']);
});

test('a network without endpoints keeps its tokens, so that a refund waits instead of failing', () => {
  expect(tokensOn(config, 'live')('tron')).toEqual(['USDT']);
  expect(tokensOn(config, 'live')('ethereum')).toEqual(['USDT', 'USDC']);
  expect(tokensOn(config, 'test')('no-such-network')).toEqual([]);
});

test('decimals are those of the networks table in that environment, and an unknown token has none', () => {
  const decimalsOf = decimalsIn(config, 'test');
  expect(decimalsOf({ network: 'ethereum', currency: 'USDT' })).toBe(6);
  expect(decimalsIn(config, 'live')({ network: 'bsc', currency: 'USDT' })).toBe(18);
  expect(() => decimalsOf({ network: 'ethereum', currency: 'DAI' })).toThrow(
    /DAI on ethereum is not in the networks table/,
  );
  expect(() => decimalsOf({ network: 'no-such-network', currency: 'USDT' })).toThrow(/is not in the networks table/);
});

test('all offered tokens count towards a refund in one of them', () => {
  const counts = countsTowards(withTron, { environment: 'live', network: 'ethereum', currency: 'USDT' });
  expect(counts({ network: 'bsc', currency: 'USDC' })).toBe(true);
  expect(counts({ network: 'ethereum', currency: 'DAI' })).toBe(false);
  expect(counts({ network: 'tron', currency: 'USDC' })).toBe(false);
});

test('only itself counts towards a refund in a token that is not offered: a worthless token covers no other', () => {
  const counts = countsTowards(withTron, { environment: 'live', network: 'tron', currency: 'USDC' });
  expect(counts({ network: 'tron', currency: 'USDC' })).toBe(true);
  expect(counts({ network: 'tron', currency: 'USDT' })).toBe(false);
  expect(counts({ network: 'ethereum', currency: 'USDC' })).toBe(false);
});
