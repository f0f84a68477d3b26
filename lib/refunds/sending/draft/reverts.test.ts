// A transfer that a simulation refuses. One of the nodes behind an endpoint may lag, so the payment fails only if that goes on. A real
// database and the real signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { refusedByContract } from '@/lib/networks/sending/obstacles';
import { SendRefused } from '@/lib/networks/sending/send';
import { intervalsOf } from '@/lib/refunds/sending/intervals';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const spec = localSpec('ethereum');
const PUBLIC = intervalsOf({ ...spec, chain: 'mainnet' });
const MINUTE = 60;

let db: TestDatabase;
let clock: TestClock;
let scene: RefundScene;
let refusal: Error | null;
/** How each second draft fails while there is a refusal. */
let other: Error | null;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock();
  [refusal, other] = [null, null];
  let drafts = 0;
  const scripted = scriptedSender({ spec, scene: () => scene, outcome: () => ({ kind: 'waiting' }) });
  const draft: typeof scripted.draft = (...given) => {
    if (!refusal) return scripted.draft(...given);
    return Promise.reject(++drafts % 2 === 0 ? (other ?? refusal) : refusal);
  };
  scene = await openRefundScene({ db, clock, spec, sender: { ...scripted, draft }, intervals: PUBLIC });
});

/** Passes every ten seconds. */
async function passFor(seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 10) {
    await scene.pass();
    clock.advance(10);
  }
}

it('a refund that a lagging node refuses is on hold, and is sent when the node has caught up', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = refusedByContract('USDT');
  await passFor(2 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'reverts', signatureRequestedAt: null });
  refusal = null;
  await passFor(MINUTE + 30);
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: null });
});

it('a refund that is refused for ten minutes fails with the reason', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = refusedByContract('USDT');
  await passFor(9 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'reverts' });
  await passFor(11 * MINUTE);
  expect(await scene.read(id)).toMatchObject({
    status: 'failed',
    failureReason: 'The contract of USDT refuses this transfer.',
  });
});

it('a refund that is refused fails although an endpoint is throttled between the refusals', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = refusedByContract('USDT');
  other = new ChainError('unavailable', '1 endpoints refuse the payment, and 2 must');
  await passFor(9 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'reverts' });
  await passFor(31 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'failed' });
});

it('a refund that is refused fails although the signer is unavailable between the refusals', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = refusedByContract('USDT');
  await passFor(MINUTE);
  const { heldAt } = await scene.read(id);
  scene.signing.isDown = true;
  await passFor(4 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'reverts', heldAt });
  scene.signing.isDown = false;
  await passFor(20 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'failed' });
});

it('a refund that an endpoint accepts between the refusals does not fail', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = refusedByContract('USDT');
  other = new ChainError('contradiction', 'endpoints disagree whether the payment can be made');
  await passFor(40 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'processing' });
});

it('a refund does not fail by two refusals between which the machine was suspended, but by repeated ones', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = refusedByContract('USDT');
  await scene.pass();
  clock.advance(10 * MINUTE);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'reverts' });
  await passFor(40 * MINUTE);
  expect(await scene.read(id)).toMatchObject({ status: 'failed' });
});

it('a refund whose payee the issuer has blocked fails at once', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = new SendRefused('recipient_blocked', 'the issuer of USDT has blocked the recipient');
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'failed' });
});

it('on a local chain, which has one node, it fails at once', async () => {
  expect(intervalsOf(spec).revertsFor).toBe(0);
  const id = await scene.refund({ to: PAYERS.evm });
  refusal = refusedByContract('USDT');
  await scene.pass({ intervals: { ...PUBLIC, revertsFor: 0 } });
  expect(await scene.read(id)).toMatchObject({ status: 'failed' });
});
