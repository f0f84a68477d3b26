// Times that a clock wrote that ran ahead: they delay a payment by no more than the longest honest pause. A real database and the real
// signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { correctPaymentTimes } from './wrong-times';

const spec = localSpec('ethereum');
const [HOUR, DAY, YEAR] = [3600, 86_400, 365 * 86_400];

let db: TestDatabase;
let clock: TestClock;
let scene: RefundScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock();
  await db.pool.query(`SET session_replication_role = replica; DELETE FROM refunds; RESET session_replication_role`);
  const sender = scriptedSender({ spec, scene: () => scene });
  scene = await openRefundScene({ db, clock, spec, sender, settings: { REFUND_HOLD_SECONDS_TEST: '600' } });
});

/** A refund that is processed, with these times in seconds from now. */
async function held(times: { readonly next: number; readonly sign: number; readonly hold?: string }): Promise<string> {
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  await db.pool.query(
    `UPDATE refunds SET next_at = $2, sign_after = $3, hold = $4, hold_message = $4,
       held_at = CASE WHEN $4::text IS NULL THEN NULL ELSE $5::timestamptz END WHERE id = $1`,
    [id, inSeconds(times.next), inSeconds(times.sign), times.hold ?? null, clock.now()],
  );
  return id;
}
const inSeconds = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000);

it('a payment that a clock put off by a year is due when the clock is right again', async () => {
  const id = await held({ next: YEAR, sign: -HOUR, hold: 'chain_unavailable' });
  await scene.pass();
  expect(await scene.attempts(id)).toEqual([]);
  await correctPaymentTimes(scene.context);
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('a payment whose wait before its signature a wrong clock began waits its whole time from now', async () => {
  const id = await held({ next: YEAR, sign: YEAR });
  await correctPaymentTimes(scene.context);
  expect(await scene.read(id)).toMatchObject({ signAfter: inSeconds(600), nextAt: inSeconds(600) });
  await scene.pass();
  expect(await scene.attempts(id)).toEqual([]);
  clock.advance(601);
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it.each([
  ['the longest pause of a hold', { next: 6 * HOUR, sign: -HOUR, hold: 'destination_needed' }],
  ['the longest wait before a signature', { next: DAY, sign: DAY }],
  ['the delay of a new address', { next: 30 * DAY, sign: -HOUR, hold: 'address_delay' }],
  ['the decision of an operator', { next: YEAR, sign: -HOUR, hold: 'unclear' }],
])('leaves %s as it is', async (_, times) => {
  const id = await held(times);
  await correctPaymentTimes(scene.context);
  expect(await scene.read(id)).toMatchObject({ nextAt: inSeconds(times.next), signAfter: inSeconds(times.sign) });
});
