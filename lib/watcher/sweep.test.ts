// The second pass by another endpoint: what the usual one kept back is credited once, and what it invented is reported.

import { afterEach, describe, expect, it } from 'vitest';
import type { Context } from '@/lib/context';
import { openEvmAdapter } from '@/lib/chains/evm/adapter';
import { silentLog } from '@/lib/testing/chain-clock';
import { copyChain, forge, transferLog, type FakeNode } from '@/lib/testing/fake-evm-node';
import { localEthereum, payment, usdt, useWatchedChain } from '@/lib/testing/watched-chain';
import { watchStep } from './step';
import { SWEEP_EVERY_MS, sweepStep, WINDOW_EVERY_MS } from './sweep';

const { run, session, mine, node, newNode, paymentsOf, row, clock, context, pool } = useWatchedChain();

let honest: FakeNode | undefined;
afterEach(() => honest?.close());

/** The usual endpoint, to be spoilt, and an honest one behind it; `errors` collects what the log calls an error. */
async function pair() {
  honest = await newNode();
  copyChain(node(), honest);
  honest.finalDepth = node().finalDepth;
  const urls = [node().url, honest.url];
  const adapter = openEvmAdapter({ spec: localEthereum, urls, clock, log: silentLog(), timeoutMs: 3000 });
  const chain = { environment: 'test', network: 'ethereum', spec: localEthereum, adapter } as const;
  const errors: string[] = [];
  const log = Object.assign(silentLog(), { error: (_: object, message: string) => void errors.push(message) });
  const on: Context = { ...context(), log };
  return {
    errors,
    watch: () => run(watchStep(chain)),
    /** A whole re-scan, each window by `workers` new processes; the first call only sets its time. */
    sweep: async (workers = 1) => {
      const step = async () => {
        const processes = Array.from({ length: workers }, () => sweepStep({ ...chain, endpoints: adapter.endpoints }));
        await Promise.all(processes.map((one) => one(on)));
      };
      await step();
      clock.advance(SWEEP_EVERY_MS);
      for (let window = 0; window < 20; window++) {
        await step();
        clock.advance(WINDOW_EVERY_MS);
      }
    },
  };
}

describe('the second pass', () => {
  it('credits, once, what the usual endpoint kept back', async () => {
    await run();
    const { id, address } = await session();
    node().mine([payment(address)]);
    mine(8);
    const { watch, sweep, errors } = await pair();
    // Its headers hide it as well, so nothing about the usual endpoint's answers is false in itself.
    for (const block of node().blocks) block.transactions.splice(0);
    await watch();
    expect(await paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [] });
    const before = await row();
    await sweep();
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(errors).toEqual(['the second pass found what the first one missed']);
    expect((await row()).final_number).toBe(before.final_number);
    await sweep();
    expect(await paymentsOf(id)).toMatchObject({ entries: 1 });
    expect(errors).toHaveLength(1);
  });

  it('reports a credited transfer that the other endpoint does not know', async () => {
    await run();
    const { id, address } = await session();
    mine(9);
    const { watch, sweep, errors } = await pair();
    forge(node(), 2, transferLog(usdt, `0x${'11'.repeat(20)}`, address, 1_000_000n));
    await watch();
    expect((await paymentsOf(id)).transfers).toHaveLength(1);
    await sweep();
    expect(errors).toEqual([
      'another endpoint does not know transfers that were credited; look at both endpoints and at these',
    ]);
  });

  it('finds nothing to say about endpoints that agree, and reads every block once', async () => {
    await run();
    const { id, address } = await session();
    node().mine([payment(address)]);
    mine(8);
    const { watch, sweep, errors } = await pair();
    await watch();
    await sweep();
    const asked = honest!.calls.get('eth_getLogs');
    expect(asked).toBeGreaterThan(0);
    await sweep();
    expect(honest!.calls.get('eth_getLogs')).toBe(asked);
    expect(errors).toEqual([]);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  });

  it('reads every block once however many workers there are', async () => {
    await run();
    mine(240);
    const { watch, sweep } = await pair();
    await watch();
    await sweep();
    const alone = honest!.calls.get('eth_getBlockByNumber')! + (honest!.calls.get('eth_getLogs') ?? 0);
    await pool().query('DELETE FROM rescans');
    honest!.calls.clear();
    await sweep(3);
    const together = honest!.calls.get('eth_getBlockByNumber')! + (honest!.calls.get('eth_getLogs') ?? 0);
    expect(together).toBe(alone);
  });

  it('waits while the other endpoints are away, and goes on where it stopped', async () => {
    await run();
    const { id, address } = await session();
    node().mine([payment(address)]);
    mine(8);
    const { watch, sweep } = await pair();
    for (const block of node().blocks) block.transactions.splice(0);
    await watch();
    for (const one of [node(), honest!]) one.hijack = (request) => (request.socket.destroy(), true);
    await sweep();
    expect((await paymentsOf(id)).entries).toBe(0);
    for (const one of [node(), honest!]) one.hijack = () => false;
    await sweep();
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  });
});
