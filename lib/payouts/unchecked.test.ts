// Payments whose senders have no answer of the screening yet are not paid out, on a real database.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { runScreening } from '@/lib/screening/step';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import { balancesOf } from './hold';

const { clock, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  await db.pool.query('TRUNCATE screenings, sanctioned_addresses, sanctions_lists');
  await loadList(db.pool, [`0x${'c3'.repeat(20)}`], { asOf: clock.now().toISOString() });
});

/** A store with a session of 1,000 cents, whose transfer was stored now. */
async function open(settings: Record<string, string> = { SCREENING_LIST_KEY: LIST_KEY }) {
  const scene = openPayoutScene(await openRefundScene({ db, clock, spec, sender, settings }));
  const sessionId = await scene.session('USDT', 1000n);
  // Transfers and entries are append-only.
  const paidBefore = (milliseconds: number) =>
    transaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      for (const table of ['transfers', 'ledger_entries'])
        await tx.query(`UPDATE ${table} SET created_at = $2 WHERE session_id = $1`, [
          sessionId,
          new Date(clock.now().getTime() - milliseconds),
        ]);
    });
  await paidBefore(0);
  await scene.address(`0x${'a1'.repeat(20)}`);
  const { rows } = await db.pool.query<{ storeId: string }>(
    'SELECT store_id AS "storeId" FROM sessions WHERE id = $1',
    [sessionId],
  );
  const { storeId } = rows[0]!;
  return {
    paidBefore,
    screen: () => runScreening(scene.context, { spec, oracle: null }),
    missing: async (amount: bigint) => {
      const made = await scene.tryRequest({ amount });
      return 'refused' in made && made.refused.code === 'balance' ? made.refused.missing : 0n;
    },
    balance: async () => {
      const [one] = await balancesOf(scene.context, { storeId, environment: 'test', hours: 0 });
      return { available: one?.available.cents, pending: one?.pending.cents, unchecked: one?.unchecked.cents };
    },
  };
}

it('a payment cannot be paid out before its sender is asked about and answered, and then it can', async () => {
  const store = await open();
  expect(await store.missing(100n)).toBe(100n);
  expect(await store.balance()).toEqual({ available: 0n, pending: 1000n, unchecked: 1000n });
  await store.screen();
  expect(await store.balance()).toEqual({ available: 1000n, pending: 0n, unchecked: 0n });
  expect(await store.missing(1000n)).toBe(0n);
});

it('an answer that stays unknown keeps it waiting, however long', async () => {
  await db.pool.query('TRUNCATE sanctioned_addresses, sanctions_lists');
  const store = await open();
  await store.screen();
  await store.paidBefore(48 * 3_600_000);
  expect(await store.missing(100n)).toBe(100n);
});

it('waits for no sender where senders are not screened, and for none of before the screening', async () => {
  expect(await (await open({})).missing(1000n)).toBe(0n);
  expect(await (await open({ SCREENING_LIST_KEY: LIST_KEY, SCREENED_ROLES: 'payee' })).missing(1000n)).toBe(0n);
  const store = await open();
  await store.paidBefore(3_600_001);
  expect(await store.missing(1000n)).toBe(0n);
});
