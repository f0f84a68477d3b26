// The watcher against a programmable node and a real database: what is credited, what is only shown, and that neither
// crashes, competition nor faulty answers lose or double anything.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/chains/evm/adapter';
import { networkSpec } from '@/lib/chains/networks';
import type { FollowedChain } from '@/lib/chains/registry';
import { readConfig } from '@/lib/config';
import type { Context } from '@/lib/context';
import type { Pool } from '@/lib/db';
import { openTestClock, silentLog } from '@/lib/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { startFakeNode, transferLog, type FakeNode } from '@/lib/testing/fake-evm-node';
import { paymentsOf, watchedSession } from '@/lib/testing/watched-session';
import { watchStep } from './step';

const T0 = 1_760_000_000;
const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const spec = networkSpec('test', 'ethereum', 'local')!;
const usdt = spec.tokens.USDT!.contract;
const decimals = Object.fromEntries(Object.values(spec.tokens).map((token) => [token.contract, token.decimals]));

let database: TestDatabase;
let node: FakeNode;
let context: Context;
const clock = openTestClock(T0);

beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());
beforeEach(async () => {
  node = await startFakeNode({ chainId: spec.chainId, decimals, time: T0 });
  node.finalDepth = 4;
  clock.set(T0 + 60);
  const config = readConfig({
    DATABASE_URL: database.url,
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
  });
  context = { pool: database.pool, clock, log: silentLog(), config };
  return async () => {
    await node.close();
    await database.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  };
});

const chainOf = (...urls: string[]): FollowedChain => {
  const adapter = openEvmAdapter({ spec, urls, clock, log: silentLog(), timeoutMs: 500 });
  return { environment: 'test', network: 'ethereum', spec, adapter };
};
const mine = (count: number) => Array.from({ length: count }, () => node.mine());
const pay = (address: string, amount = 12_340_000n, hash?: string) =>
  node.mine([{ logs: [transferLog(usdt, PAYER, address, amount)], ...(hash ? { hash } : {}) }]);
const row = async () => (await database.pool.query('SELECT * FROM chains WHERE retired_at IS NULL')).rows[0];
const session = () => watchedSession(database.pool, { createdAt: T0 + 10 });
const run = async (step = watchStep(chainOf(node.url)), on = context) => {
  while ((await step(on)).more);
};

describe('a payment', () => {
  it('is shown when seen, and credited once, when it is final', async () => {
    const { id, address } = await session();
    const step = watchStep(chainOf(node.url));
    pay(address);
    await run(step);
    expect(await paymentsOf(database.pool, id)).toMatchObject({
      status: 'pending',
      sightings: ['seen'],
      transfers: [],
    });
    mine(4);
    await run(step);
    await run(step);
    expect(await paymentsOf(database.pool, id)).toEqual({
      status: 'completed',
      exception: 'none',
      received: '1234',
      transfers: [{ network: 'ethereum', amount: '12340000', currency: 'USDT', decimals: 6 }],
      sightings: [],
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

  it('that a reorganisation removed is never credited, and its sighting is orphaned', async () => {
    const { id, address } = await session();
    const step = watchStep(chainOf(node.url));
    mine(3);
    pay(address);
    await run(step);
    node.drop(2);
    mine(2);
    await run(step);
    expect((await paymentsOf(database.pool, id)).sightings).toEqual(['orphaned']);
    mine(10);
    await run(step);
    expect(await paymentsOf(database.pool, id)).toMatchObject({
      status: 'pending',
      transfers: [],
      sightings: ['orphaned'],
    });
  });

  it('that a reorganisation removed while nobody looked is orphaned by the final pass', async () => {
    const { id, address } = await session();
    const step = watchStep(chainOf(node.url));
    pay(address);
    await run(step);
    node.drop(1);
    mine(40);
    await run(step);
    expect(await paymentsOf(database.pool, id)).toMatchObject({
      status: 'pending',
      transfers: [],
      sightings: ['orphaned'],
    });
  });

  it('that a reorganisation moved to another block stays seen and is credited once', async () => {
    const { id, address } = await session();
    const hash = `0x${'cd'.repeat(32)}`;
    const step = watchStep(chainOf(node.url));
    mine(3);
    pay(address, 12_340_000n, hash);
    await run(step);
    node.drop(2);
    mine(2);
    pay(address, 12_340_000n, hash);
    await run(step);
    expect((await paymentsOf(database.pool, id)).sightings).toEqual(['seen']);
    mine(4);
    await run(step);
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'completed', entries: 1, sightings: [] });
  });

  it('on a network that the session did not offer is recorded all the same', async () => {
    const { id, address } = await watchedSession(database.pool, { createdAt: T0 + 10, networks: ['bsc'] });
    await run();
    pay(address);
    mine(4);
    await run();
    const after = await paymentsOf(database.pool, id);
    expect(after.transfers).toHaveLength(1);
    expect(after.status).toBe('pending');
  });

  it('to a session of the other environment is not touched', async () => {
    const { id, address } = await session();
    await database.pool.query(`UPDATE sessions SET environment = 'live' WHERE id = $1`, [id]);
    await run();
    pay(address);
    mine(4);
    await run();
    expect((await paymentsOf(database.pool, id)).transfers).toEqual([]);
  });
});

/** A pool whose n-th statement from now on fails before or after it took effect, as if the process ended there. */
function failingPool(pool: Pool, at: number, when: 'before' | 'after'): Pool {
  let count = 0;
  const guard = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(own, key) {
        const value = Reflect.get(own, key) as unknown;
        if (typeof value !== 'function') return value;
        if (key === 'query') {
          return (...given: unknown[]) => {
            if (++count !== at) return Reflect.apply(value, own, given) as unknown;
            const effect =
              when === 'after' ? (Reflect.apply(value, own, given) as Promise<unknown>) : Promise.resolve();
            return effect.then(() => Promise.reject(new Error('the process ended here')));
          };
        }
        if (key === 'connect') return async () => guard((await Reflect.apply(value, own, [])) as object);
        return value.bind(own) as unknown;
      },
    });
  return guard(pool);
}

describe('a crash', () => {
  it.each(['before', 'after'] as const)(
    '%s any statement loses nothing and doubles nothing',
    async (when) => {
      const outcomes: number[] = [];
      for (let at = 1; ; at++) {
        const { id, address } = await session();
        await run();
        pay(address);
        await run();
        mine(4);
        const broken = failingPool(database.pool, at, when);
        const crashed = await run(watchStep(chainOf(node.url)), { ...context, pool: broken }).then(
          () => false,
          (error: Error) => error.message === 'the process ended here',
        );
        // The lease of the dead worker runs out.
        clock.advance(6000);
        await run();
        const after = await paymentsOf(database.pool, id);
        expect({ at, ...after }).toMatchObject({
          at,
          status: 'completed',
          entries: 1,
          sightings: [],
          events: ['payment.completed'],
        });
        expect(after.transfers).toHaveLength(1);
        if (!crashed) break;
        outcomes.push(at);
      }
      expect(outcomes.length).toBeGreaterThan(10);
    },
    60_000,
  );

  it('leaves the lease to run out, and until then no second worker repeats the work', async () => {
    await run();
    const { id } = await row();
    await database.pool.query(`UPDATE chains SET lease_until = $2 WHERE id = $1`, [id, new Date((T0 + 64) * 1000)]);
    mine(5);
    await run();
    expect((await row()).tip_number).toBe('0');
    clock.advance(4001);
    await run();
    expect((await row()).tip_number).toBe('5');
  });
});

describe('several scanners at once', () => {
  it('credit every payment once', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, session));
    await run();
    for (const { address } of sessions) pay(address);
    mine(4);
    // Each ignores the lease of the others: only the cursor stands between them.
    const steps = Array.from({ length: 4 }, () => watchStep(chainOf(node.url)));
    const freeLease = async () => void (await database.pool.query('UPDATE chains SET lease_until = NULL'));
    await Promise.all(
      steps.map(async (step) => {
        for (let turn = 0; turn < 4; turn++) {
          await freeLease();
          await step(context);
        }
      }),
    );
    for (const { id } of sessions) {
      const after = await paymentsOf(database.pool, id);
      expect(after).toMatchObject({ status: 'completed', entries: 1, events: ['payment.completed'] });
      expect(after.transfers).toHaveLength(1);
    }
  });
});

describe('the chain behind the endpoint', () => {
  it('started afresh gets a new row, and nothing of the former is reorganised away', async () => {
    const { id, address } = await session();
    await run();
    pay(address);
    mine(4);
    const pending = await session();
    await run();
    pay(pending.address);
    await run();
    const before = await row();
    const fresh = await startFakeNode({ chainId: spec.chainId, decimals, time: T0 });
    fresh.mine([{ logs: [transferLog(usdt, PAYER, pending.address, 12_340_000n)] }]);
    for (let count = 0; count < 4; count++) fresh.mine();
    await run(watchStep(chainOf(fresh.url)));
    const after = await row();
    expect(after.id).not.toBe(before.id);
    expect(after.trouble).toBeNull();
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await paymentsOf(database.pool, pending.id)).toMatchObject({
      status: 'completed',
      entries: 1,
      sightings: ['orphaned'],
    });
    await fresh.close();
  });

  it('is first read from before the oldest pending session, found by block times', async () => {
    await database.pool.query(
      `UPDATE sessions SET expires_at = created_at, status = 'canceled', closed_at = now() WHERE status = 'pending'`,
    );
    for (let number = 1; number <= 2000; number++) node.mine([], T0 + number * 12);
    clock.set(T0 + 2000 * 12);
    await watchedSession(database.pool, { createdAt: T0 + 1500 * 12 });
    const chain = chainOf(node.url);
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
    await expect(step(context)).rejects.toThrow('stop here');
    const first = Number((await row()).final_number);
    expect(node.blocks[first]!.time).toBeLessThan(T0 + 1500 * 12 - 300);
    expect(node.blocks[first + 1]!.time).toBeGreaterThanOrEqual(T0 + 1500 * 12 - 300);
    expect(node.calls.get('eth_getBlockByNumber')).toBeLessThan(40);
  });

  it('replaced below finality is trouble, and the cursor stays', async () => {
    const { id, address } = await session();
    mine(10);
    await run();
    const before = await row();
    node.drop(9);
    pay(address);
    mine(20);
    await run();
    const after = await row();
    expect(after.trouble).toMatch(/^reorganised: /);
    expect(after.final_number).toBe(before.final_number);
    expect((await paymentsOf(database.pool, id)).transfers).toEqual([]);
  });
});

describe('trouble with the endpoints', () => {
  it('is written down without an address, moves no cursor, and is over when they answer again', async () => {
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
      node.tamper = tamper;
      clock.advance(120_000);
      await run();
      const after = await row();
      expect(after.trouble).toMatch(/endpoint 1|transaction 0x/);
      expect(after.trouble).not.toMatch(/127\.0\.0\.1|key-9f8e7d/);
      expect([after.final_number, after.final_hash]).toEqual([before.final_number, before.final_hash]);
      expect(after.scanned_at).toEqual(before.scanned_at);
    }
    node.tamper = () => undefined;
    clock.advance(120_000);
    await run();
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'completed', entries: 1 });
    expect((await row()).trouble).toBeNull();
  });

  it('of a provider with a tight limit costs smaller windows and nothing else', async () => {
    await run();
    const sessions = await Promise.all(Array.from({ length: 3 }, session));
    for (const { address } of sessions) {
      mine(60);
      pay(address);
    }
    mine(4);
    node.tamper = (call) => {
      if (call.method !== 'eth_getLogs') return undefined;
      const { fromBlock, toBlock } = (call.params as { fromBlock: string; toBlock: string }[])[0]!;
      const tooMany = Number(toBlock) - Number(fromBlock) >= 5;
      return tooMany ? { error: { code: -32614, message: 'eth_getLogs is limited to a 5 range' } } : undefined;
    };
    await run();
    for (const { id } of sessions) expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'completed' });
    expect((await row()).final_number).toBe(String(node.blocks.length - 5));
  });

  it('a lagging second endpoint neither moves a cursor back nor ahead', async () => {
    mine(20);
    await run();
    const before = await row();
    const lagging = await startFakeNode({ chainId: spec.chainId, decimals, time: T0 });
    lagging.blocks.splice(0, 1, ...node.blocks.slice(0, 8));
    await run(watchStep(chainOf(lagging.url)));
    expect(await row()).toMatchObject({
      final_number: before.final_number,
      tip_number: before.tip_number,
      trouble: null,
    });
    await lagging.close();
  });
});
