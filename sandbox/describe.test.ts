// sandbox.json lists each network's endpoint, tokens and payer as in docs/sandbox.md#sandboxjson, in the terms of that network's tools.

import { expect, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import type { LocalNetwork } from './chains/local-network';
import { describeNetworks, networksDescription } from './describe';

const described = (network: string) => {
  const spec = networkSpec('test', network, 'local');
  const payer = { address: 'PAYER', privateKey: 'KEY' };
  const local = { network, spec, payer, rpcUrl: 'http://127.0.0.1:7' } as LocalNetwork;
  const chains = { networks: new Map([[network, local]]), endpoints: new Map(), stop: () => Promise.resolve() };
  const text = JSON.stringify(describeNetworks(chains));
  return networksDescription.parse(JSON.parse(text))[network];
};

test('an EVM network has a chain id, contracts and a private key', () => {
  expect(described('bsc')).toEqual({
    rpc_url: 'http://127.0.0.1:7',
    chain_id: 31338,
    tokens: {
      USDT: { address: '0x55d398326f99059ff775485246999027b3197955', decimals: 18 },
      USDC: { address: '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', decimals: 18 },
    },
    payer: { address: 'PAYER', private_key: 'KEY' },
  });
});

test('TRON has a full host and base58 contracts', () => {
  expect(described('tron')).toMatchObject({
    full_host: 'http://127.0.0.1:7',
    rpc_url: 'http://127.0.0.1:7',
    tokens: { USDT: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } },
    payer: { address: 'PAYER', private_key: 'KEY' },
  });
});

test('Solana has mints, a secret key and no chain id', () => {
  expect(described('solana')).toMatchObject({
    rpc_url: 'http://127.0.0.1:7',
    chain_id: null,
    tokens: { USDC: { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 } },
    payer: { address: 'PAYER', secret_key: 'KEY' },
  });
});
