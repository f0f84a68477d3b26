// A payment that the signer has signed and the database does not know. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { Refusal } from '@/lib/signer/client';
import { evidenceKey, localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { openWalletChain } from '@/testing/refunds/wallet-chain';

const time = { now: Date.now() + 3_600_000 };
const clock = { now: () => new Date(time.now) };

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

test('is adopted with the date of its signature, not the date on which it was found', async () => {
  const scene = await openRefundScene({ db, clock, spec: localSpec('tron'), sender: openWalletChain(clock).sender });
  const id = await scene.refund({ to: PAYERS.tron });
  await scene.pass();
  const [signed] = await scene.attempts(id);
  expect(signed).toMatchObject({ status: 'sent', signedAt: clock.now() });
  // As in a database from a backup.
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('DELETE FROM refund_attempts WHERE intent_id = $1', [id]);
  });
  time.now += 3_600_000;
  await scene.pass();
  expect((await scene.attempts(id)).filter(({ hash }) => hash !== null)).toMatchObject([
    { hash: signed?.hash, draftedAt: signed?.signedAt, signedAt: signed?.signedAt },
  ]);
});

test('keeps the date of its signature in the draft that the database has of it', async () => {
  const scene = await openRefundScene({ db, clock, spec: localSpec('tron'), sender: openWalletChain(clock).sender });
  const id = await scene.refund({ to: PAYERS.tron });
  const signedAt = clock.now();
  // The response is lost, and the request is repeated an hour later.
  const sign: typeof scene.signing.calls.sign = async (params) => {
    await scene.signing.calls.sign(params);
    time.now += 3_600_000;
    throw new Refusal('draft', 'the draft is too old');
  };
  await scene.pass({ signer: { calls: { ...scene.signing.calls, sign }, evidenceKey } });
  expect(await scene.attempts(id)).toMatchObject([{ number: 1, draftedAt: signedAt, signedAt }]);
});
