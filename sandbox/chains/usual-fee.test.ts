// The payer's cost of a payment, as real nodes of every family report it.

import { afterEach, expect, it } from 'vitest';
import type { NetworkSpec } from '@/lib/networks/networks';
import { openUsualFee } from '@/lib/networks/families/clients';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import { startSolanaNode } from './solana/node';
import { startTronNode } from './tron/start';

const LEAST = 50_000_000n;
const NOWHERE = 'http://127.0.0.1:1';
let stop: () => Promise<void>;
afterEach(() => stop());

/** Also when an endpoint is down. */
const feeOf = (spec: NetworkSpec, url: string): Promise<bigint> =>
  openUsualFee({
    spec,
    urls: [NOWHERE, url],
    needed: 1,
    apiKey: undefined,
    clock: systemClock,
    log: silentLog(),
    timeoutMs: 5000,
  })();

it.each(EVM_NETWORKS)('on $network it is a transfer’s gas at the price that the node asks', async (row) => {
  const chain = await startTestEvm(row);
  stop = () => chain.stop();
  const asked = BigInt(await openRpc(chain.rpcUrl)('eth_gasPrice'));
  // The lowest fee that is mined; an idle local chain requires nothing more.
  const price = asked > LEAST ? asked : LEAST;
  expect(await feeOf(chain.spec, chain.rpcUrl)).toBe(63_000n * price);
});

it('on TRON it is energy and bandwidth at the governance prices', async () => {
  const node = await startTronNode({ blockMs: null, clock: systemClock });
  stop = () => node.stop();
  // 100 sun for a unit of energy, 1,000 for a byte: 13.3735 TRX.
  expect(await feeOf(node.spec, node.rpcUrl)).toBe(13_373_500n);
});

it('on Solana it is the rent of a token account and a signature', async () => {
  const node = await startSolanaNode({ tick: 'manual' });
  stop = () => node.stop();
  const rent = await openRpc(node.rpcUrl)<number>('getMinimumBalanceForRentExemption', 165);
  expect(rent).toBeGreaterThan(1_000_000);
  expect(await feeOf(node.spec, node.rpcUrl)).toBe(BigInt(rent) + 5000n);
});
