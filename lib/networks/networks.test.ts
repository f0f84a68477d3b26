// The networks are data: another network of a known family needs one row of the table and nothing else.

import { describe, expect, it } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { silentLog } from '@/testing/chain-clock';
import { startFakeNode, transferLog } from '@/testing/evm/fake-evm-node';
import { T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { networkSpec, NETWORKS, type NetworkSpec } from './networks';
import { openChains } from './registry';

const { run, session, paymentsOf, context, clock } = useWatchedChain();

const BASE: NetworkSpec = {
  network: 'base',
  chain: 'mainnet',
  environment: 'test',
  family: 'evm',
  chainId: 8453,
  genesis: null,
  tokens: { USDC: { contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 } },
  finalityFallback: null,
  blockTimeMarginSeconds: 312,
  feeCap: 2n * 10n ** 15n,
  gasPrices: { leastTip: 1_000_000n, mostTip: 10n ** 9n, mostPrice: 10n * 10n ** 9n },
  blockMs: 2000,
  confirmations: 64,
  explorer: 'https://basescan.org/tx/{hash}',
  endpoints: ['https://mainnet.base.org'],
};

describe('a network added as one row', () => {
  const table = [...NETWORKS, { ...BASE, chain: 'local' as const }];

  it('gets its settings, is scanned, and completes a session with a payment', async () => {
    const usdc = BASE.tokens.USDC!.contract;
    const node = await startFakeNode({ chainId: 8453, decimals: { [usdc]: 6 }, time: T0 });
    const settings = readConfig({
      DATABASE_URL: 'postgresql://app@127.0.0.1/app',
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
      TEST_BASE_URLS: node.url,
      TEST_CHAINS: 'local',
    });
    const [chain, ...others] = openChains(settings, { clock, log: silentLog() }, table);
    expect([chain?.network, others]).toEqual(['base', []]);
    await run(watchStep(chain!));

    const { id, address } = await session(['base']);
    node.mine([{ logs: [transferLog(usdc, '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', address, 12_340_000n)] }]);
    await run(watchStep(chain!), context());
    expect(await paymentsOf(id)).toMatchObject({
      status: 'completed',
      transfers: [{ network: 'base', amount: '12340000', currency: 'USDC', decimals: 6 }],
    });
    await node.close();
  });

  it('is refused if another chain answers at its endpoint', async () => {
    const node = await startFakeNode({ chainId: 10, decimals: {}, time: T0 });
    const settings = readConfig({
      DATABASE_URL: 'postgresql://app@127.0.0.1/app',
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
      TEST_BASE_URLS: node.url,
      TEST_CHAINS: 'local',
    });
    const [chain] = openChains(settings, { clock, log: silentLog() }, table);
    await chain!.endpoints.check();
    expect(chain!.endpoints.health()).toMatchObject([
      {
        position: 1,
        state: 'refused',
        message: 'endpoint 1 does not serve base (local): its chain id is 10 instead of 8453',
      },
    ]);
    await node.close();
  });
});

describe('the networks table', () => {
  it.each(['tron', 'ethereum', 'bsc', 'solana'])('has USDT and USDC on mainnet for %s', (network) => {
    expect(Object.keys(networkSpec('live', network, 'public')?.tokens ?? {})).toEqual(
      expect.arrayContaining(['USDT', 'USDC']),
    );
  });

  it('has one row for each network, chain and environment', () => {
    const names = NETWORKS.map(({ network, chain, environment }) => `${environment} ${network} ${chain}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { network, environment, chain } of NETWORKS) {
      const row = networkSpec(environment, network, chain === 'local' ? 'local' : 'public');
      expect(row?.chain).toBe(chain);
    }
  });

  it('contains only encrypted public endpoints, and none of a local chain', () => {
    for (const { endpoints, chain } of NETWORKS) {
      expect(endpoints.every((url) => new URL(url).origin === url && url.startsWith('https://'))).toBe(true);
      expect(endpoints.length > 0).toBe(chain !== 'local');
    }
  });
});
