// The chain behind the endpoints and trouble with them: which row is followed, where it starts, and that no faulty response
// moves a cursor.

import { describe, expect, it } from 'vitest';
import { payment, T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchedSession } from '@/testing/watching/watched-session';
import { watchStep } from './step';

const { run, mine, pay, node, newNode, chainOf, row, session, pool, clock, context, paymentsOf } = useWatchedChain();

describe('the chain behind the endpoint', () => {
  it('gets a new row after a restart with a new genesis, and none of the former blocks count as reorganised', async () => {
    const { id, address } = await session();
    await run();
    pay(address);
    mine(4);
    const pending = await session();
    await run();
    pay(pending.address);
    await run();
    const before = await row();
    const fresh = await newNode();
    fresh.mine([payment(pending.address)]);
    for (let count = 0; count < 4; count++) fresh.mine();
    await run(watchStep(chainOf(fresh.url)));
    const after = await row();
    expect(after.id).not.toBe(before.id);
    expect(after.trouble).toBeNull();
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await paymentsOf(pending.id)).toMatchObject({
      status: 'completed',
      entries: 1,
      unconfirmed: ['orphaned'],
    });
    await fresh.close();
  });

  it('is first read from before the oldest pending session, by block times', async () => {
    await pool().query(
      `UPDATE sessions SET expires_at = created_at, status = 'canceled', closed_at = now() WHERE status = 'pending'`,
    );
    for (let number = 1; number <= 2000; number++) node().mine([], T0 + number * 12);
    clock.set(T0 + 2000 * 12);
    await watchedSession(pool(), { createdAt: T0 + 1500 * 12 });
    const chain = chainOf(node().url);
    let started: number | undefined;
    const step = watchStep({
      ...chain,
      adapter: {
        ...chain.adapter,
        scan: (window) => {
          if (window.final) started ??= window.from;
          return Promise.reject(new Error('stop here'));
        },
      },
    });
    await expect(step(context())).rejects.toThrow('stop here');
    const first = Number((await row()).final_number);
    expect(node().blocks[first]!.time).toBeLessThan(T0 + 1500 * 12 - 300);
    expect(node().blocks[first + 1]!.time).toBeGreaterThanOrEqual(T0 + 1500 * 12 - 300);
    expect(node().calls.get('eth_getBlockByNumber')).toBeLessThan(40);
  });

  it('reports trouble when it is replaced below finality, and the cursor stays', async () => {
    const { id, address } = await session();
    mine(10);
    await run();
    const before = await row();
    node().drop(9);
    pay(address);
    mine(20);
    await run();
    const after = await row();
    expect(after.trouble).toMatch(/^reorganised: /);
    expect(after.final_number).toBe(before.final_number);
    expect((await paymentsOf(id)).transfers).toEqual([]);
  });
});

describe('trouble with the endpoints', () => {
  it('is recorded without a URL, moves no cursor, and ends when they respond again', async () => {
    await run();
    const { id, address } = await session();
    pay(address);
    mine(4);
    const before = await row();
    const spoilt: ((call: { method: string }, result: unknown) => unknown)[] = [
      ({ method }) => (method === 'eth_getLogs' ? 'garbage' : undefined),
      ({ method }) => (method === 'eth_getTransactionReceipt' ? null : undefined),
      ({ method }) => (method === 'eth_getBlockByNumber' ? null : undefined),
      ({ method }, result) =>
        method === 'eth_getTransactionReceipt' ? { ...(result as object), status: '0x0' } : undefined,
    ];
    for (const tamper of spoilt) {
      node().tamper = tamper;
      clock.advance(120_000);
      await run();
      const after = await row();
      expect(after.trouble).toMatch(/endpoint 1|transaction 0x/);
      expect(after.trouble).not.toMatch(/127\.0\.0\.1|key-9f8e7d/);
      expect([after.final_number, after.final_hash]).toEqual([before.final_number, before.final_hash]);
      expect(after.scanned_at).toEqual(before.scanned_at);
    }
    node().tamper = () => undefined;
    clock.advance(120_000);
    await run();
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect((await row()).trouble).toBeNull();
  });

  it('from a tight provider limit only causes smaller windows', async () => {
    await run();
    const sessions = await Promise.all(Array.from({ length: 3 }, session));
    for (const { address } of sessions) {
      mine(60);
      pay(address);
    }
    mine(4);
    node().tamper = (call) => {
      if (call.method !== 'eth_getLogs') return undefined;
      const { fromBlock, toBlock } = (call.params as { fromBlock: string; toBlock: string }[])[0]!;
      const tooMany = Number(toBlock) - Number(fromBlock) >= 5;
      return tooMany ? { error: { code: -32614, message: 'eth_getLogs is limited to a 5 range' } } : undefined;
    };
    await run();
    for (const { id } of sessions) expect(await paymentsOf(id)).toMatchObject({ status: 'completed' });
    expect((await row()).final_number).toBe(String(node().blocks.length - 5));
  });

  it('a lagging second endpoint neither moves a cursor back nor ahead', async () => {
    mine(20);
    await run();
    const before = await row();
    const lagging = await newNode();
    lagging.blocks.splice(0, 1, ...node().blocks.slice(0, 8));
    await run(watchStep(chainOf(lagging.url)));
    expect(await row()).toMatchObject({
      final_number: before.final_number,
      tip_number: before.tip_number,
      trouble: null,
    });
    await lagging.close();
  });
});
