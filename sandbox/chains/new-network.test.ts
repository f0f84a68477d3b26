// Adding an EVM network takes one table row: refunds are then drafted on the network's own terms.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { toQuantity, Wallet } from 'ethers';
import { expect, it } from 'vitest';
import type { EvmSpec } from '@/lib/networks/networks';
import { readDraft } from '@/lib/networks/sending/draft';
import { openSender } from '@/lib/networks/sending/senders';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openRpc } from './evm/rpc';
import { startEvm } from './evm/start';

const GWEI = 10n ** 9n;
const BASE: EvmSpec = {
  network: 'base',
  chain: 'local',
  environment: 'test',
  family: 'evm',
  chainId: 8453,
  genesis: null,
  tokens: { USDC: { contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 } },
  finalityFallback: null,
  blockTimeMarginSeconds: 312,
  blockMs: 2000,
  confirmations: 4,
  feeCap: 2_000_000n * GWEI,
  gasPrices: { leastTip: GWEI / 1000n, mostTip: GWEI, mostPrice: 10n * GWEI },
  explorer: null,
  endpoints: [],
};
const ROW = {
  network: 'base',
  slotsInAnEpoch: 2,
  blockMs: 2_000_000_000,
  zeroBaseFee: false,
  fees: { type: 2, maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI },
  kinds: { USDC: 'ModernStable' },
} as const;

it('drafts a refund on a network that is added by its row, within the fees of the row', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-row-'));
  const onFault = (error: unknown) => {
    throw error;
  };
  const chain = await startEvm(ROW, { directory, onFault }, [BASE]);
  try {
    const from = Wallet.createRandom().address.toLowerCase();
    await openRpc(chain.rpcUrl)('anvil_setBalance', from, toQuantity(10n ** 18n));
    await chain.pay({ currency: 'USDC', recipient: from, cents: 500n, scenario: 'exact' });
    const { contract } = BASE.tokens.USDC!;
    const to = Wallet.createRandom().address.toLowerCase();
    const order = { intentId: 're_1', currency: 'USDC', contract, to, amount: 5_000_000n };
    const open = (spec: EvmSpec) =>
      openSender({ spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
    const facts = readDraft(await open(BASE).draft(order, from));
    expect(facts).toMatchObject({ contract, to, from, amount: 5_000_000n, chainId: 8453 });
    expect(facts.feeCap).toBeLessThanOrEqual(BASE.feeCap);

    const cheap = open({ ...BASE, feeCap: facts.feeCap - 1n });
    await expect(cheap.draft(order, from)).rejects.toMatchObject({ name: 'SendHold', reason: 'fee_too_high' });
  } finally {
    await chain.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  }
}, 60_000);
