// Payout schedules on a real database: stores with a balance and an address, and the worker's step. The clock is the test's.

import { randomUUID } from 'node:crypto';
import { releasePayout } from '@/lib/ledger/post-payout';
import { newPayoutAddressId, type Environment } from '@/lib/platform/ids';
import { transaction } from '@/lib/platform/database/db';
import { markCanceled } from '@/lib/refunds/states';
import { setReserve } from '@/lib/payouts/reserve';
import type { ScheduleKey } from '@/lib/payouts/schedules/rows';
import { setSchedule, type Schedule } from '@/lib/payouts/schedules/set';
import { scheduleStep } from '@/lib/payouts/schedules/step';
import type { Verdict } from '@/lib/refunds/recovery/signer-check';
import { openTestDatabase } from '@/testing/database/database';
import { makeStore, testConfig, testContext } from '@/testing/fixtures';
import { postAt } from '@/testing/ledger/statement-scene';

export type ScheduleScene = Awaited<ReturnType<typeof openScheduleScene>>;

export async function openScheduleScene(settings: Record<string, string> = {}) {
  const database = await openTestDatabase();
  const config = testConfig(settings);
  const time = { now: 0 };
  /** What the comparison of the signer’s journal with the database says. */
  const signer = { verdict: 'ok' as Verdict };
  const step = scheduleStep(async () => signer.verdict);
  const context = testContext(database, { now: () => new Date(time.now) }, config);

  /** A store with an address on Ethereum. */
  async function store({
    hasAddress = true,
    environment = 'test',
  }: { hasAddress?: boolean; environment?: Environment } = {}) {
    const { storeId } = await makeStore(database, config);
    const key: ScheduleKey = { storeId, environment, network: 'ethereum', currency: 'USDT' };
    if (hasAddress) await address(key);
    return key;
  }
  const address = ({ storeId, environment, network }: ScheduleKey) =>
    database.pool.query(
      `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by)
       VALUES ($1, $2, $3::"Environment", $4, $5, now(), $6)`,
      [newPayoutAddressId(), storeId, environment, network, `0x${'a1'.repeat(20)}`, randomUUID()],
    );
  const receive = (key: ScheduleKey, cents: bigint, part: 'available' | 'unresolved' = 'available') =>
    postAt(database.pool, key, {
      at: new Date(),
      moves: [{ network: key.network, currency: key.currency, part, amount: cents * 10_000n }],
    });
  const set = (key: ScheduleKey, over: Partial<Schedule> = {}) =>
    setSchedule(context, key, { interval: 'daily', least: 100n, ...over }, async () => {});
  const reserve = (key: ScheduleKey, cents: bigint) => setReserve(context, key, cents, async () => {});
  const payouts = async ({ storeId }: ScheduleKey) =>
    (await database.prisma.payout.findMany({ where: { storeId }, orderBy: { createdAt: 'asc' } })).map(
      ({ payoutId, amount }) => ({ payoutId, amount }),
    );
  const read = (key: ScheduleKey) =>
    database.prisma.payoutSchedule.findUniqueOrThrow({
      where: { storeId_environment_network_currency: key },
    });
  /** Ends all payouts of the store without paying them. */
  async function cancelAll({ storeId }: ScheduleKey): Promise<void> {
    for (const { id } of await database.prisma.payout.findMany({ where: { storeId, status: 'pending' } }))
      await transaction(database.pool, async (tx) => {
        await markCanceled(tx, { table: 'payouts', id }, context.clock.now());
        await releasePayout(tx, { intentId: id });
      });
  }
  return {
    ...{ database, context, signer, store, address, receive, set, reserve, payouts, read, cancelAll },
    /** Sets the clock, and runs the worker's step until nothing is due. */
    async at(when: string): Promise<void> {
      time.now = Date.parse(when);
      while ((await step(context)).more);
    },
    run: () => step(context),
    close: () => database.close(),
  };
}
