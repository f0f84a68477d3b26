// The links from the wallets' own documentation, character by character.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { walletLinks, type LinkedPayment } from './links';

const EVM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const SOLANA = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';
const TRON = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const pageUrl = 'https://pay.example/pay/cs_live_1?method=tron-USDT';

const payment = (network: string, over: Partial<LinkedPayment> = {}): LinkedPayment => ({
  spec: networkSpec('live', network, 'public')!,
  currency: 'USDT',
  recipient: network === 'tron' ? TRON : network === 'solana' ? SOLANA : EVM,
  units: network === 'bsc' ? 12_340_000_000_000_000_000n : 12_340_000n,
  amount: '12.34',
  pageUrl,
  ...over,
});
const hrefs = (one: LinkedPayment) => Object.fromEntries(walletLinks(one).map(({ id, href }) => [id, href]));

describe('links that fill in the payment', () => {
  test('MetaMask gets token, chain, address and base units', () => {
    expect(hrefs(payment('ethereum')).metamask).toBe(
      `https://link.metamask.io/send/0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=${EVM}&uint256=12340000`,
    );
    expect(hrefs(payment('bsc', { currency: 'USDC' })).metamask).toBe(
      `https://link.metamask.io/send/0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d@56/transfer?address=${EVM}&uint256=12340000000000000000`,
    );
  });

  test.each([
    ['ethereum', 'USDT', 'c60_t0xdAC17F958D2ee523a2206206994597C13D831ec7', EVM],
    ['ethereum', 'USDC', 'c60_t0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', EVM],
    ['bsc', 'USDT', 'c20000714_t0x55d398326f99059fF775485246999027B3197955', EVM],
    ['bsc', 'USDC', 'c20000714_t0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', EVM],
    ['tron', 'USDT', 'c195_tTR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', TRON],
    ['solana', 'USDT', 'c501_tEs9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', SOLANA],
    ['solana', 'USDC', 'c501_tEPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', SOLANA],
  ])('Trust Wallet on %s gets %s by its own name', (network, currency, asset, address) => {
    expect(hrefs(payment(network, { currency })).trust).toBe(
      `https://link.trustwallet.com/send?asset=${asset}&address=${address}&amount=12.34`,
    );
  });

  test('Trust Wallet, which knows main networks only, is not offered elsewhere', () => {
    const spec = networkSpec('test', 'ethereum', 'local')!;
    expect(walletLinks(payment('ethereum', { spec })).map(({ id }) => id)).toEqual(['metamask', 'okx', 'coinbase']);
  });
});

describe('links that open the page in the wallet', () => {
  const encoded = encodeURIComponent(pageUrl);

  test('TronLink gets a request to open it', () => {
    const { tronlink } = hrefs(payment('tron'));
    expect(tronlink).toMatch(/^tronlinkoutside:\/\/pull\.activity\?param=/);
    expect(JSON.parse(decodeURIComponent(tronlink!.split('param=')[1]!))).toEqual({
      url: pageUrl,
      action: 'open',
      protocol: 'TronLink',
      version: '1.0',
    });
  });

  test('Phantom, OKX and Coinbase get its URL, encoded once for each layer', () => {
    expect(hrefs(payment('solana')).phantom).toBe(
      `https://phantom.app/ul/browse/${encoded}?ref=https%3A%2F%2Fpay.example`,
    );
    expect(hrefs(payment('bsc')).coinbase).toBe(`https://go.cb-w.com/dapp?cb_url=${encoded}`);
    const okx = new URL(hrefs(payment('tron')).okx!);
    expect(`${okx.origin}${okx.pathname}`).toBe('https://web3.okx.com/download');
    expect(okx.searchParams.get('deeplink')).toBe(`okx://wallet/dapp/url?dappUrl=${encoded}`);
  });

  test('text in the page’s URL never adds a parameter to a link', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (query) => {
        const hostile = `https://pay.example/pay/x?${query}&address=evil`;
        for (const network of ['ethereum', 'tron', 'solana']) {
          for (const { kind, href } of walletLinks(payment(network, { pageUrl: hostile }))) {
            if (kind === 'opens_page') expect(href).not.toMatch(/[?&]address=|#/);
          }
        }
      }),
    );
  });
});

test('a token that the network does not have has no links', () => {
  expect(() => walletLinks(payment('bsc', { currency: 'DAI' }))).toThrow(RangeError);
});
