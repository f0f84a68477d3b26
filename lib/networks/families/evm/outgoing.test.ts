// Transfers out of watched addresses on EVM networks, through the adapter and with both ways of reading a window.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlockWindow, FoundTransfer, Watch } from '@/lib/networks/chain';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { localChainId } from '@/testing/local-chain-id';
import { startFakeNode, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { localEthereum, T0, usdt } from '@/testing/watching/watched-chain';
import { watching } from '@/testing/watching/watching';
import { openEvmAdapter } from './adapter';

const [PAYER, OURS, OTHER, TREASURY] = ['a1', 'b2', 'c3', '7e'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
];
const decimals = Object.fromEntries(
  Object.values(localEthereum.tokens).map((token) => [token.contract, token.decimals]),
);
const log = (from: string, to: string, amount: bigint) => ({ logs: [transferLog(usdt, from, to, amount)] });
const brief = (found: readonly FoundTransfer[] = []) =>
  found.map(({ payer, recipient, amount, blockNumber }) => ({ payer, recipient, amount, blockNumber }));

describe.each(['eth_getLogs', 'eth_getBlockReceipts'])('by %s', (method) => {
  let node: FakeNode;
  beforeEach(async () => {
    node = await startFakeNode({ chainId: localChainId('ethereum'), decimals: { ...decimals }, time: T0 });
    node.tamper = (call) =>
      method === 'eth_getBlockReceipts' && call.method === 'eth_getLogs'
        ? { error: { code: -32601, message: 'the method eth_getLogs does not exist/is not available' } }
        : undefined;
    node.mine([log(PAYER, TREASURY, 1n), log(PAYER, OURS, 9n)]);
    node.mine([log(OURS, TREASURY, 7n)]);
    node.mine([log(OURS, OTHER, 2n)]);
  });
  afterEach(() => node.close());
  const scan = (over: Partial<BlockWindow> = {}, watch: Watch = watching([OURS, OTHER])) =>
    openEvmAdapter({
      spec: localEthereum,
      urls: [node.url],
      clock: openTestClock(T0 + 10),
      log: silentLog(),
      timeoutMs: 3000,
    }).scan({ from: 1, to: 3, parentHash: null, final: true, ...over }, watch);

  it('what an address received and what left it are reported in one scan', async () => {
    const { transfers, outgoing } = await scan();
    expect(brief(transfers)).toEqual([
      { payer: PAYER, recipient: OURS, amount: 9n, blockNumber: 1 },
      { payer: OURS, recipient: OTHER, amount: 2n, blockNumber: 3 },
    ]);
    expect(brief(outgoing)).toEqual([
      { payer: OURS, recipient: TREASURY, amount: 7n, blockNumber: 2 },
      { payer: OURS, recipient: OTHER, amount: 2n, blockNumber: 3 },
    ]);
  });

  it('a window that only takes from an address reports that, also above finality', async () => {
    for (const final of [true, false]) {
      const { transfers, outgoing } = await scan({ from: 2, to: 2, final });
      expect(transfers).toEqual([]);
      expect(brief(outgoing)).toEqual([{ payer: OURS, recipient: TREASURY, amount: 7n, blockNumber: 2 }]);
    }
  });

  it('transfers of zero out of an address, which anyone can make, are none', async () => {
    node.mine([log(OURS, TREASURY, 0n)]);
    expect((await scan({ from: 4, to: 4 })).outgoing ?? []).toEqual([]);
  });

  it('a re-scan of an address looks up no other one, and reports what came and what left', async () => {
    const requested: string[] = [];
    const watch = watching([OURS, OTHER]);
    const recording: Watch = { ...watch, among: (all) => (requested.push(...all), watch.among(all)) };
    const rescan = { method: 'address', address: OURS } as const;
    const { transfers, outgoing } = await scan({ rescan }, recording);
    expect(brief(transfers)).toContainEqual({ payer: PAYER, recipient: OURS, amount: 9n, blockNumber: 1 });
    const all = (await scan({})).outgoing?.filter(({ payer }) => payer === OURS);
    expect(outgoing).toEqual(all);
    expect(new Set(requested)).toEqual(new Set([OURS]));
  });

  it('a re-scan block by block reports outgoing transfers', async () => {
    const { outgoing } = await scan({ rescan: { method: 'blocks', address: OURS } });
    expect(brief(outgoing)).toHaveLength(2);
  });

  it('an endpoint whose receipt does not hold the outgoing transfer is not believed', async () => {
    const { tamper } = node;
    node.tamper = (call, result) => {
      if (call.method !== 'eth_getTransactionReceipt') return tamper(call, result);
      return { ...(structuredClone(result) as object), logs: [] };
    };
    const result = scan({ from: 2, to: 2 });
    if (method === 'eth_getLogs') await expect(result).rejects.toMatchObject({ fault: 'contradiction' });
    else expect(brief((await result).outgoing)).toHaveLength(1);
  });
});
