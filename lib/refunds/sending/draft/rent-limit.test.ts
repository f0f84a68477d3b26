// The limit of token accounts that refunds open for one payee, on a real database.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { checkRentLimit, MAX_ACCOUNTS_PER_PAYEE } from './rent-limit';
import type { Work } from '@/lib/refunds/sending/sending-context';

const spec = localSpec('solana');
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

async function openScene() {
  const sender = scriptedSender({ spec, scene: () => scene, outcome: () => ({ kind: 'waiting' }) });
  const scene = await openRefundScene({ db, clock: systemClock, spec, sender });
  return scene;
}

it('counts the accounts that refunds of one chain open, so that refunds on a test network block no live refund', async () => {
  const elsewhere = await openScene();
  for (let opened = 0; opened < MAX_ACCOUNTS_PER_PAYEE; opened++) {
    const id = await elsewhere.refund({ to: PAYERS.solana });
    await db.pool.query(
      `UPDATE refunds SET destination = $2, destination_kind = 'payer', destination_reference = 'transfer/1' WHERE id = $1`,
      [id, PAYERS.solana],
    );
    await db.pool.query(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, drafted_at, rent)
       VALUES ($1, 1, $2, 'drafted', '{}', now(), 2039280)`,
      [id, elsewhere.chainId],
    );
  }
  const scene = await openScene();
  const holdOn = async ({ sending, context, chainId }: typeof scene) => {
    const refund = await scene.read(await scene.refund({ to: PAYERS.solana }));
    const work = { sending, context, chainId, payment: refund } as unknown as Work;
    return transaction(db.pool, (tx) => checkRentLimit(tx, work, { to: PAYERS.solana, currency: 'USDT', opens: true }));
  };
  expect(await holdOn(scene)).toBeNull();
  expect(await holdOn(elsewhere)).toMatchObject({ code: 'account_limit' });
});
