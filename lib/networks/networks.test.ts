// The networks are data. A network that is off is followed and presented nowhere; naming its endpoints switches it on.

import { describe, expect, it, test } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { silentLog } from '@/testing/chain-clock';
import { startFakeNode, transferLog } from '@/testing/evm/fake-evm-node';
import { T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { chainsOfRow, networkSpec, NETWORKS, type NetworkRow, type NetworkSpec } from './networks';
import { openChains, presentedNetworks } from './registry';
import { EVM_ROWS } from './rows/evm';

const { run, session, paymentsOf, context, clock } = useWatchedChain();

const CHAIN_ID = 424242;
const TOKEN = { contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 };
/** Every fact of Ethereum but its name, its chain id and its token. */
const ethereum = EVM_ROWS[0] as NetworkRow;
const ADDED: NetworkRow = {
  ...ethereum,
  network: 'added',
  isStandard: false,
  chains: { ...ethereum.chains, local: { ...ethereum.chains.local, chainId: CHAIN_ID, tokens: { USDC: TOKEN } } },
};
const table: readonly NetworkSpec[] = [...NETWORKS, ...chainsOfRow(ADDED)];

const config = (settings: Readonly<Record<string, string>>) =>
  readConfig({
    DATABASE_URL: 'postgresql://app@127.0.0.1/app',
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
    TEST_CHAINS: 'local',
    ...settings,
  });

describe('a network added as one row', () => {
  it('gets its settings, is scanned, and completes a session with a payment', async () => {
    const node = await startFakeNode({ chainId: CHAIN_ID, decimals: { [TOKEN.contract]: 6 }, time: T0 });
    const [chain, ...others] = openChains(config({ TEST_ADDED_URLS: node.url }), { clock, log: silentLog() }, table);
    expect([chain?.network, others]).toEqual(['added', []]);
    await run(watchStep(chain!));

    const { id, address } = await session(['added']);
    const payer = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
    node.mine([{ logs: [transferLog(TOKEN.contract, payer, address, 12_340_000n)] }]);
    await run(watchStep(chain!), context());
    expect(await paymentsOf(id)).toMatchObject({
      status: 'completed',
      transfers: [{ network: 'added', amount: '12340000', currency: 'USDC', decimals: 6 }],
    });
    await node.close();
  });

  it('is refused if another chain answers at its endpoint', async () => {
    const node = await startFakeNode({ chainId: 10, decimals: {}, time: T0 });
    const [chain] = openChains(config({ TEST_ADDED_URLS: node.url }), { clock, log: silentLog() }, table);
    await chain!.endpoints.check();
    expect(chain!.endpoints.health()).toMatchObject([
      {
        position: 1,
        state: 'refused',
        message: `endpoint 1 does not serve added (local): its chain id is 10 instead of ${CHAIN_ID}`,
      },
    ]);
    await node.close();
  });
});

describe('the networks table', () => {
  const standard = ['ethereum', 'bsc', 'tron', 'solana'];
  const others = [...new Set(NETWORKS.map(({ network }) => network))].filter((one) => !standard.includes(one));

  it.each(standard)('has USDT and USDC on mainnet for %s', (network) => {
    expect(Object.keys(networkSpec('live', network, 'public')?.tokens ?? {})).toEqual(
      expect.arrayContaining(['USDT', 'USDC']),
    );
  });

  it('presents the standard networks to every installation, and no other', () => {
    expect(presentedNetworks(config({}))).toEqual(standard);
    expect(NETWORKS.filter(({ isStandard }) => !isStandard).map(({ network }) => network)).not.toContain('ethereum');
  });

  test.each(others)('does not follow %s until a setting names its endpoints, and then presents it', (network) => {
    expect(openChains(config({}), { clock, log: silentLog() })).toEqual([]);
    const on = config({ [`LIVE_${network.toUpperCase()}_URLS`]: 'default' });
    expect(openChains(on, { clock, log: silentLog() }).map((chain) => chain.network)).toEqual([network]);
    expect(presentedNetworks(on).toSorted()).toEqual([...standard, network].toSorted());
  });

  it('has one row for each network, chain and environment', () => {
    const names = NETWORKS.map(({ network, chain, environment }) => `${environment} ${network} ${chain}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { network, environment, chain } of NETWORKS) {
      const row = networkSpec(environment, network, chain === 'local' ? 'local' : 'public');
      expect(row?.chain).toBe(chain);
    }
  });

  it('has each chain id once, and no chain id of a public chain for a local one', () => {
    const ids = NETWORKS.flatMap(({ chainId }) => chainId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('contains only encrypted public endpoints, and none of a local chain', () => {
    for (const { endpoints, chain } of NETWORKS) {
      expect(endpoints.every((url) => url.startsWith('https://') && new URL(url).search === '')).toBe(true);
      expect(endpoints.length > 0).toBe(chain !== 'local');
    }
  });
});
