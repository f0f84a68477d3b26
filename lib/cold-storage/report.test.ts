// What operators learn about the marks: how much to send below the low one, by the page, the alarm and the metric, and what went to the
// cold wallet.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCold } from '@/lib/dashboard/operator/treasury/cold';
import { readFacts } from '@/lib/installation/alarms/facts';
import { readMetrics } from '@/lib/installation/metrics/metrics';
import { postColdTransfer } from '@/lib/ledger/post-cold';
import { postEntry } from '@/lib/ledger/post-entry';
import { postFunding } from '@/lib/ledger/post-refund';
import { OPERATOR, payoutAccount, type AssetAmount } from '@/lib/ledger/postings';
import { transaction } from '@/lib/platform/database/db';
import { markCanceled } from '@/lib/refunds/states';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';

const COLD = 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA';
const WALLET = 'TXHzvoDBPaG7YbSgb3zdoosJK4x4Kmf2J2';
const USD = 1_000_000n;
const config = testConfig({
  LIVE_TRON_URLS: 'http://127.0.0.1:1',
  COLD_WALLETS: `tron@mainnet=${COLD}`,
  REFUND_WALLET_LEVELS: 'tron@mainnet/USDT=100:500',
});
const clock = new TestClock();
let db: TestDatabase;
let chainId: number;
beforeAll(async () => {
  db = await openTestDatabase();
  const { rows } = await db.pool.query(
    `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time)
     VALUES ('live', 'tron', 'g', 9, 't', 9, 'f', now()) RETURNING id`,
  );
  chainId = rows[0].id;
});
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE wallet_balances'));

const context = () => testContext(db, clock, config);
const asset = { network: 'tron', currency: 'USDT' };
/** By the ledger and by the reading. */
async function holds(amount: bigint, hold: string | null = null) {
  const { rows } = await db.pool.query(`SELECT amount FROM ledger_balances WHERE account = 'refund_wallet'`);
  const more = amount - BigInt(rows[0]?.amount ?? 0);
  if (more !== 0n) await transaction(db.pool, (tx) => postFunding(tx, 'live', { ...asset, amount: more }));
  await db.pool.query(
    `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at, cold_hold)
     VALUES ($1, $2, 'USDT', $3, 9, $4, $5)`,
    [chainId, WALLET, String(amount), clock.now(), hold],
  );
}
/** As a request reserves it. */
const reserved = (taken: AssetAmount) =>
  transaction(db.pool, (tx) =>
    postEntry(tx, 'payout_reserved', { environment: 'live', storeId: null, sessionId: null, intentId: null }, [
      { ...taken, account: OPERATOR },
      { ...taken, account: payoutAccount('-'), amount: -taken.amount },
    ]),
  );
const row = async () => (await readCold(context(), 'live'))[0];
const alarm = async () => (await readFacts(context())).facts.filter(({ kind }) => kind === 'wallet_low');
const metric = async () => /refund_wallet_missing\{.*"tron".*\} (\d+)/.exec(await readMetrics(context()))?.[1];

describe('below the low-water mark', () => {
  it('operators read how much to send, and to which address', async () => {
    await holds(99n * USD + 1n);
    expect(await row()).toMatchObject({ missing: '200.999999', refundWallet: WALLET, balance: '99.000001' });
    expect(await alarm()).toMatchObject([{ subject: 'live tron USDT', severity: 'warning', count: 201 }]);
    expect(await metric()).toBe('201');
  });
});

describe('at the low-water mark and above', () => {
  it.each([100n, 500n, 9000n])('no alarm asks for tokens (%s)', async (dollars) => {
    await holds(dollars * USD, 'below_high');
    expect(await row()).toMatchObject({ missing: null, hold: 'below_high' });
    expect([await alarm(), await metric()]).toEqual([[], '0']);
  });
});

describe('what refunds and payouts need', () => {
  const requestPayout = (cents: number, id: string) =>
    db.pool.query(
      `INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, request_hash, created_at)
       VALUES ($1, '-', 'live', $1, $2, 'USDT', 'tron', '', now())`,
      [`po_${id.repeat(40)}`, cents],
    );

  it('counts as missing, in another asset too, as far as the ledger has reserved it', async () => {
    await holds(150n * USD);
    await requestPayout(5100, '0');
    expect(await row()).toMatchObject({ needed: '0.000000' });
    await reserved({ network: 'tron', currency: 'USDT', amount: 20n * USD });
    expect(await row()).toMatchObject({ needed: '20.000000' });
    // It will be converted. BNB Smart Chain has 18 decimals.
    await reserved({ network: 'bsc', currency: 'USDC', amount: 100n * 10n ** 18n });
    expect(await row()).toMatchObject({ needed: '51.000000', missing: '201.000000' });
  });

  it('is no more than the ledger has reserved, whatever a row that the web process wrote says', async () => {
    await holds(500n * USD, 'below_high');
    await requestPayout(1_000_000_000_000, '1');
    const { needed } = (await row())!;
    expect(needed).toBe('120.000000');
    expect(await alarm()).toEqual([]);
  });
});

it('a transfer on hold is not on its way, and the page says why it waits', async () => {
  await holds(900n * USD);
  expect(await row()).toMatchObject({ isMoving: false, transferHold: null });
  await db.pool.query(
    `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, status, created_at, sign_after)
     VALUES ('ct_live_tron_USDT_100', 'live', 'tron', 'USDT', 100, 100, 'processing', now(), now())`,
  );
  expect(await row()).toMatchObject({ isMoving: true, transferHold: null });
  await db.pool.query(`UPDATE cold_transfers SET hold = 'not_allowed', hold_message = 'the sentence', held_at = now()`);
  expect(await row()).toMatchObject({ isMoving: false, transferHold: 'not_allowed' });
  await transaction(db.pool, (tx) =>
    markCanceled(tx, { table: 'cold_transfers', id: 'ct_live_tron_USDT_100' }, clock.now()),
  );
  expect(await row()).toMatchObject({ isMoving: false, transferHold: null });
});

it('the page shows what the ledger has in cold storage, and the last transfers with their transactions', async () => {
  await holds(900n * USD);
  for (let number = 1; number <= 7; number++)
    await db.pool.query(
      `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, status, created_at, sign_after, transaction_hash,
         processed_at) VALUES ('ct_live_tron_USDT_' || $1::int, 'live', 'tron', 'USDT', $1, $1 * 100, 'completed', now(), now(), 'hash' || $1, now())`,
      [number],
    );
  const moved = { ...asset, amount: 7n * USD };
  await transaction(db.pool, (tx) =>
    postColdTransfer(tx, { intentId: 'ct_live_tron_USDT_7', environment: 'live', moved }),
  );
  const shown = (await row())!;
  expect(shown).toMatchObject({ booked: '7.000000', coldWallet: COLD, low: '100.000000', high: '500.000000' });
  expect(shown.transfers.map(({ id }) => id)).toEqual([100, 7, 6, 5, 4].map((number) => `ct_live_tron_USDT_${number}`));
  expect(shown.transfers[1]).toMatchObject({ amount: '7.000000', status: 'completed' });
  expect(shown.transfers[1]?.transaction?.url).toContain('hash7');
});
