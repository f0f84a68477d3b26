// What must be true on the chain before a refund is drafted, whatever rows a compromised web process writes: the payments arrived at
// deposit addresses of this wallet, and all refunds of a session together return no more than its payers sent.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromUnixSeconds, systemClock, unixSeconds } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { depositAddressOf, macOfTransfer } from '@/testing/payments/proven-transfer';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { openWalletChain } from '@/testing/refunds/wallet-chain';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { findDestination } from '@/lib/refunds/destination/destination';

const spec = localSpec('ethereum');
const FOREIGN = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene({ db, clock: systemClock, spec, sender: scriptedSender({ spec, scene: () => scene }) });
});
afterAll(() => db.close());

const to = PAYERS.evm;
const pay = async () => {
  for (let turn = 0; turn < 5; turn++) await scene.pass();
};

/** Inserts what the web role may insert: an exception for a transfer that counted, and a refund of that exception. */
async function refundAsException(
  of: RefundScene,
  { sessionId, cents, payer }: { sessionId: string; cents: bigint; payer: string },
): Promise<string> {
  const id = await of.refund({ to: payer, cents, sessionId: await of.session() });
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
     SELECT $1, 'test', $2, id, 'late', amount FROM transfers WHERE session_id = $2 AND payer = $3 RETURNING id`,
    [of.storeId, sessionId, payer],
  );
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(`UPDATE refunds SET session_id = $2, case_id = $3 WHERE id = $1`, [id, sessionId, rows[0]!.id]);
  });
  return id;
}

test('never refunds a payment to an address that is not a deposit address of the wallet', async () => {
  const sessionId = await scene.session('USDT', PAID, FOREIGN);
  const id = await scene.refund({ to, cents: 500n, sessionId });
  await pay();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'evidence', signatureRequestedAt: null });
});

test('a watch-only list that is too short puts the refund on hold and says what the operator has to do', async () => {
  const id = await scene.refund({ to, cents: 500n });
  const why = 'WATCH_ONLY_SOLANA_KEYS_FILE has keys for 30 indexes only';
  const deposits = { owns: () => Promise.reject(new AddressSourceError('exhausted', why)) };
  for (let turn = 0; turn < 3; turn++) await scene.pass({ deposits });
  expect(await scene.read(id)).toMatchObject({
    hold: 'signer_unavailable',
    holdMessage: `${why}.`,
    signatureRequestedAt: null,
  });
  await pay();
  expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});

test('does not refund a transfer a second time as a payment exception after a refund of its session', async () => {
  const sessionId = await scene.session();
  const first = await scene.refund({ to, cents: PAID, sessionId });
  await pay();
  expect(await scene.read(first)).toMatchObject({ status: 'completed' });
  const second = await refundAsException(scene, { sessionId, cents: PAID, payer: to });
  await pay();
  expect(await scene.read(second)).toMatchObject({
    status: 'processing',
    hold: 'evidence',
    signatureRequestedAt: null,
  });
});

test('does not refund a transfer a second time with its session after a refund as a payment exception', async () => {
  const sessionId = await scene.session();
  const first = await refundAsException(scene, { sessionId, cents: PAID, payer: to });
  await pay();
  expect(await scene.read(first)).toMatchObject({ status: 'completed' });
  const second = await scene.refund({ to, cents: 1n, sessionId });
  await pay();
  expect(await scene.read(second)).toMatchObject({
    status: 'processing',
    hold: 'evidence',
    signatureRequestedAt: null,
  });
});

test('refunds a session and its surplus up to everything that was paid', async () => {
  const sessionId = await scene.session();
  const first = await scene.refund({ to, cents: 6000n, sessionId });
  await pay();
  const second = await scene.refund({ to, cents: 4000n, sessionId });
  await pay();
  for (const id of [first, second]) expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});

/** In cents, below what needs an approval while other stores make refunds. */
const SMALL = 1000n;

/** A second proven transfer to a session on TRON, as large as the first one. */
async function paidToo(of: RefundScene, sessionId: string, payer: string): Promise<void> {
  const recipient = await depositAddressOf(db.pool, sessionId, 'tron');
  const [transactionHash, blockTime, amount] = [randomUUID(), unixSeconds(systemClock.now()), SMALL * 10_000n];
  const transfer = { network: 'tron', sessionId, transactionHash, blockTime, currency: 'USDT', payer, recipient };
  const mac = await macOfTransfer(db.pool, of.chainId, { ...transfer, amount, decimals: 6 });
  await db.pool.query(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals, mac)
     VALUES ($1, 'tron', $2, $3, 0, 50, '0xb', $4, 'USDT', '0xc', $5, $6, $7, 6, $8)`,
    [of.chainId, sessionId, transactionHash, fromUnixSeconds(blockTime), payer, recipient, String(amount), mac],
  );
}

test('two refunds that are drafted at once pay a payer no more together than that payer sent', async () => {
  const [alice, bob] = [PAYERS.tron, 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'];
  const { sender } = openWalletChain(systemClock);
  const tron = await openRefundScene({ db, clock: systemClock, spec: localSpec('tron'), sender });
  const sessionId = await tron.session('USDT', SMALL);
  await paidToo(tron, sessionId, bob);
  const ofSession = await tron.refund({ to: alice, cents: SMALL, sessionId });
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE refunds SET payer = $2 WHERE id = $1', [ofSession, alice]);
    await tx.query(`UPDATE sessions SET expires_at = created_at + interval '1 hour' WHERE id = $1`, [sessionId]);
  });
  // Another worker sends the second refund after this one was found to be within the bound, and before the signature request.
  let ofException: string | null = null;
  const interrupted: typeof sender = {
    ...sender,
    draft: async (...given) => {
      if (ofException === null) {
        ofException = await refundAsException(tron, { sessionId, cents: SMALL, payer: alice });
        await tron.pass({ findDestination });
      }
      return sender.draft(...given);
    },
  };
  for (let turn = 0; turn < 3; turn++) await tron.pass({ findDestination, sender: interrupted });
  expect(await tron.attempts(ofException ?? '')).toMatchObject([{ status: 'sent' }]);
  expect(await tron.attempts(ofSession)).toEqual([]);
  expect(await tron.read(ofSession)).toMatchObject({
    status: 'processing',
    hold: 'destination_needed',
    signatureRequestedAt: null,
  });
});
