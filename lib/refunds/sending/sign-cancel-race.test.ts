// Cancelling races signing: at the end a refund is canceled and nothing was ever signed for it, or it is paid and was never canceled. A
// real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { readDraft } from '@/lib/networks/sending/draft';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { releaseAmounts } from '@/lib/refunds/request/release-amounts';
import { moveRefund } from '@/lib/refunds/states';

const ROUNDS = 500;
const spec = localSpec('ethereum');

let isDrafting = () => {};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it(`ends in exactly one of the two states, ${ROUNDS} times`, { timeout: 240_000 }, async () => {
  // Every payment that was broadcast is final at once.
  const sender: ChainSender = scriptedSender({ spec, scene: () => scene, onDraft: () => isDrafting() });
  const scene: RefundScene = await openRefundScene({ db, clock: systemClock, spec, sender });
  const truths = { canceled: 0, completed: 0 };
  let sessionId = '';
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 90 === 0) sessionId = await scene.session();
    const id = await scene.refund({ to: PAYERS.evm, cents: 100n, sessionId });
    const drafting = new Promise<void>((resolve) => (isDrafting = resolve));
    const passes = scene.pass().then(() => scene.pass());
    await drafting;
    // Only the time of a few statements lies between the draft and the end of the race.
    for (let wait = round % 5; wait > 0; wait--) await db.pool.query('SELECT');
    const isCanceled = await transaction(db.pool, async (tx) => {
      const moved = await moveRefund(tx, id, 'cancel', { at: systemClock.now() });
      if (moved)
        await releaseAmounts(tx, {
          id,
          storeId: scene.storeId,
          environment: 'test',
          sessionId,
          caseId: null,
          network: 'ethereum',
          amount: 100n,
        });
      return moved;
    });
    await passes;
    const refund = isCanceled ? await scene.read(id) : await scene.untilEnded(id);
    const status = isCanceled ? 'canceled' : 'completed';
    const [attempts, known] = [await scene.attempts(id), scene.signing.signer.attempts(id).attempts];
    truths[status]++;
    expect([refund.status, refund.signatureRequestedAt === null]).toEqual([status, isCanceled]);
    expect(attempts.map((one) => one.status)).toEqual(isCanceled ? [] : ['landed']);
    expect(known.map(({ hash }) => hash)).toEqual(attempts.map(({ hash }) => hash));
    for (const { draft } of attempts) expect(readDraft(draft as never).amount).toBe(1_000_000n);
  }
  expect(truths.canceled).toBeGreaterThan(ROUNDS / 20);
  expect(truths.completed).toBeGreaterThan(ROUNDS / 20);
  expect(scene.signing.signed).toBe(truths.completed);
});
