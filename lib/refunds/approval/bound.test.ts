// A refund needs a payment that the watcher proved. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makePaidSession } from '@/testing/payments/paid-session';
import { depositAddressOf, macOfTransfer } from '@/testing/payments/proven-transfer';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { createRefundByStore } from '@/lib/refunds/request/by-store';
import { findDestination } from '@/lib/refunds/destination/destination';
import { readProvenTransfers } from '@/lib/refunds/destination/payers';

const evm = localSpec('ethereum');
const clock = { now: () => new Date('2026-11-21T12:00:00Z') };
let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  const sender = scriptedSender({ spec: evm, scene: () => scene, outcome: () => ({ kind: 'waiting' }) });
  scene = await openRefundScene({ db, clock, spec: evm, sender });
});
afterAll(() => db.close());

/** A transfer of a token with six decimals, as the watcher stores it. */
async function makeProvenTransfer(sessionId: string, cents: number): Promise<void> {
  const transfer = {
    network: 'ethereum',
    sessionId,
    transactionHash: sessionId,
    currency: 'USDT',
    payer: '0xp',
    decimals: 6,
    recipient: await depositAddressOf(db.pool, sessionId, 'evm'),
  };
  const [amount, blockTime] = [BigInt(cents) * 10_000n, clock.now().getTime() / 1000];
  const mac = await macOfTransfer(db.pool, scene.chainId, { ...transfer, amount, blockTime });
  await db.pool.query(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals, mac)
     VALUES ($1, 'ethereum', $2, $2, 0, 50, '0xb', $3, 'USDT', '0xc', '0xp', $6, $4, 6, $5)`,
    [scene.chainId, sessionId, clock.now(), amount.toString(), mac, transfer.recipient],
  );
}

/** A session over 500.00 with its ledger rows, a refund of it, and an address as if its customer had given it by the claim link. */
async function refund(proven: number | null) {
  const session_id = await makePaidSession(db, { storeId: scene.storeId, closedAt: clock.now(), cents: 50_000 });
  if (proven !== null) await makeProvenTransfer(session_id, proven);
  const side = { storeId: scene.storeId, environment: 'test' as const, record: async () => {} };
  const request = refundRequest({ session_id, amount: 50_000, refund_id: session_id });
  const { id } = await createRefundByStore(scene.context, side, request);
  await db.pool.query(
    `INSERT INTO refund_addresses (session_id, network, address, intent_id, given_at) VALUES ($1, 'ethereum', $2, $3, now())`,
    [session_id, PAYERS.evm, id],
  );
  for (let turn = 0; turn < 3; turn++) await scene.pass({ findDestination });
  return {
    refund: await scene.read(id),
    signed: (await scene.attempts(id)).filter(({ hash }) => hash !== null).length,
  };
}

it('never pays a refund of a session that has rows but no proven transfer', async () => {
  expect(await refund(null)).toMatchObject({ refund: { status: 'processing', hold: 'evidence' }, signed: 0 });
});

it('pays a refund up to the sum of the proven transfers of its session, and not a cent more', async () => {
  expect(await refund(49_999)).toMatchObject({ refund: { hold: 'evidence' }, signed: 0 });
  expect(await refund(50_000)).toMatchObject({ refund: { hold: null }, signed: 1 });
});

it('does not treat a transfer as proven after its row was changed', async () => {
  const session_id = await makePaidSession(db, { storeId: scene.storeId, closedAt: clock.now(), cents: 50_000 });
  await makeProvenTransfer(session_id, 50_000);
  await db.pool.query('ALTER TABLE transfers DISABLE TRIGGER USER');
  await db.pool.query('UPDATE transfers SET amount = amount * 2 WHERE session_id = $1', [session_id]);
  await db.pool.query('ALTER TABLE transfers ENABLE TRIGGER USER');
  const of = { storeId: scene.storeId, environment: 'test', sessionId: session_id, caseId: null } as const;
  expect(await readProvenTransfers(db.pool, of, scene.sending.signer!.evidenceKey)).toEqual([]);
});
