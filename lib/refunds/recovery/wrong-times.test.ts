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
  // No clock is behind the database's, which cannot be set.
  clock = new TestClock(Math.ceil(Date.now() / 1000) + 60);
  await db.pool.query(`SET session_replication_role = replica; DELETE FROM refunds; RESET session_replication_role`);
  const sender = scriptedSender({ spec, scene: () => scene });
  scene = await openRefundScene({ db, clock, spec, sender, settings: { REFUND_HOLD_SECONDS_TEST: '600' } });
  await blockAt(0);
});

/** The time of the newest final block, in seconds from now. */
const blockAt = (seconds: number) =>
  db.pool.query('UPDATE chains SET final_time = $1 WHERE retired_at IS NULL', [inSeconds(seconds)]);
/** The step runs while the clock of its machine is two days behind. */
async function correctWhileBehind(): Promise<void> {
  clock.advance(-2 * DAY);
  await correctPaymentTimes(scene.context);
  clock.advance(2 * DAY);
}

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

it('a clock that is behind the database shortens no waiting period', async () => {
  await blockAt(-YEAR);
  const id = await held({ next: 3 * HOUR, sign: 3 * HOUR });
  await correctWhileBehind();
  expect(await scene.read(id)).toMatchObject({ nextAt: inSeconds(3 * HOUR), signAfter: inSeconds(3 * HOUR) });
});

it('a clock that is behind together with the database’s shortens no waiting period, because final blocks are later', async () => {
  clock.advance(10 * DAY);
  await blockAt(-60);
  const id = await held({ next: 3 * HOUR, sign: 3 * HOUR });
  await correctWhileBehind();
  expect(await scene.read(id)).toMatchObject({ nextAt: inSeconds(3 * HOUR), signAfter: inSeconds(3 * HOUR) });
});

it('a payment that a clock put off by a year waits its whole time although the clock is behind when it is corrected', async () => {
  clock.advance(10 * DAY);
  await blockAt(0);
  const id = await held({ next: YEAR, sign: YEAR });
  await correctWhileBehind();
  expect(await scene.read(id)).toMatchObject({ nextAt: inSeconds(600), signAfter: inSeconds(600) });
});
