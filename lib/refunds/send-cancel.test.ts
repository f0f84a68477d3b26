// Cancelling races signing: at the end a refund is canceled and nothing was ever signed for it, or it is paid and was never
// canceled. A real database and the real signer; the chain is played.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { readDraft } from '@/lib/chains/send-draft';
import { writeEvmDraft } from '@/lib/chains/evm/send-draft';
import type { ChainSender, SentAttempt } from '@/lib/chains/send';
import { systemClock } from '@/lib/clock';
import { transaction } from '@/lib/db';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { openRefundScene } from '@/lib/testing/refund-scene';
import { localSpec, PAYERS } from '@/lib/testing/signer-scene';
import { giveBack } from './give-back';
import { moveRefund } from './states';

const ROUNDS = 500;
const GWEI = 10n ** 9n;
const spec = localSpec('ethereum');
const block = { number: 1, hash: '0xb', parentHash: '0xa', time: 1 };

let isDrafting = () => {};
/** Every payment that was handed over is final at once. */
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, from, { nonce = 0 } = {}) {
    const prices = { maxPriorityFeePerGas: GWEI, maxFeePerGas: 2n * GWEI, gasLimit: 90_000n };
    isDrafting();
    return writeEvmDraft({ chainId: spec.chainId ?? 0, nonce, ...prices, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => 0,
  broadcast: async () => 'accepted',
  fate: async ({ hash }: SentAttempt) => ({ kind: 'landed', hash, block }),
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it(`ends in exactly one truth, ${ROUNDS} times`, { timeout: 240_000 }, async () => {
  const scene = await openRefundScene({ db, clock: systemClock, spec, sender });
  // What the chain has seen is what the signer made.
  sender.nextNonce = async () => scene.signing.signer.state().nextNonces['ethereum@local'] ?? 0;
  const truths = { canceled: 0, completed: 0 };
  let sessionId = '';
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 90 === 0) sessionId = await scene.session();
    const id = await scene.refund({ to: PAYERS.evm, cents: 100n, sessionId });
    const drafting = new Promise<void>((resolve) => (isDrafting = resolve));
    const passes = scene.pass().then(() => scene.pass());
    await drafting;
    // The time of a few statements is all that lies between the draft and the end of the race.
    for (let wait = round % 5; wait > 0; wait--) await db.pool.query('SELECT');
    const isCanceled = await transaction(db.pool, async (tx) => {
      const moved = await moveRefund(tx, id, 'cancel', { at: systemClock.now() });
      if (moved)
        await giveBack(tx, { id, storeId: scene.storeId, environment: 'test', sessionId, caseId: null, amount: 100n });
      return moved;
    });
    await passes;
    const refund = isCanceled ? await scene.read(id) : await scene.untilEnded(id);
    const status = isCanceled ? 'canceled' : 'completed';
    const [attempts, known] = [await scene.attempts(id), scene.signing.signer.attempts(id).attempts];
    truths[status]++;
    expect([refund.status, refund.askedAt === null]).toEqual([status, isCanceled]);
    expect(attempts.map((one) => one.status)).toEqual(isCanceled ? [] : ['landed']);
    expect(known.map(({ hash }) => hash)).toEqual(attempts.map(({ hash }) => hash));
    for (const { draft } of attempts) expect(readDraft(draft as never).amount).toBe(1_000_000n);
  }
  expect(truths.canceled).toBeGreaterThan(ROUNDS / 20);
  expect(truths.completed).toBeGreaterThan(ROUNDS / 20);
  expect(scene.signing.signed).toBe(truths.completed);
});
