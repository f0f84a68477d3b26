import { describe, expect, it } from 'vitest';
import { networkSpec, NETWORKS } from './networks';
import { displayAddress, explorerUrl, paymentUri, solanaReference } from './payment-uri';

const ethereum = networkSpec('live', 'ethereum', 'public')!;
const bsc = networkSpec('live', 'bsc', 'public')!;
const recipient = '0x9858effd232b4033e47d90003d41ec34ecaeda94';

describe('payment URIs', () => {
  it('follow EIP-681 with checksummed addresses and base units (the published examples)', () => {
    expect(paymentUri({ spec: ethereum, currency: 'USDT', recipient, amount: 12_340_000n })).toBe(
      'ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=0x9858EfFD232B4033E47d90003D41EC34EcaEda94&uint256=12340000',
    );
    expect(paymentUri({ spec: bsc, currency: 'USDT', recipient, amount: 12_340_000_000_000_000_000n })).toBe(
      'ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=0x9858EfFD232B4033E47d90003D41EC34EcaEda94&uint256=12340000000000000000',
    );
  });

  it('throw for a token that the network does not have', () => {
    expect(() => paymentUri({ spec: ethereum, currency: 'DAI', recipient, amount: 1n })).toThrow(RangeError);
  });

  it('are the bare address on TRON and contain whole tokens on Solana', () => {
    const tron = { ...ethereum, family: 'tron' } as const;
    expect(paymentUri({ spec: tron, currency: 'USDT', recipient: 'TVj7', amount: 1n })).toBe('TVj7');
    const solana = { ...ethereum, family: 'solana', tokens: { USDC: { contract: 'EPjF', decimals: 6 } } } as const;
    const uri = (amount: bigint) => paymentUri({ spec: solana, currency: 'USDC', recipient: 'HAgk', amount });
    expect(uri(12_340_000n)).toBe('solana:HAgk?amount=12.34&spl-token=EPjF');
    expect(uri(10_000n)).toBe('solana:HAgk?amount=0.01&spl-token=EPjF');
    expect(uri(5_000_000n)).toBe('solana:HAgk?amount=5&spl-token=EPjF');
  });

  it('contain the session’s own key and the encoded shop name with Solana Pay', () => {
    const spec = networkSpec('live', 'solana', 'public')!;
    const to = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';
    const uri = (label: string) =>
      paymentUri({
        spec,
        currency: 'USDC',
        recipient: to,
        amount: 12_340_000n,
        solanaPay: { reference: solanaReference('cs_live_1'), label },
      });
    const plain = `solana:${to}?amount=12.34&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v&reference=${solanaReference('cs_live_1')}`;
    expect(uri('My Shop')).toBe(`${plain}&label=My%20Shop`);
    expect(uri('a&recipient=b#c\u{d800}')).toBe(`${plain}&label=a%26recipient%3Db%23c`);
    expect(solanaReference('cs_live_1')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    expect(solanaReference('cs_live_2')).not.toBe(solanaReference('cs_live_1'));
  });
});

it('displays an address with its checksum', () => {
  expect(displayAddress('evm', recipient)).toBe('0x9858EfFD232B4033E47d90003D41EC34EcaEda94');
});

it("links a transaction to the network's explorer if there is one", () => {
  expect(explorerUrl(bsc, '0xab')).toBe('https://bscscan.com/tx/0xab');
  expect(explorerUrl(networkSpec('test', 'bsc', 'local')!, '0xab')).toBeNull();
});

const WRITTEN = {
  evm: /^0x[0-9a-f]{40}$/,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{43,44}$/,
};

it('every network row stores contracts in the form in which they are compared', () => {
  for (const { tokens, chain, genesis, family } of NETWORKS) {
    for (const { contract } of Object.values(tokens)) expect(contract).toMatch(WRITTEN[family]);
    expect(genesis === null).toBe(chain === 'local');
  }
});
