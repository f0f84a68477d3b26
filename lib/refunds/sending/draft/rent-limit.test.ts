// The limit of token accounts that refunds open for one payee, on a real database.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { checkRentLimit, isPayeeBusy, MAX_ACCOUNTS_PER_PAYEE } from './rent-limit';
import type { Work } from '@/lib/refunds/sending/sending-context';

const spec = localSpec('solana');
/** In lamports. */
const RENT = 2_039_280;
type Scene = Awaited<ReturnType<typeof openScene>>;
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

async function openScene() {
  const sender = scriptedSender({ spec, scene: () => scene, outcome: () => ({ kind: 'waiting' }) });
  const scene = await openRefundScene({ db, clock: systemClock, spec, sender });
  return scene;
}

async function attempted(
  { refund, chainId }: Scene,
  { status, rent }: { readonly status: string; readonly rent: number | null },
): Promise<void> {
  const id = await refund({ to: PAYERS.solana });
  await db.pool.query(
    `UPDATE refunds SET destination = $2, destination_kind = 'payer', destination_reference = 'transfer/1' WHERE id = $1`,
    [id, PAYERS.solana],
  );
  const signed = status === 'drafted' ? null : id;
  await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, drafted_at, rent, ended_at, hash, bytes, validity, signed_at)
     VALUES ($1, 1, $2, $3::"AttemptStatus", '{}', now(), $4, CASE WHEN $3 = 'landed' THEN now() END,
       $5, CASE WHEN $5::text IS NOT NULL THEN '\\x00'::bytea END, CASE WHEN $5::text IS NOT NULL THEN '{}'::jsonb END,
       CASE WHEN $5::text IS NOT NULL THEN now() END)`,
    [id, chainId, status, rent, signed],
  );
}

async function isBusyOn({ sending, context, chainId, ...scene }: Scene) {
  const refund = await scene.read(await scene.refund({ to: PAYERS.solana }));
  const work = { sending, context, chainId, payment: refund } as unknown as Work;
  return isPayeeBusy(db.pool, work, { to: PAYERS.solana, currency: 'USDT' });
}

async function checkOn({ sending, context, chainId, ...scene }: Scene, opens: boolean) {
  const refund = await scene.read(await scene.refund({ to: PAYERS.solana }));
  const work = { sending, context, chainId, payment: refund } as unknown as Work;
  return transaction(db.pool, (tx) => checkRentLimit(tx, work, { to: PAYERS.solana, currency: 'USDT', opens }));
}

it('counts the accounts that refunds of one chain open, so that refunds on a test network block no live refund', async () => {
  const elsewhere = await openScene();
  for (let opened = 0; opened < MAX_ACCOUNTS_PER_PAYEE; opened++)
    await attempted(elsewhere, { status: 'drafted', rent: RENT });
  expect(await checkOn(await openScene(), true)).toBeNull();
  expect(await checkOn(elsewhere, true)).toMatchObject({ code: 'account_limit' });
});

it('lets only as many payments be under way as may still open an account, and the others follow when those are final', async () => {
  const scene = await openScene();
  await attempted(scene, { status: 'landed', rent: RENT });
  for (const status of ['signed', 'signed', 'sent']) {
    expect(await checkOn(scene, false)).toBeNull();
    await attempted(scene, { status, rent: null });
  }
  expect([await checkOn(scene, false), await checkOn(scene, true)]).toEqual(['busy', 'busy']);
  expect(await isBusyOn(scene)).toBe(true);
  // They opened none.
  await db.pool.query(
    `UPDATE refund_attempts SET status = 'landed', ended_at = now() WHERE chain_id = $1 AND status <> 'landed'`,
    [scene.chainId],
  );
  expect([await checkOn(scene, false), await checkOn(scene, true), await isBusyOn(scene)]).toEqual([null, null, false]);
});
