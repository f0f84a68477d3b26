// Payments that the signer refuses after a request for their signature got no answer. They can be canceled again when nothing was signed and no
// request is in flight. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { openSignerCheck } from '@/lib/refunds/recovery/signer-check';
import type { RefundSigning } from '@/lib/refunds/sending/sending-context';
import { moveRefund } from '@/lib/refunds/states';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { signerOf } from '@/testing/signer/journal-scene';
import { PAYERS, policy } from '@/testing/signer/signer-scene';

type Sign = RefundSigning['sign'];
const ADDRESS = `0x${'a1'.repeat(20)}`;
const NONE = { perRefund: 0n, perHour: 0n, perDay: 0n };
const { time, clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let refunds: RefundScene;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  await db.pool.query('DELETE FROM signer_marks');
  refunds = await openRefundScene({ db, clock, spec, sender });
  scene = openPayoutScene(refunds);
  await scene.session();
  await scene.address(ADDRESS);
});

const signerWith = (payoutLimits = policy().payoutLimits) =>
  scene.signing.restart({ policy: { ...policy(), payoutLimits } });
const withCalls = (calls: Partial<RefundSigning>) => ({
  signer: { ...scene.sending.signer!, calls: { ...scene.signing.calls, ...calls } },
});
/** The signer does not answer the requests of this run. */
const unanswered = (sign: Sign = async () => Promise.reject(new AddressSourceError('unavailable', 'no answer'))) =>
  scene.pass(withCalls({ sign }));
const later = async (minutes: number) => {
  time.now += minutes * 60_000;
  await scene.pass();
};
const signatures = (id: string) => scene.signing.signer.attempts(id).attempts.length;
const statuses = async (id: string) => (await scene.attempts(id)).map(({ status }) => status);

/** A payout whose first request had no answer, and whose second one was refused. */
async function refusedLater(sign?: Sign): Promise<string> {
  const id = await scene.request();
  await unanswered(sign);
  expect(await statuses(id)).toEqual(['drafted']);
  signerWith({ ...policy().payoutLimits, perRefund: 499n });
  await scene.pass();
  expect(await statuses(id)).toEqual(['refused']);
  expect(await scene.cancel(id)).toBe(false);
  return id;
}

describe('a payout that the signer refuses after a request without an answer', () => {
  it('can be canceled when no request can be in flight any more, and its reserve is released', async () => {
    const id = await refusedLater();
    await later(4);
    expect(await scene.cancel(id)).toBe(false);
    await later(2);
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'not_allowed' });
    expect(await scene.cancel(id)).toBe(true);
    expect([await scene.balance('store'), await scene.balance('payout')]).toEqual([PAID * 10_000n, 0n]);
    signerWith();
    await later(1);
    expect([await scene.read(id), signatures(id)]).toMatchObject([{ status: 'canceled' }, 0]);
  });

  it('is paid once when the signer allows it again before it is canceled', async () => {
    const id = await refusedLater();
    await later(6);
    signerWith();
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: ADDRESS });
    expect([signatures(id), await scene.cancel(id)]).toEqual([1, false]);
  });

  it('can be canceled after the signer refuses all payouts, and after its address was stopped', async () => {
    const id = await scene.request();
    await unanswered();
    await db.pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE store_id = $1', [scene.storeId]);
    signerWith(NONE);
    await scene.pass();
    expect([await statuses(id), await scene.cancel(id)]).toEqual([['refused'], false]);
    await later(6);
    expect(await scene.cancel(id)).toBe(true);
  });

  it('cannot be canceled while another request of it has no answer', async () => {
    const id = await refusedLater();
    signerWith();
    time.now += 60_000;
    await unanswered();
    signerWith(NONE);
    scene.signing.isDown = true;
    await later(10);
    expect([await statuses(id), await scene.cancel(id)]).toEqual([['refused', 'drafted'], false]);
  });

  it('cannot be canceled if the signer signed a request that came late, and is paid once', async () => {
    let late: () => unknown = () => null;
    const id = await refusedLater(async (params) => {
      late = () => scene.signing.calls.sign(params);
      throw new AddressSourceError('unavailable', 'no answer');
    });
    signerWith();
    await late();
    signerWith(NONE);
    await later(6);
    expect([await statuses(id), await scene.cancel(id), signatures(id)]).toEqual([['refused', 'sent'], false, 1]);
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
  });

  it.each(['frozen', 'unavailable'] as const)(
    'cannot be canceled while the check of the journal says %s',
    async (verdict) => {
      const id = await refusedLater();
      time.now += 6 * 60_000;
      await scene.pass({ check: async () => verdict });
      expect(await scene.cancel(id)).toBe(false);
    },
  );

  it('cannot be canceled because of a worker that has lost the payout', async () => {
    const id = await refusedLater();
    time.now += 6 * 60_000;
    const attempts = async () => {
      await db.pool.query('UPDATE payouts SET epoch = epoch + 1 WHERE id = $1', [id]);
      return [];
    };
    await scene.pass(withCalls({ attempts }));
    expect(await scene.cancel(id)).toBe(false);
  });

  it('stays unpaid if a suspended worker has it signed after the cancel, and signing freezes', async () => {
    let late: () => unknown = () => null;
    const sent: string[] = [];
    const broadcast = async (bytes: string) => (sent.push(bytes), 'accepted' as const);
    const id = await refusedLater(async (params) => {
      late = () => scene.signing.calls.sign(params);
      throw new AddressSourceError('unavailable', 'no answer');
    });
    await later(6);
    expect(await scene.cancel(id)).toBe(true);
    signerWith();
    await late();
    for (let turn = 0; turn < 3; turn++) await scene.pass({ sender: { ...sender, broadcast } });
    expect([sent, await statuses(id), (await scene.read(id)).status]).toEqual([[], ['refused'], 'canceled']);
    expect(
      await openSignerCheck(
        signerOf(() => scene.signing.signer),
        [],
      )(scene.context),
    ).toBe('frozen');
  });
});

describe('a refund that the signer refuses after a request without an answer', () => {
  it('can be canceled when no request can be in flight any more', async () => {
    const id = await refunds.refund({ to: PAYERS.evm });
    const cancel = () => transaction(db.pool, (tx) => moveRefund(tx, id, 'cancel', { at: clock.now() }));
    await unanswered();
    scene.signing.restart({ policy: policy({ perRefund: 499n }) });
    await scene.pass();
    expect([await statuses(id), await cancel()]).toEqual([['refused'], false]);
    await later(6);
    expect(await cancel()).toBe(true);
  });
});
