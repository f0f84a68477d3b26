// Payouts and refunds that an operator has paused on a network wait, nothing of them is lost, and they are paid once when they go on.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';

const [ADDRESS, CUSTOMER] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const;
const { clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let refunds: RefundScene;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  await db.pool.query('TRUNCATE payment_pauses');
  refunds = await openRefundScene({ db, clock, spec, sender });
  scene = openPayoutScene(refunds);
  await scene.session();
  await scene.address(ADDRESS);
});

const pause = (kind = 'payouts', network = spec.network) =>
  db.pool.query(
    `INSERT INTO payment_pauses (environment, network, kind, paused_at, paused_by) VALUES ('test', $1, $2, now(), 'user:1')`,
    [network, kind],
  );
const resume = () => db.pool.query('TRUNCATE payment_pauses');

describe('a payout', () => {
  it('waits while payouts are paused, without a draft or a signature, and is paid once when they go on', async () => {
    let drafts = 0;
    chain.beforeDraft = async () => void drafts++;
    const id = await scene.request();
    await pause();
    for (let turn = 0; turn < 3; turn++) await scene.pass();
    expect(await scene.read(id)).toMatchObject({
      ...{ status: 'processing', hold: 'paused', signatureRequestedAt: null },
      holdMessage:
        'The operator has paused these payments on this network. This one is sent when the operator resumes them.',
    });
    expect([drafts, scene.signing.signed, await scene.attempts(id)]).toEqual([0, 0, []]);
    await resume();
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: ADDRESS, hold: null });
    expect(scene.signing.signed).toBe(1);
  });

  it('that is paused while it is drafted is not signed', async () => {
    const id = await scene.request();
    chain.beforeDraft = async () => void (await pause());
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ hold: 'paused', signatureRequestedAt: null });
    expect([scene.signing.signed, await scene.attempts(id)]).toEqual([0, []]);
  });

  it('that is paused while the signer is down is not signed when it is back, and is paid once when payouts go on', async () => {
    const id = await scene.request();
    const { sign } = scene.signing.calls;
    scene.signing.calls.sign = async () => Promise.reject(new AddressSourceError('unavailable', 'no answer'));
    await scene.pass();
    expect(await scene.attempts(id)).toMatchObject([{ status: 'drafted' }]);
    await pause();
    scene.signing.calls.sign = sign;
    await scene.pass();
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'paused' });
    expect(await scene.attempts(id)).toMatchObject([{ status: 'refused' }]);
    expect(scene.signing.signed).toBe(0);
    await resume();
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(scene.signing.signed).toBe(1);
  });

  it('that is signed is followed to its end during the pause', async () => {
    const id = await scene.request();
    await scene.pass();
    expect(scene.signing.signed).toBe(1);
    await pause();
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(scene.signing.signed).toBe(1);
  });

  it('can be requested and canceled during the pause, and its amount is the store’s again', async () => {
    await pause();
    const before = await scene.balance('store');
    const id = await scene.request();
    await scene.pass();
    expect(await scene.balance('store')).toBe(before - 5_000_000n);
    expect(await scene.cancel(id)).toBe(true);
    expect([await scene.balance('store'), await scene.balance('payout')]).toEqual([before, 0n]);
    await resume();
    await scene.pass();
    expect([await scene.read(id), scene.signing.signed]).toMatchObject([{ status: 'canceled' }, 0]);
  });
});

it.each([
  ['refunds', spec.network],
  ['cold_transfers', spec.network],
  ['payouts', 'bsc'],
])('a pause of %s on %s stops no payout on another network and of another kind', async (kind, network) => {
  await pause(kind, network);
  const id = await scene.request();
  chain.outcome = 'landed';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
});

it('a paused refund waits, payouts go on, and it is paid once when refunds go on', async () => {
  await pause('refunds');
  const id = await refunds.refund({ to: CUSTOMER });
  const payout = await scene.request();
  chain.outcome = 'landed';
  expect(await scene.untilEnded(payout)).toMatchObject({ status: 'completed' });
  expect(await refunds.read(id)).toMatchObject({ status: 'processing', hold: 'paused' });
  await resume();
  expect(await refunds.untilEnded(id)).toMatchObject({ status: 'completed', destination: CUSTOMER });
  expect(scene.signing.signed).toBe(2);
});

it('a refund that waits for its customer keeps that hold, so that the claim link stays open during the pause', async () => {
  const id = await refunds.refund({ to: CUSTOMER });
  refunds.destinations.delete(id);
  await scene.pass();
  expect(await refunds.read(id)).toMatchObject({ hold: 'destination_needed' });
  await pause('refunds');
  await scene.pass();
  expect(await refunds.read(id)).toMatchObject({ hold: 'destination_needed' });
});
