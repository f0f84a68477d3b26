// A database beside a signer's journal, for tests of data loss in one of them. The real signer signs refunds of paid
// sessions; tests store them as the worker does, or not.

import { randomBytes } from 'node:crypto';
import type { Context } from '@/lib/platform/context';
import { createRefund } from '@/lib/refunds/request/create';
import { intentIdOf } from '@/lib/refunds/request/intent';
import type { JournalSigner } from '@/lib/refunds/recovery/signer-check-journal';
import type { Draft } from '@/lib/networks/sending/send';
import type { RefundOrder, Signed } from '@/lib/signer/client';
import type { TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeMerchant, refundRequest } from '@/testing/refunds/refund-caller';
import { evmDraft, localSpec, openScene, orderOn, START, tronDraft } from './signer-scene';

const FINGERPRINT = 'f'.repeat(64);

/** Everything in it is new but the database. */
export async function openJournalScene(db: TestDatabase, directory: string) {
  await db.pool.query('DELETE FROM signer_marks');
  await db.pool.query(`UPDATE chains SET retired_at = now() WHERE retired_at IS NULL`);
  const clock = new TestClock(START / 1000);
  const context: Context = testContext(db, clock);
  const merchant = await makeMerchant(db, context);
  const chains = {
    ethereum: await makeChain(db, 'ethereum', START / 1000),
    tron: await makeChain(db, 'tron', START / 1000),
  };
  const signing = openScene(directory, { perHour: 10n ** 9n, perDay: 10n ** 9n });
  let nonce = 0;
  const paid = (network: 'ethereum' | 'tron', status?: 'pending') =>
    makePaidSession(db, {
      storeId: merchant.storeId,
      closedAt: clock.now(),
      cents: 1000,
      network,
      ...(status && { status }),
    });
  return {
    ...{ context, clock, merchant, signing, paid },
    signer: signerOf(() => signing.signer),
    create: (request: Parameters<typeof refundRequest>[0]) =>
      createRefund(context, merchant.caller(), refundRequest(request)),
    /** An order as the worker creates it, and its draft; neither is stored in the database. */
    async ask(given: { network?: 'ethereum' | 'tron'; session?: string; cents?: bigint; refundId?: string } = {}) {
      const { network = 'tron', cents = 100n, refundId = `r-${randomBytes(8).toString('hex')}` } = given;
      const session = given.session ?? (await paid(network));
      const intentId = intentIdOf({ storeId: merchant.storeId, environment: 'test', refundId });
      const order = orderOn(network, { intentId, session, cents, mostCents: 1000n });
      const draft = network === 'tron' ? await tronDraft(order, nonce++) : evmDraft(order, { nonce: nonce++ });
      return { order, draft, refundId, session, cents, sign: (): Signed => signing.signer.sign({ order, draft }) };
    },
    /** The rows of a refund with a drafted attempt, which is also signed if `signed` says so. */
    async store(
      one: { order: RefundOrder; draft: Draft; refundId: string; session: string; cents: bigint },
      signed?: Signed,
    ) {
      const { order, draft, refundId, session, cents } = one;
      const request = { session_id: session, refund_id: refundId, amount: Number(cents) };
      await createRefund(context, merchant.caller(), refundRequest(request));
      const now = clock.now();
      await db.pool.query(
        `UPDATE refunds SET status = 'processing', sign_after = $2, destination = $3, destination_kind = 'payer',
           destination_reference = 'transfer/1', signature_requested_at = $2 WHERE id = $1`,
        [order.intentId, now, order.to],
      );
      await db.pool.query(
        `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
         VALUES ($1, 1, $2, $3::"AttemptStatus", $4, $5, $6, $7, $8, CASE WHEN $5::text IS NOT NULL THEN $8::timestamptz END)`,
        [
          order.intentId,
          chains[order.network as keyof typeof chains],
          signed ? 'signed' : 'drafted',
          JSON.stringify(draft),
          signed?.hash ?? null,
          signed?.bytes ?? null,
          signed ? JSON.stringify(signed.validity) : null,
          now,
        ],
      );
    },
    refund: (id: string) => db.prisma.refund.findUnique({ where: { id } }),
    attempts: (id: string) => db.prisma.refundAttempt.findMany({ where: { intentId: id }, orderBy: { number: 'asc' } }),
    session: (id: string) => db.prisma.session.findUniqueOrThrow({ where: { id } }),
    cursor: () => db.prisma.signerMark.findUnique({ where: { fingerprint: FINGERPRINT } }),
    spec: localSpec,
  };
}

/** The calls of a signer in this process, as the client makes them, counted. */
export function signerOf(signer: () => ReturnType<typeof openScene>['signer'], fingerprint = FINGERPRINT) {
  const requests = { journal: 0, attempts: 0 };
  const calls: JournalSigner = {
    fingerprint: async () => fingerprint,
    state: async () => signer().state(),
    async journal(after, limit = 50, skip = 0) {
      requests.journal++;
      return signer().journal({ after, limit, ...(skip > 0 ? { skip } : {}) });
    },
    async attempts(intentId) {
      requests.attempts++;
      return signer().attempts(intentId).attempts;
    },
    freeze: async (reason) => void signer().freeze(reason),
  };
  return { ...calls, requests };
}
