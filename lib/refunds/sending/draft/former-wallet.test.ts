// After a change of the refund wallet, the account nonces of the former wallet's payments mean nothing for the new one. A real database
// and the real signer; the chain is simulated.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { areNoncesKnown } from '@/lib/refunds/wallet-check/nonces';

const spec = localSpec('ethereum');
const FORMER = `0x${'F0'.repeat(20)}`;
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

/** A refund is signed and in no block. Its attempt is changed to what `given` says. */
async function open(given: { readonly nonce: number; readonly from?: string; readonly status?: 'drafted' }) {
  const clock = new TestClock();
  const sender = scriptedSender({ spec, scene: () => scene, outcome: () => ({ kind: 'waiting' }) });
  const scene: RefundScene = await openRefundScene({ db, clock, spec, sender, intervals: { replaceAfter: 20_000 } });
  const earlier = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  await db.pool.query('ALTER TABLE refund_attempts DISABLE TRIGGER USER');
  await db.pool.query(
    `UPDATE refund_attempts SET validity = jsonb_set(validity::jsonb, '{nonce}', to_jsonb($2::int)),
       draft = jsonb_set(draft::jsonb, '{from}', to_jsonb(coalesce($3::text, draft->>'from'))) WHERE intent_id = $1`,
    [earlier, given.nonce, given.from ?? null],
  );
  if (given.status === 'drafted')
    await db.pool.query(
      `UPDATE refund_attempts SET status = 'drafted', hash = NULL, bytes = NULL, validity = NULL, signed_at = NULL, sent_at = NULL
       WHERE intent_id = $1`,
      [earlier],
    );
  await db.pool.query('ALTER TABLE refund_attempts ENABLE TRIGGER USER');
  await db.pool.query(`UPDATE refunds SET next_at = now() + interval '1 year' WHERE id = $1`, [earlier]);
  const statuses = async (id: string) => (await scene.attempts(id)).map(({ status }) => status);
  return { ...scene, clock, statuses };
}

describe('a payment of the present wallet', () => {
  it.each([
    ['is signed beside one of the former wallet with a later nonce', FORMER, ['sent']],
    ['waits for one of its own wallet with a later nonce', undefined, []],
  ])(
    '%s',
    async (_, from, expected) => {
      const { refund, pass, statuses } = await open({ nonce: 7, ...(from ? { from } : {}) });
      const id = await refund({ to: PAYERS.evm });
      await pass();
      expect(await statuses(id)).toEqual(expected);
    },
    60_000,
  );

  it.each([
    ['is signed although a draft of the former wallet is open', FORMER, ['sent']],
    ['waits while a draft of its own wallet is open', undefined, []],
  ])(
    '%s',
    async (_, from, expected) => {
      const { refund, pass, statuses } = await open({ nonce: 0, status: 'drafted', ...(from ? { from } : {}) });
      const id = await refund({ to: PAYERS.evm });
      await pass();
      expect(await statuses(id)).toEqual(expected);
    },
    60_000,
  );

  it.each([
    ['is offered a higher fee although one of the former wallet with a lower nonce is in no block', FORMER, 2],
    ['is not offered a higher fee before one of its own wallet with a lower nonce', undefined, 1],
  ])(
    '%s',
    async (_, from, expected) => {
      const { refund, pass, clock, statuses } = await open({ nonce: 0, ...(from ? { from } : {}) });
      const id = await refund({ to: PAYERS.evm });
      for (let turn = 0; turn < 2; turn++) {
        await pass();
        clock.advance(20);
      }
      // This scene's signer takes the earlier one for its own and refuses; what counts is that it was asked.
      expect(await statuses(id)).toHaveLength(expected);
    },
    60_000,
  );
});

it('counts only nonces of the present wallet as known', async () => {
  const scene = await open({ nonce: 0 });
  const at = { context: scene.context, chainId: scene.chainId };
  const [attempt] = await db.prisma.refundAttempt.findMany({ where: { chainId: scene.chainId } });
  const { from } = attempt!.draft as { from: string };
  expect(await areNoncesKnown(at, { address: from.toUpperCase().replace('0X', '0x'), next: 1 })).toBe(true);
  expect(await areNoncesKnown(at, { address: FORMER, next: 1 })).toBe(false);
}, 60_000);
