// Crashes and concurrency: each payment counts once, wherever a pass crashes and however many workers run.

import { describe, expect, it } from 'vitest';
import { failingPool } from '@/testing/database/failing-pool';
import { T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from './step';

const { run, step, mine, pay, node, chainOf, row, session, pool, clock, context, paymentsOf } = useWatchedChain();

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
        const broken = failingPool(pool(), at, when);
        const crashed = await run(step(), { ...context(), pool: broken }).then(
          () => false,
          (error: Error) => error.message === 'the process ended here',
        );
        // The lease of the dead worker expires.
        clock.advance(6000);
        await run();
        const after = await paymentsOf(id);
        expect({ at, ...after }).toMatchObject({
          at,
          status: 'completed',
          entries: 1,
          unconfirmed: [],
          events: ['payment.completed'],
        });
        expect(after.transfers).toHaveLength(1);
        if (!crashed) break;
        outcomes.push(at);
      }
      expect(outcomes.length).toBeGreaterThan(10);
    },
    240_000,
  );

  it('of a worker whose clock ran an hour ahead stops the chain for no hour', async () => {
    await run();
    const { id } = await row();
    await pool().query(`UPDATE chains SET lease_until = $2, next_scan_at = $2 WHERE id = $1`, [
      id,
      new Date((T0 + 3600) * 1000),
    ]);
    mine(5);
    clock.advance(2000);
    await run();
    expect((await row()).tip_number).toBe('5');
  });

  it('leaves the lease until it expires, and no second worker repeats the work before', async () => {
    await run();
    const { id } = await row();
    await pool().query(`UPDATE chains SET lease_until = $2 WHERE id = $1`, [id, new Date((T0 + 64) * 1000)]);
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
    // Each ignores the lease of the others: only the cursor protects them.
    const steps = Array.from({ length: 4 }, () => step());
    const freeLease = async () => void (await pool().query('UPDATE chains SET lease_until = NULL'));
    await Promise.all(
      steps.map(async (scanner) => {
        for (let turn = 0; turn < 4; turn++) {
          await freeLease();
          await scanner(context());
        }
      }),
    );
    for (const { id } of sessions) {
      const after = await paymentsOf(id);
      expect(after).toMatchObject({ status: 'completed', entries: 1, events: ['payment.completed'] });
      expect(after.transfers).toHaveLength(1);
    }
  });

  it('a slow scanner never moves the cursor back', async () => {
    const { id, address } = await session();
    await run();
    mine(6);
    const chain = chainOf(node().url);
    let overtaken = false;
    const slow = watchStep({
      ...chain,
      adapter: {
        ...chain.adapter,
        scan: async (window, watch) => {
          const scan = await chain.adapter.scan(window, watch);
          if (window.final && !overtaken) {
            overtaken = true;
            pay(address);
            mine(4);
            clock.advance(6000);
            await run();
          }
          return scan;
        },
      },
    });
    await slow(context());
    expect(overtaken).toBe(true);
    expect((await row()).final_number).toBe(String(node().blocks.length - 5));
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  });
});
