// Crashes and concurrency on a network that is read by account: account cursors, cursor and transfers move together or not at all.

import { describe, expect, it } from 'vitest';
import { failingPool } from '@/testing/database/failing-pool';
import { useWatchedSolana } from '@/testing/solana/solana-watched';
import { watchStep } from './step';

const { run, step, mine, pay, node, chainOf, row, session, pool, clock, context, paymentsOf, marksOf } =
  useWatchedSolana();

describe('a crash', () => {
  it.each(['before', 'after'] as const)(
    '%s any statement loses nothing and doubles nothing',
    async (when) => {
      const outcomes: number[] = [];
      for (let at = 1; ; at++) {
        const { id, owner } = await session();
        await run();
        pay(owner);
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
        expect({ at, ...(await paymentsOf(id)) }).toMatchObject({
          at,
          status: 'completed',
          transfers: [{}],
          entries: 1,
          unconfirmed: [],
          events: ['payment.completed'],
        });
        expect(await marksOf(owner)).toHaveLength(1);
        if (!crashed) break;
        outcomes.push(at);
      }
      expect(outcomes.length).toBeGreaterThan(10);
    },
    240_000,
  );
});

describe('several scanners at once', () => {
  it('credit every payment once', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => session()));
    await run();
    for (const { owner } of sessions) pay(owner);
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

  it('a slow scanner moves neither the cursor nor an account cursor back', async () => {
    const { id, owner } = await session();
    await run();
    mine(6);
    pay(owner, 10_000n);
    mine(4);
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
            pay(owner);
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
    expect(Number((await row()).final_number)).toBe(node().blocks.at(-5)!.slot);
    expect(await marksOf(owner)).toMatchObject([{ amount: '12350000' }]);
    expect((await paymentsOf(id)).transfers.map(({ amount }) => amount)).toEqual(['10000', '12340000']);
  });
});
