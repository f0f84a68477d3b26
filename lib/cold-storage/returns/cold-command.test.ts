// The wallets of a return: the cold wallet only where settings and signer name the same one, and the signer's refund wallet.

import { describe, expect, it } from 'vitest';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { walletsBy } from './cold-command';
import { wantedOf } from './request';

const COLD = '0xC0c0c0c0C0c0c0c0C0C0c0C0c0C0c0C0c0c0c0C0';
const REFUND = '0xAbabaBABABabABabAbaBABabaBABABabABaBAbab';
const spec = NETWORKS.find((row) => row.network === 'ethereum' && row.chain === 'mainnet') as NetworkSpec;
const accounts = { evm: REFUND, tron: 'T', solana: 'S' };
const wallets = { live: accounts, test: { ...accounts, evm: '0x' } };
const by = (entries: readonly string[], coldWallets?: Record<string, string>) => () =>
  walletsBy([...entries], { environment: 'live', spec }, { wallets, ...(coldWallets ? { coldWallets } : {}) });

describe('the wallets of a return', () => {
  it('are the pinned cold wallet and the refund wallet of the environment, as they are compared', () => {
    const name = 'ethereum@mainnet';
    const found = by([`${name}=${COLD}`], { [name]: COLD.toLowerCase() })();
    expect(found).toEqual({ cold: COLD.toLowerCase(), refund: REFUND.toLowerCase() });
  });

  it.each([
    ['no cold wallet is set', by([], { 'ethereum@mainnet': COLD }), /COLD_WALLETS names no/],
    ['the signer has pinned no wallet', by([`ethereum@mainnet=${COLD}`]), /signer has pinned/],
    [
      'the signer has pinned another one',
      by([`ethereum@mainnet=${COLD}`], { 'ethereum@mainnet': REFUND }),
      /signer has pinned/,
    ],
    ['only another chain has one', by([`ethereum@local=${COLD}`], { 'ethereum@local': COLD }), /COLD_WALLETS names no/],
  ])('are refused where %s', (_, wallets_, why) => {
    expect(wallets_).toThrow(why);
  });
});

describe('an amount in whole tokens', () => {
  it.each([
    ['1500', 1_500_000_000n],
    ['0.25', 250_000n],
    ['0.000001', 1n],
    ['1.5000000000', 1_500_000n],
  ])('%s is exact', (text, amount) => {
    expect(wantedOf(spec, 'USDT', text)).toEqual({ currency: 'USDT', amount });
  });

  it.each(['0', '0.0', '-1', '1,5', '0.0000001', 'all', '', '1e', '0x10'])('refuses %j', (text) => {
    expect(() => wantedOf(spec, 'USDT', text)).toThrow(/is not an amount/);
  });

  it.each(['DAI', 'toString'])('refuses the token %s', (currency) => {
    expect(() => wantedOf(spec, currency, '1')).toThrow(/has no/);
  });
});
