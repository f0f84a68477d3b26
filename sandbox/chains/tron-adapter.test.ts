// The product's TRON adapter on the sandbox's node: real transactions and contracts, read over HTTP as from any node.

import { utils } from 'tronweb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAdapter, FoundTransfer } from '@/lib/networks/chain';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { watching } from '@/testing/watching/watching';
import type { Payment } from './payment';
import { startTronNode, type TronNode } from './tron/start';

/** More blocks than a block needs to become solid. */
const UNTIL_SOLID = 25;

let node: TronNode;
let adapter: ChainAdapter;
const open = () => openTronAdapter({ spec: node.spec, urls: [node.rpcUrl], clock: systemClock, log: silentLog() });
beforeAll(async () => {
  node = await startTronNode({ blockMs: null });
  adapter = open();
}, 60_000);
afterAll(() => node.stop());

const newAddress = (): string => utils.accounts.generateAccount().address.base58;
/** Pays new addresses, and finds the transfers once they are solid. */
async function payAndScan(payment: Pick<Payment, 'scenario'>) {
  const before = (await adapter.head()).tip;
  const [us, other] = [newAddress(), newAddress()];
  const hash = await node.pay({
    ...payment,
    recipient: us,
    cents: 1234n,
    currency: 'USDT',
    other: { recipient: other, cents: 500n },
  });
  await node.mine(UNTIL_SOLID);
  const { final } = await adapter.head();
  const window = { from: before.number + 1, to: final.number, parentHash: before.hash, final: true };
  const { transfers, through } = await adapter.scan(window, watching([us, other]));
  expect(through).toEqual(final);
  return { hash, us, other, found: brief(transfers), report: await adapter.lookup(hash) };
}
const brief = (transfers: readonly FoundTransfer[]) =>
  transfers.map(({ currency, payer, recipient, amount }) => ({ currency, payer, recipient, amount }));
const paid = (recipient: string, amount: bigint, over: object = {}) => ({
  currency: 'USDT',
  payer: node.payer.address,
  recipient,
  amount,
  ...over,
});

describe('on the sandbox’s node', () => {
  it('an exact payment is found and reported', async () => {
    const { us, found, report, hash } = await payAndScan({ scenario: 'exact' });
    expect(found).toEqual([paid(us, 12_340_000n)]);
    expect(report).toMatchObject({ transactionHash: hash, succeeded: true, missing: 0 });
    expect(report?.movements).toMatchObject([paid(us, 12_340_000n)]);
  });

  it('reads a window through the JSON-RPC list, which the transfers of a recent solid block prove', async () => {
    const us = newAddress();
    const recipient = { recipient: us, cents: 1234n, currency: 'USDT' } as const;
    await node.mine(60);
    const hash = await node.pay({ ...recipient, scenario: 'exact', other: { recipient: newAddress(), cents: 500n } });
    let report = await adapter.lookup(hash);
    for (let mined = 0; report?.missing !== 0 && mined < UNTIL_SOLID; mined++) {
      await node.mine(1);
      report = await adapter.lookup(hash);
    }
    const { final } = await adapter.head();
    // More blocks than the adapter reads one by one.
    const window = { from: final.number - 54, to: final.number, parentHash: null, final: true };
    const { transfers } = await open().scan(window, watching([us]));
    expect(brief(transfers)).toEqual([paid(us, 12_340_000n)]);
  });

  it('finds a payment in two parts and one in the other token', async () => {
    const split = await payAndScan({ scenario: 'split' });
    expect(split.found).toEqual([paid(split.us, 6_170_000n), paid(split.us, 6_170_000n)]);
    const wrong = await payAndScan({ scenario: 'wrong_token' });
    expect(wrong.found).toEqual([paid(wrong.us, 12_340_000n, { currency: 'USDC' })]);
  });

  it('finds both payments of one transaction to two deposit addresses', async () => {
    const { us, other, found } = await payAndScan({ scenario: 'batch' });
    const amounts = found.map(({ recipient, amount }) => [recipient, amount]);
    expect(amounts).toEqual(
      expect.arrayContaining([
        [us, 12_340_000n],
        [other, 5_000_000n],
      ]),
    );
    expect(amounts).toHaveLength(2);
  });

  it('a failed payment and one in a fake token pay nothing', async () => {
    const failed = await payAndScan({ scenario: 'failed' });
    expect(failed.found).toEqual([]);
    expect(failed.report).toMatchObject({ succeeded: false, movements: [], missing: 0 });
    const fake = await payAndScan({ scenario: 'fake_token' });
    expect(fake.found).toEqual([]);
    expect(fake.report?.movements).toMatchObject([{ currency: null, recipient: fake.us }]);
  });

  it('finds a payment at once, as final with the solid block, and no longer after its fork was dropped', async () => {
    const us = newAddress();
    const before = (await adapter.head()).tip;
    const hash = await node.pay({ scenario: 'exact', recipient: us, cents: 100n, currency: 'USDT' });
    const { tip, final } = await adapter.head();
    expect(final.number).toBeLessThan(before.number);
    const window = { from: before.number + 1, to: tip.number, parentHash: before.hash };
    const seen = await adapter.scan({ ...window, final: false }, watching([us]));
    expect(brief(seen.transfers)).toEqual([paid(us, 1_000_000n)]);
    await expect(adapter.scan({ ...window, final: true }, watching([us]))).rejects.toMatchObject({
      fault: 'unavailable',
    });
    await node.reorganise(tip.number - before.number);
    await node.mine(2);
    const again = await adapter.scan({ ...window, final: false }, watching([us]));
    expect([again.transfers, await adapter.lookup(hash)]).toEqual([[], null]);
    const onward = { from: tip.number + 1, to: tip.number + 2, parentHash: tip.hash, final: false };
    await expect(adapter.scan(onward, watching([us]))).rejects.toMatchObject({ fault: 'reorganised' });
  });

  it('detects another node as another chain', async () => {
    const other = await startTronNode({ blockMs: null });
    const fresh = openTronAdapter({ spec: other.spec, urls: [other.rpcUrl], clock: systemClock, log: silentLog() });
    expect(await fresh.genesis()).not.toBe(await adapter.genesis());
    await other.stop();
  });
});
