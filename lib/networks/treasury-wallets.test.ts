import { describe, expect, it } from 'vitest';
import { networkSpec } from './networks';
import { presentTreasuries, treasuryWallets } from './treasury-wallets';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('TREASURY_WALLETS', () => {
  it('names no wallet by default', () => {
    expect(treasuryWallets([])).toEqual([]);
  });

  it('finds the network and writes the address as the database does', () => {
    const [wallet] = treasuryWallets([`ethereum@mainnet=${WALLET}`]);
    expect(wallet?.spec.network).toBe('ethereum');
    expect(wallet?.spec.environment).toBe('live');
    expect(wallet?.address).toBe(WALLET.toLowerCase());
  });

  it('refuses an unknown network and text without an address', () => {
    expect(() => treasuryWallets([`ethereum=${WALLET}`])).toThrow('needs entries like');
    expect(() => treasuryWallets(['ethereum@mainnet'])).toThrow('not a wallet');
    expect(() => treasuryWallets([`ethereum@mainnet=${WALLET}=1`])).toThrow('needs entries like');
  });

  it('refuses an address of another family, the zero address and a token contract', () => {
    const token = networkSpec('live', 'ethereum', 'public')?.tokens.USDT?.contract ?? '';
    for (const address of ['TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', `0x${'0'.repeat(40)}`, token])
      expect(() => treasuryWallets([`ethereum@mainnet=${address}`])).toThrow('not a wallet');
  });

  it('takes the first wallet of a network as its treasury, and others as former ones', () => {
    const former = `0x${'ab'.repeat(20)}`;
    const wallets = treasuryWallets([
      `ethereum@mainnet=${WALLET}`,
      `ethereum@mainnet=${former}`,
      `bsc@mainnet=${former}`,
    ]);
    expect(wallets).toHaveLength(3);
    expect(presentTreasuries(wallets).map(({ spec, address }) => [spec.network, address])).toEqual([
      ['ethereum', WALLET.toLowerCase()],
      ['bsc', former],
    ]);
  });

  it('refuses a wallet that is named twice', () => {
    const twice = [`ethereum@mainnet=${WALLET}`, `ethereum@mainnet=${WALLET}`];
    expect(() => treasuryWallets(twice)).toThrow('twice');
  });
});
