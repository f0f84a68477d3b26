// Money that leaves a watched address on real EVM nodes: the adapter's scan reports the payment to the address and the transfer out
// of it, which the owner of its key signed.

import { toQuantity, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FoundTransfer, RescanMethod } from '@/lib/networks/chain';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { watching } from '@/testing/watching/watching';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';
import { signDraft } from './test-signing';

const COIN = 10n ** 18n;
const FINAL = 6;
const MINED = { timeout: 10_000, interval: 20 };

const brief = (found: readonly FoundTransfer[] = []) =>
  found.map(({ currency, payer, recipient, amount, isPlain }) => ({ currency, payer, recipient, amount, isPlain }));

describe.each(EVM_NETWORKS)('$network', (row) => {
  let chain: LocalNetwork;
  beforeAll(async () => void (chain = await startTestEvm(row)), 60_000);
  afterAll(() => chain.stop());

  it('reports what a watched address received and what left it, once each', async () => {
    const reading = { spec: chain.spec, urls: [chain.rpcUrl], clock: systemClock, log: silentLog() };
    const [adapter, sender] = [openEvmAdapter(reading), openEvmSender({ ...reading, needed: 1 })];
    const owner = Wallet.createRandom();
    const [us, treasury] = [owner.address.toLowerCase(), Wallet.createRandom().address.toLowerCase()];
    const { contract, decimals } = chain.spec.tokens.USDT!;
    const unit = 10n ** BigInt(decimals);
    const { tip: before } = await adapter.head();
    await openRpc(chain.rpcUrl)('anvil_setBalance', us, toQuantity(COIN));
    await chain.pay({ currency: 'USDT', recipient: us, cents: 12_00n, scenario: 'exact' });

    const order = { intentId: 'sweep', currency: 'USDT', contract, to: treasury, amount: 7n * unit };
    const draft = await sender.draft(order, us);
    const { bytes, hash } = signDraft(draft, Buffer.from(owner.privateKey.slice(2), 'hex'));
    expect(await sender.broadcast(bytes)).toBe('accepted');
    await expect.poll(() => chain.balance(treasury, 'USDT'), MINED).toBe(7n * unit);
    await chain.mine(FINAL);

    const { final } = await adapter.head();
    const window = { from: before.number + 1, to: final.number, parentHash: before.hash, final: true };
    const { transfers, outgoing } = await adapter.scan(window, watching([us]));
    const payer = chain.payer.address.toLowerCase();
    expect(brief(transfers)).toEqual([{ currency: 'USDT', payer, recipient: us, amount: 12n * unit, isPlain: true }]);
    expect(brief(outgoing)).toEqual([
      { currency: 'USDT', payer: us, recipient: treasury, amount: 7n * unit, isPlain: true },
    ]);
    expect(outgoing).toMatchObject([{ transactionHash: hash, contract }]);
    expect(await chain.balance(us, 'USDT')).toBe(5n * unit);

    const rescan = (method: RescanMethod) =>
      adapter.scan({ ...window, rescan: { method, address: us } }, watching([us]));
    for (const method of ['address', 'blocks'] as const)
      expect(await rescan(method)).toMatchObject({ transfers, outgoing });
    expect((await adapter.scan(window, watching([treasury]))).outgoing).toEqual([]);
  });
});
