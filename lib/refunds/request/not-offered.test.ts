// A session that was completed partly by a payment in a token that the operator does not offer: both parts go back, and the signer
// pays in neither token more than what arrived in it. A real database and the real signer; the chain is simulated.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChainSender } from '@/lib/networks/sending/send';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { postTransfers } from '@/lib/ledger/post';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { depositAddressOf, macOfTransfer } from '@/testing/payments/proven-transfer';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const tron = localSpec('tron');
const time = { now: Date.parse('2026-11-21T12:00:00Z') };
const clock = { now: () => new Date(time.now) };
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, owner) {
    const block = { refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1' };
    const life = { expiration: time.now + 300_000, timestamp: time.now, feeLimit: 30_000_000n };
    return writeTronDraft({ owner, contract, to, amount, ...block, ...life }, intentId);
  },
  nextNonce: () => Promise.reject(new Error('TRON has no nonces')),
  broadcast: async () => 'accepted',
  outcome: async ({ hash }) => landed(hash),
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  // TRON's public test network has no USDC to offer.
  scene = await openRefundScene({ db, clock, spec: tron, sender, settings: { TEST_CHAINS: 'public' } });
});
afterAll(() => db.close());

/** A completed session over 100.00: 60.00 came in USDT, and 40.00 in TRON's discontinued USDC, which the merchant accepted. */
async function session(): Promise<string> {
  const sessionId = await scene.session('USDT', 6000n);
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE sessions SET amount_due = 10000, amount_received = 10000 WHERE id = $1', [sessionId]);
  });
  const [hash, amount, blockTime] = [`0x${randomUUID()}`, 40_000_000n, unixSeconds(clock.now())];
  const recipient = await depositAddressOf(db.pool, sessionId, 'tron');
  const transfer = {
    network: 'tron',
    sessionId,
    transactionHash: hash,
    blockTime,
    currency: 'USDC',
    payer: PAYERS.tron,
    recipient,
  };
  const mac = await macOfTransfer(db.pool, scene.chainId, { ...transfer, amount, decimals: 6 });
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals, mac)
     VALUES ($1, 'tron', $2, $3, 0, 50, '0xb', $4, 'USDC', '0xc', $8, $7, $5, 6, $6) RETURNING id`,
    [scene.chainId, sessionId, hash, fromUnixSeconds(blockTime), String(amount), mac, recipient, PAYERS.tron],
  );
  const { storeId } = scene;
  const of = { transferId: rows[0]!.id, storeId, environment: 'test', sessionId, network: 'tron' } as const;
  await transaction(db.pool, (tx) => postTransfers(tx, [{ ...of, currency: 'USDC', amount, toStore: amount }]));
  return sessionId;
}

const refund = (sessionId: string, currency: string, cents: bigint) =>
  scene.refund({ to: PAYERS.tron, sessionId, currency, cents });
async function paid(id: string) {
  for (let turn = 0; turn < 5; turn++) {
    time.now += 5000;
    await scene.pass();
  }
  const { status, hold } = await scene.read(id);
  return { status, hold };
}

it.each([
  ['USDC', 4000n, 'USDT', 6000n],
  ['USDT', 6000n, 'USDC', 4000n],
] as const)('pays all of it back in two refunds, %s first', async (first, cents, second, others) => {
  const sessionId = await session();
  expect(await paid(await refund(sessionId, first, cents))).toEqual({ status: 'completed', hold: null });
  expect(await paid(await refund(sessionId, second, others))).toEqual({ status: 'completed', hold: null });
});

it('reports that a token is not offered, not that evidence is missing, when one refund would pay back both tokens', async () => {
  const sessionId = await session();
  const takes = [
    { network: 'tron', currency: 'USDT', amount: 60_000_000n },
    { network: 'tron', currency: 'USDC', amount: 40_000_000n },
  ];
  const both = await scene.refund({ to: PAYERS.tron, sessionId, currency: 'USDT', cents: 10_000n, takes });
  expect(await paid(both)).toEqual({ status: 'processing', hold: 'not_offered' });
});

it('never lets the signer pay more than what arrived in each token, whatever the rows contain', async () => {
  const sessionId = await session();
  // Other sessions of the store have brought enough of both tokens, and the web process raises this session's price.
  await scene.session('USDT', 50_000n);
  await scene.session('USDC', 50_000n);
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE sessions SET amount_due = 1000000 WHERE id = $1', [sessionId]);
  });
  await paid(await refund(sessionId, 'USDC', 4000n));
  const more = (currency: string) => refund(sessionId, currency, 1n);
  expect(await paid(await more('USDC'))).toMatchObject({ status: 'processing', hold: 'evidence' });
  await paid(await refund(sessionId, 'USDT', 6000n));
  expect(await paid(await more('USDT'))).toMatchObject({ status: 'processing', hold: 'evidence' });
});

it('never pays a transfer twice because a token that is not offered covers it', async () => {
  const sessionId = await session();
  expect(await paid(await refund(sessionId, 'USDT', 6000n))).toMatchObject({ status: 'completed' });
  // A compromised web process turns the transfer into a payment exception as well.
  const again = await refund(await scene.session('USDT', 6000n), 'USDT', 4000n);
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      `WITH exception AS (
         INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
         SELECT $1, 'test', $2, id, 'late', amount FROM transfers WHERE session_id = $2 AND currency = 'USDT' RETURNING id)
       UPDATE refunds SET session_id = $2, case_id = (SELECT id FROM exception) WHERE id = $3`,
      [scene.storeId, sessionId, again],
    );
  });
  expect(await paid(again)).toMatchObject({ status: 'processing', hold: 'evidence' });
});
