// Payments on a programmable node with a real database: what is shown, what is credited, and what a reorg reverts.

import { afterEach, describe, expect, it } from 'vitest';
import { explainDiscrepancy, readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { DUE, usdt, useWatchedChain } from '@/testing/watching/watched-chain';

const { run, step, mine, pay, node, row, session, pool, paymentsOf, clock } = useWatchedChain();
afterEach(() => pool().query('DELETE FROM discrepancies'));

describe('a payment', () => {
  it('is shown when unconfirmed and credited once, when it is final', async () => {
    const { id, address } = await session();
    const watch = step();
    pay(address);
    await run(watch);
    expect(await paymentsOf(id)).toMatchObject({
      status: 'pending',
      unconfirmed: ['seen'],
      transfers: [],
    });
    mine(4);
    await run(watch);
    await run(watch);
    expect(await paymentsOf(id)).toEqual({
      status: 'completed',
      exception: 'none',
      received: '1234',
      transfers: [{ network: 'ethereum', amount: '12340000', currency: 'USDT', decimals: 6 }],
      unconfirmed: [],
      entries: 1,
      events: ['payment.completed'],
    });
    expect(await row()).toMatchObject({
      final_number: '1',
      tip_number: '5',
      final_lag: 4,
      trouble: null,
      lease_until: null,
    });
  });

  it('that a reorg removed is never credited, and its unconfirmed transfer is orphaned', async () => {
    const { id, address } = await session();
    const watch = step();
    mine(3);
    pay(address);
    await run(watch);
    node().drop(2);
    mine(2);
    await run(watch);
    expect((await paymentsOf(id)).unconfirmed).toEqual(['orphaned']);
    mine(10);
    await run(watch);
    expect(await paymentsOf(id)).toMatchObject({
      status: 'pending',
      transfers: [],
      unconfirmed: ['orphaned'],
    });
  });

  it('that a reorg removed while no worker ran is orphaned by the final pass', async () => {
    const { id, address } = await session();
    const watch = step();
    pay(address);
    await run(watch);
    node().drop(1);
    mine(40);
    await run(watch);
    expect(await paymentsOf(id)).toMatchObject({
      status: 'pending',
      transfers: [],
      unconfirmed: ['orphaned'],
    });
  });

  it('that a reorg moved to another block stays visible and is credited once', async () => {
    const { id, address } = await session();
    const hash = `0x${'cd'.repeat(32)}`;
    const watch = step();
    mine(3);
    pay(address, hash);
    await run(watch);
    node().drop(2);
    mine(2);
    pay(address, hash);
    await run(watch);
    expect((await paymentsOf(id)).unconfirmed).toEqual(['seen']);
    mine(4);
    await run(watch);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1, unconfirmed: [] });
  });

  it('on a network that the session did not offer is recorded all the same', async () => {
    const { id, address } = await session(['bsc']);
    await run();
    pay(address);
    mine(4);
    await run();
    const after = await paymentsOf(id);
    expect(after.transfers).toHaveLength(1);
    expect(after.status).toBe('pending');
  });

  it('to an address of the other environment credits nothing and is reported to the operator', async () => {
    const [{ id, address }, own] = [await session(), await session()];
    await pool().query(`UPDATE sessions SET environment = 'live' WHERE id = $1`, [id]);
    await run();
    pay(address);
    pay(own.address);
    await run();
    expect((await paymentsOf(id)).unconfirmed).toEqual([]);
    mine(4);
    await run();
    await run();
    expect(await paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [], entries: 0 });
    expect(await paymentsOf(own.id)).toMatchObject({ status: 'completed', entries: 1 });
    const [found, ...others] = await readDiscrepancies({ pool: pool() }, { isOpenOnly: true });
    expect(found).toMatchObject({ environment: 'test', network: 'ethereum', address, currency: 'USDT' });
    expect([found?.expected, found?.found, others]).toEqual([0n, DUE, []]);
  });

  it('of less than a cent to an address of the other environment is not reported', async () => {
    const { id, address } = await session();
    await pool().query(`UPDATE sessions SET environment = 'live' WHERE id = $1`, [id]);
    await run();
    node().mine([{ logs: [transferLog(usdt, '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', address, 9_999n)] }]);
    mine(4);
    await run();
    expect(await readDiscrepancies({ pool: pool() }, { isOpenOnly: true })).toEqual([]);
  });

  it('in test tokens to many live addresses leaves the list of discrepancies readable', async () => {
    const sessions = [];
    for (let left = 25; left > 0; left--) sessions.push(await session());
    await pool().query(`UPDATE sessions SET environment = 'live' WHERE id = ANY($1)`, [sessions.map(({ id }) => id)]);
    await run();
    for (const { address } of sessions) pay(address);
    mine(4);
    await run();
    expect(await readDiscrepancies({ pool: pool() }, { isOpenOnly: true })).toHaveLength(20);
  });

  it('to an address of the other environment is not reported again once the operator has explained it', async () => {
    const { id, address } = await session();
    await pool().query(`UPDATE sessions SET environment = 'live' WHERE id = $1`, [id]);
    const watch = step();
    await run(watch);
    pay(address);
    mine(4);
    await run(watch);
    const [found] = await readDiscrepancies({ pool: pool() }, { isOpenOnly: true });
    await explainDiscrepancy({ pool: pool(), clock }, { id: found!.id, note: 'collected' });
    mine(4);
    await run(watch);
    expect(await readDiscrepancies({ pool: pool() }, { isOpenOnly: true })).toEqual([]);
  });
});
