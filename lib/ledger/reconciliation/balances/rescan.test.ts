// Re-scans that fail, that only one endpoint's report causes, or that wait for a cursor on an idle network.

import { describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import type { NetworkSpec } from '@/lib/networks/networks';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { silentLog } from '@/testing/chain-clock';
import { copyChain, type FakeNode } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { balanceStep } from './step';

const w = useWatchedChain();
const EXPIRES = T0 + 10 + 1800;

/** The watcher, the balance check and the expiry of one worker. */
function worker(urls: string[], spec: NetworkSpec = localEthereum) {
  const options = { spec, urls, clock: w.clock, log: silentLog(), timeoutMs: 3000 };
  const chain = { ...w.chainOf(...urls), spec, adapter: openEvmAdapter(options) };
  const watch = watchStep(chain);
  const balances = balanceStep(chain, openBalanceReader({ ...options, needed: 2, forCompleteness: true }));
  const runOnce = async () => {
    await w.run(watch);
    await w.run(balances);
    while ((await expireSessions(w.context())).more);
  };
  const runEvery = async (milliseconds: number, times: number) => {
    for (let n = 0; n < times; n++) {
      await runOnce();
      w.clock.advance(milliseconds);
    }
  };
  return { watch: () => w.run(watch), runOnce, runEvery };
}

/** Mines blocks up to past the session's expiry, and sets the clock by them. */
function mineToTheEnd(secondsApart = 60) {
  while (w.node().blocks.at(-1)!.time < EXPIRES + 300) w.node().mine([], w.node().blocks.at(-1)!.time + secondsApart);
  w.clock.set(w.node().blocks.at(-1)!.time);
}

const PRUNED = { error: { code: -32000, message: 'history pruned' } };
/** Has no block older than its newest twenty, except block 0, by which a local chain is known. */
const prune =
  (node: FakeNode): FakeNode['tamper'] =>
  ({ method, params }) => {
    const oldest = node.blocks.at(-1)!.number - 20;
    if (method === 'eth_getLogs') {
      const [{ fromBlock }] = params as [{ fromBlock?: string }];
      return fromBlock && Number(fromBlock) < oldest ? PRUNED : [];
    }
    const [at] = params as [string];
    return method === 'eth_getBlockByNumber' && Number(at) > 0 && Number(at) < oldest ? PRUNED : undefined;
  };

const total = (...nodes: FakeNode[]) =>
  nodes.flatMap((node) => [...node.calls.values()]).reduce((sum, calls) => sum + calls, 0);

describe('a re-scan that no endpoint can answer', () => {
  it('is given up after an hour, and its discrepancy is reported with the reason', async () => {
    const { watch, runEvery } = worker([w.node().url]);
    await watch();
    const { address } = await w.session();
    w.node().tamper = ({ method }) => (method === 'eth_getLogs' ? [] : undefined);
    w.mine(5);
    w.pay(address);
    w.mine(60);
    mineToTheEnd();
    await watch();
    w.node().tamper = prune(w.node());
    await runEvery(300_000, 16);
    expect(await readDiscrepancies(w.context(), { isOpenOnly: true })).toMatchObject([
      {
        address,
        currency: 'USDT',
        expected: 0n,
        found: DUE,
        note: expect.stringContaining('refused eth_getBlockByNumber'),
      },
    ]);
    w.node().calls.clear();
    await runEvery(300_000, 3);
    expect(w.node().calls.get('eth_getLogs') ?? 0).toBe(0);
  });
});

describe('on an idle public network', () => {
  it('credits a withheld payment after the end of its session, once a day', async () => {
    const spec = { ...localEthereum, chain: 'testnet', genesis: w.node().blocks[0]!.hash } as NetworkSpec;
    const { watch, runOnce } = worker([w.node().url], spec);
    const grow = (seconds: number) => {
      const { time } = w.node().blocks.at(-1)!;
      const step = seconds > 3600 ? 120 : 12;
      for (let after = step; after <= seconds; after += step) w.node().mine([], time + after);
      w.clock.set(time + seconds);
    };
    const runAfter = async (...waits: number[]) => {
      for (const seconds of waits) {
        grow(seconds);
        await runOnce();
      }
    };
    await watch();
    const { id, address } = await w.session();
    mineToTheEnd(120);
    await runAfter(120, 120, 120, 120);
    expect((await w.paymentsOf(id)).status).toBe('expired');
    w.node().tamper = ({ method }) => (method === 'eth_getLogs' ? [] : undefined);
    w.pay(address);
    grow(60 * 120);
    await runOnce();
    expect((await w.paymentsOf(id)).transfers).toEqual([]);
    w.node().tamper = (call) =>
      call.method === 'eth_getLogs' && !('blockHash' in (call.params[0] as object)) ? [] : undefined;
    await runAfter(86_400, ...Array.from({ length: 24 }, () => 120));
    expect((await w.paymentsOf(id)).transfers).toHaveLength(1);
  });
});

describe('an endpoint that overstates balances by a base unit', () => {
  it('costs few requests for a session of half an hour, also where every second endpoint has to agree', async () => {
    const liar = await w.newNode();
    try {
      const { watch, runEvery } = worker([w.node().url, liar.url]);
      await watch();
      const { id, address } = await w.session();
      // As on BSC: a block every 0.45 seconds for the session and five minutes more.
      for (let n = 1; n * 0.45 < 2110; n++) w.node().mine([], T0 + 10 + Math.floor(n * 0.45));
      copyChain(w.node(), liar);
      liar.finalDepth = w.node().finalDepth;
      w.clock.set(w.node().blocks.at(-1)!.time);
      for (let n = 0; n < 5; n++) await watch();
      liar.tamper = ({ method, params }) => {
        const [call] = params as [{ data?: string }];
        const isBalance = method === 'eth_call' && call.data?.startsWith('0x70a08231');
        return isBalance ? `0x${1n.toString(16).padStart(64, '0')}` : undefined;
      };
      w.node().calls.clear();
      await runEvery(61_000, 8);
      expect(total(w.node(), liar)).toBeLessThan(300);
      expect((await w.paymentsOf(id)).status).toBe('expired');
      const reported = await readDiscrepancies(w.context(), { isOpenOnly: true });
      const note = expect.stringContaining('Too few endpoints');
      expect(reported.filter((one) => one.address === address)).toMatchObject([
        { expected: 0n, found: 1n, note },
        { expected: 0n, found: 1n, note },
      ]);
    } finally {
      await liar.close();
    }
  });
});
