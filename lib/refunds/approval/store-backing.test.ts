// What covers the payments of a store: only transfers that the watcher proved, each once, however the sums are kept.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ChainSender } from '@/lib/networks/sending/send';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { evidenceKey, localSpec } from '@/testing/signer/signer-scene';
import type { LeasedPayout } from '@/lib/refunds/rows';
import type { Work } from '@/lib/refunds/sending/sending-context';
import { isBackedByStore, mostPaidOut } from './store-backing';

const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
/** Nothing is sent in these tests. */
const sender = {} as ChainSender;

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  time.now = Date.now();
  scene = await openRefundScene({ db, clock, spec: localSpec('ethereum'), sender });
});

const ETHEREUM = { network: 'ethereum', currency: 'USDT' };
/** A payout of the store, as the worker holds it. */
const payout = (amount = 1n, asset = ETHEREUM) =>
  ({
    ...{ context: scene.context, sending: scene.sending },
    payment: { table: 'payouts', id: 'po_none', storeId: scene.storeId, environment: 'test', amount, ...asset },
  }) as unknown as Work<LeasedPayout>;
const most = (asset = ETHEREUM) => mostPaidOut(payout(1n, asset), evidenceKey);
const isBacked = (amount: bigint, asset = ETHEREUM) => isBackedByStore(payout(amount, asset), evidenceKey);
const force = (text: string, values: unknown[] = []) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(text, values);
  });
const keptSums = async () =>
  (await db.pool.query('SELECT sums FROM payout_backing WHERE store_id = $1', [scene.storeId])).rows[0]?.sums ?? null;

/** Makes the entries of the store older than the ten minutes within which entries can still appear. */
const age = () =>
  force(`UPDATE ledger_entries SET created_at = created_at - interval '1 hour' WHERE store_id = $1`, [scene.storeId]);

it('is the sum of the proven transfers of the store’s sessions in the token on the network', async () => {
  await scene.session();
  await scene.session('USDC', 700n);
  expect([await most(), await most({ ...ETHEREUM, currency: 'USDC' })]).toEqual([PAID, 700n]);
  expect(await most({ network: 'bsc', currency: 'USDT' })).toBe(0n);
  expect([await isBacked(PAID), await isBacked(PAID + 1n)]).toEqual([true, false]);
});

it('leaves out a transfer that the watcher did not prove, and one whose amount was changed', async () => {
  const [unproven, changed] = [await scene.session(), await scene.session()];
  await force('UPDATE transfers SET mac = NULL WHERE session_id = $1', [unproven]);
  await force('UPDATE transfers SET amount = amount * 10 WHERE session_id = $1', [changed]);
  await scene.session();
  expect(await most()).toBe(PAID);
});

it('leaves out what was paid to an address that is not the wallet’s, although the watcher saw it', async () => {
  await scene.session('USDT', PAID, `0x${'e1'.repeat(20)}`);
  expect(await most()).toBe(0n);
  expect(await isBacked(1n)).toBe(false);
});

it('does not count the transfer of another store’s session for which somebody posted to this store', async () => {
  const session = await scene.session();
  const other = await openRefundScene({ db, clock, spec: localSpec('ethereum'), sender });
  await force('UPDATE ledger_entries SET store_id = $2 WHERE session_id = $1', [session, other.storeId]);
  scene = other;
  expect(await most()).toBe(0n);
});

it('keeps the sums of what is older than ten minutes, and adds only what came since', async () => {
  await scene.session();
  expect([await most(), await keptSums()]).toEqual([PAID, null]);
  await age();
  expect([await most(), await keptSums()]).toEqual([PAID, { 'ethereum/USDT': expect.any(String) }]);
  // Proof that the kept transfer is not read again.
  await force('UPDATE transfers SET mac = NULL WHERE network = $1', ['ethereum']);
  await scene.session();
  expect(await most()).toBe(2n * PAID);
});

it('believes no sums that another process wrote', async () => {
  await scene.session();
  await age();
  await most();
  await force(
    `UPDATE payout_backing SET sums = '{"ethereum/USDT": "999000000000000000000000000"}' WHERE store_id = $1`,
    [scene.storeId],
  );
  expect(await most()).toBe(PAID);
});

it('verifies two thousand transfers in a run, leaves the payment idle, and goes on from there', async () => {
  await force(
    `INSERT INTO ledger_entries (kind, store_id, environment, created_at)
     SELECT 'transfer', $1, 'test', now() - interval '1 day' FROM generate_series(1, 2600)`,
    [scene.storeId],
  );
  await scene.session();
  expect(await isBacked(PAID)).toBe(null);
  expect(await keptSums()).toEqual({});
  expect(await isBacked(PAID)).toBe(true);
});

it('reads on past entries that name no transfer', async () => {
  await force(
    `INSERT INTO ledger_entries (kind, store_id, environment, created_at)
     SELECT 'transfer', $1, 'test', now() - interval '1 day' FROM generate_series(1, 1100)`,
    [scene.storeId],
  );
  await scene.session();
  expect(await most()).toBe(PAID);
});
