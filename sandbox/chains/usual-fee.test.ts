// The payer's cost of a payment, as real nodes of every family report it.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NetworkSpec } from '@/lib/networks/networks';
import { openUsualFee } from '@/lib/networks/families/clients';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS, startEvm } from './evm/start';
import { startSolanaNode } from './solana/node';
import { startTronNode } from './tron/start';

const NEVER_MS = 2_000_000_000;
const LEAST = 50_000_000n;
const NOWHERE = 'http://127.0.0.1:1';
let directory: string;
let stop: () => Promise<void>;
beforeEach(() => void (directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-fees-'))));
afterEach(async () => {
  await stop();
  fs.rmSync(directory, { recursive: true, force: true });
});

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

it.each(EVM_NETWORKS)('on $network it is a transfer’s gas at the node’s gas price', async (row) => {
  const onFault = (error: unknown): never => {
    throw error;
  };
  const chain = await startEvm({ ...row, blockMs: NEVER_MS }, { directory, onFault });
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
