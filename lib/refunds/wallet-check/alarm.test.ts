// The alarm for a refund wallet that cannot be compared. Two simulated endpoints, a real database and the real signer.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runAlarms } from '@/lib/installation/alarms/step';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { RefundScene } from '@/testing/refunds/refund-scene';
import { PAYERS } from '@/testing/signer/signer-scene';
import { openWalletChain, openWalletScene } from '@/testing/refunds/wallet-chain';
import { maintainQuarantine } from '@/lib/worker/quarantine';
import { runSending } from '@/lib/refunds/sending/step';
import { openWalletCheck, type WalletCheck } from './check';

const MINUTE = 60_000;
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
const { chain, sender } = openWalletChain(clock);

let db: TestDatabase;
let scene: RefundScene;
let walletCheck: WalletCheck;
beforeAll(async () => {
  db = await openTestDatabase();
  await db.prisma.user.create({ data: { email: 'operator@shop.example', passwordHash: '-', role: 'operator' } });
});
afterAll(() => db.close());
beforeEach(async () => {
  time.now = Date.now() + 60 * MINUTE;
  chain.reset();
  await db.pool.query('DELETE FROM quarantine');
  await db.pool.query('DELETE FROM alarms');
  scene = await openWalletScene({ db, clock, sender });
  walletCheck = openWalletCheck();
});

/** Runs a worker for this many minutes, with one run and one check of the quarantine a minute. */
async function work(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    time.now += MINUTE;
    await runSending(scene.context, { ...scene.sending, walletCheck }, async () => 'ok' as const);
    await maintainQuarantine(scene.context);
    await runAlarms(scene.context);
  }
}
const alarms = () => db.prisma.quarantinedItem.findMany({ where: { kind: 'wallet', resolvedAt: null } });
const notifications = async () =>
  (await db.prisma.alarm.findFirst({ where: { kind: 'quarantine' } }))?.notificationCount;

it('lists the network in quarantine and mails the operators after an hour of failures, until a comparison succeeds', async () => {
  await work(1);
  chain.isDown = true;
  // The next comparison is due an hour after the last one.
  await work(119);
  expect(await alarms()).toEqual([]);
  await work(4);
  expect(await alarms()).toMatchObject([
    {
      subjectId: String(scene.chainId),
      network: 'tron',
      step: 'refunds test tron',
      error: expect.stringContaining('endpoint 1 does not answer') as string,
    },
  ]);
  expect(await notifications()).toBe(1);
  chain.isDown = false;
  await work(1);
  expect(await alarms()).toEqual([]);
  chain.isDown = true;
  await work(62);
  expect(await alarms()).toEqual([]);
});

it('raises the alarm for payments of the signer that are still being taken over after an hour', async () => {
  const recovered = await scene.refund({ to: PAYERS.tron });
  await work(1);
  // As the recovery writes them: drafts without a hash.
  await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, draft, drafted_at)
     SELECT intent_id, 2, chain_id, draft, drafted_at FROM refund_attempts WHERE intent_id = $1`,
    [recovered],
  );
  await db.pool.query(`UPDATE refunds SET next_at = $2 WHERE id = $1`, [recovered, new Date(time.now + 600 * MINUTE)]);
  chain.signed = [{ hash: 'recovered', time: Math.floor(time.now / 1000) }];
  await work(124);
  expect(await alarms()).toMatchObject([{ error: expect.stringContaining('still taken over') as string }]);
  expect(await notifications()).toBe(1);
});

it('counts failures from the last comparison or refund that succeeded', async () => {
  await work(1);
  chain.isDown = true;
  await work(90);
  chain.isDown = false;
  await db.pool.query(`UPDATE chains SET wallet_known_until = $2 WHERE id = $1`, [scene.chainId, clock.now()]);
  chain.isDown = true;
  await work(90);
  expect(await alarms()).toEqual([]);
});
