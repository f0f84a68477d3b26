// Money that leaves a watched address on the local TRON chain: the adapter's scan reports the payment to the address and the transfer
// out of it, which the owner of its key signed.

import { Wallet } from 'ethers';
import { utils } from 'tronweb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FoundTransfer, RescanMethod } from '@/lib/networks/chain';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { watching } from '@/testing/watching/watching';
import { fromEvm, readAddress, toBase58 } from './tron/address';
import { startTronNode, type TronNode } from './tron/start';
import { signDraft } from './test-signing';

/** More blocks than a block needs to become solid. */
const UNTIL_SOLID = 25;
const SUN = 1_000_000n;

let node: TronNode;
beforeAll(async () => void (node = await startTronNode({ blockMs: null })), 60_000);
afterAll(() => node.stop());

const reading = () => ({ spec: node.spec, urls: [node.rpcUrl], clock: systemClock, log: silentLog() });
const brief = (found: readonly FoundTransfer[] = []) =>
  found.map(({ currency, payer, recipient, amount, isPlain }) => ({ currency, payer, recipient, amount, isPlain }));

/** An address whose key the test holds, with coins for the network's fee. */
async function ownerWithCoins(): Promise<{ readonly address: string; readonly key: Uint8Array }> {
  const wallet = Wallet.createRandom();
  const address = toBase58(fromEvm(wallet.address));
  await node.chain.exclusively(() => {
    const hex = readAddress(address) as string;
    node.chain.state.activate(hex);
    node.chain.state.addBalance(hex, 1000n * SUN);
  });
  return { address, key: Buffer.from(wallet.privateKey.slice(2), 'hex') };
}

describe('on the local TRON chain', () => {
  it('reports what a watched address received and what left it, once each', async () => {
    const adapter = openTronAdapter(reading());
    const { address: us, key } = await ownerWithCoins();
    const treasury = utils.accounts.generateAccount().address.base58;
    const { tip: before } = await adapter.head();
    await node.pay({ currency: 'USDT', recipient: us, cents: 12_00n, scenario: 'exact' });

    const sender = openTronSender({ ...reading(), needed: 1 });
    const { contract } = node.spec.tokens.USDT!;
    const draft = await sender.draft(
      { intentId: 'sweep', currency: 'USDT', contract, to: treasury, amount: 7n * SUN },
      us,
    );
    const { bytes, hash } = signDraft(draft, key);
    expect(await sender.broadcast(bytes)).toBe('accepted');
    await node.mine(UNTIL_SOLID);

    const { final } = await adapter.head();
    const window = { from: before.number + 1, to: final.number, parentHash: before.hash, final: true };
    const { transfers, outgoing } = await adapter.scan(window, watching([us]));
    const { address: payer } = node.payer;
    expect(brief(transfers)).toEqual([{ currency: 'USDT', payer, recipient: us, amount: 12n * SUN, isPlain: true }]);
    expect(brief(outgoing)).toEqual([
      { currency: 'USDT', payer: us, recipient: treasury, amount: 7n * SUN, isPlain: true },
    ]);
    expect(outgoing).toMatchObject([{ transactionHash: hash, contract }]);
    expect(await node.balance(us, 'USDT')).toBe(5n * SUN);

    const rescan = (method: RescanMethod) =>
      adapter.scan({ ...window, rescan: { method, address: us } }, watching([us]));
    for (const method of ['address', 'blocks'] as const)
      expect(await rescan(method)).toMatchObject({ transfers, outgoing });
    expect((await adapter.scan(window, watching([treasury]))).outgoing).toEqual([]);
  });

  it('reports it through the JSON-RPC list too, in a window that is too large to be read block by block', async () => {
    await node.mine(60);
    const { address: us, key } = await ownerWithCoins();
    const treasury = utils.accounts.generateAccount().address.base58;
    await node.pay({ currency: 'USDT', recipient: us, cents: 12_00n, scenario: 'exact' });
    const sender = openTronSender({ ...reading(), needed: 1 });
    const { contract } = node.spec.tokens.USDT!;
    const order = { intentId: 'second sweep', currency: 'USDT', contract, to: treasury, amount: 12n * SUN };
    await sender.broadcast(signDraft(await sender.draft(order, us), key).bytes);
    await node.mine(1);
    // The newest solid block must hold a transfer, because only that proves the list.
    const adapter = openTronAdapter(reading());
    const { tip } = await adapter.head();
    while ((await adapter.head()).final.number < tip.number) await node.mine(1);
    const fresh = openTronAdapter(reading());
    const window = { from: tip.number - 54, to: tip.number, parentHash: null, final: true };
    const { transfers, outgoing } = await fresh.scan(window, watching([us]));
    expect(transfers.map(({ amount }) => amount)).toEqual([12n * SUN]);
    expect(brief(outgoing)).toEqual([
      { currency: 'USDT', payer: us, recipient: treasury, amount: 12n * SUN, isPlain: true },
    ]);
  });
});
