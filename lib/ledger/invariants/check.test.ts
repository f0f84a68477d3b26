import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { postFunding, postPaidRefund, releaseRefund, reserveRefund } from '@/lib/ledger/post-refund';
import { moveRefund } from '@/lib/refunds/states';
import { UNBOOKED_COLD_RETURN } from '@/testing/cold-storage/return-scene';
import { PLANTED_IN_LEDGER, wrongQuarantines } from '@/testing/ledger/planted';
import { UNBOOKED_COLD_TRANSFER, UNRESERVED_PAYOUT } from '@/testing/payouts/payout-scene';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { silentLog } from '@/testing/chain-clock';
import { makeChain, makeStore, TestClock, testConfig } from '@/testing/fixtures';
import { recordRefundEvent } from '@/lib/webhooks/events/record';
import { checkBooks, findViolations, INVARIANTS } from './check';

const clock = new TestClock();
const hex = () => randomBytes(20).toString('hex');
const [SESSION, PENDING] = ['cs_test_paid', 'cs_test_waiting'];
const ONE_TRANSACTION = `DROP INDEX refund_attempts_chain_id_hash_item; UPDATE refund_attempts SET hash = '0xone'`;

let db: TestDatabase;
let storeId: string;
let chainId: number;
let index = 0;

/** Data as the service leaves it: a paid session with refunds in every status, and one that waits. */
beforeAll(async () => {
  db = await openTestDatabase();
  ({ storeId } = await makeStore(db, testConfig()));
  chainId = await makeChain(db, 'ethereum', 1_800_000_000);
  await session(SESSION);
  await session(PENDING);
  await received(SESSION, 12_500_000);
  await transaction(db.pool, async (tx) => {
    await settleSessions(tx, [SESSION], { now: clock.now(), log: silentLog() });
    await postFunding(tx, 'test', { network: 'ethereum', currency: 'USDT', amount: 50_000_000n });
  });
  await refund('re_completed', 500, 'complete');
  await refund('re_failed', 300, 'fail');
  await refund('re_canceled', 200, 'cancel');
  await refund('re_processing', 100, null);
});
afterAll(() => db.close());

async function session(id: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address)
     VALUES ($1, $2, 'test', $1, 1250, 'USDT', 1250, '{USDT}', '{ethereum}', $3, $3::timestamptz + interval '1 hour', $4, $5, $6, $7)`,
    [id, storeId, clock.now(), ++index, `0x${id}`, `T${hex()}`, `S${hex()}`],
  );
}

async function received(sessionId: string, amount: number): Promise<void> {
  await db.pool.query(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals)
     VALUES ($1, 'ethereum', $2, $3, 0, 50, '0xb', $4, 'USDT', '0xc', '0xp', $5, $6, 6)`,
    [chainId, sessionId, `0x${hex()}`, clock.now(), `0x${sessionId}`, amount],
  );
}

async function refund(id: string, cents: number, last: 'complete' | 'fail' | 'cancel' | null): Promise<void> {
  const asset = { network: 'ethereum', currency: 'USDT' };
  const paid = { ...asset, amount: BigInt(cents) * 10_000n };
  const posted = { intentId: id, storeId, environment: 'test' as const, sessionId: SESSION, paid };
  const now = clock.now();
  await transaction(db.pool, async (tx) => {
    await reserveRefund(tx, posted, [paid]);
    await tx.query('UPDATE sessions SET amount_refunded = amount_refunded + $2 WHERE id = $1', [SESSION, cents]);
    await tx.query(
      `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, amount, currency, network, request_hash,
         day, created_at) VALUES ($1, $2, 'test', $1, $3, $3, $4, 'USDT', 'ethereum', '', $5::date, $5::timestamptz)`,
      [id, storeId, SESSION, cents, now],
    );
    await moveRefund(tx, id, 'begin', { at: now, signAfter: now });
    if (last === 'cancel') await moveRefund(tx, id, 'cancel', { at: now });
    else await attempt(tx, id, last);
    if (last === 'fail' || last === 'cancel') {
      await releaseRefund(tx, posted);
      await tx.query('UPDATE sessions SET amount_refunded = amount_refunded - $2 WHERE id = $1', [SESSION, cents]);
    }
    if (last === 'fail') await moveRefund(tx, id, 'fail', { at: now, failureReason: 'it reverted' });
    if (last === 'complete') {
      const completedBy = { transactionHash: `0x${id}`, receiptNumber: `RN-${id}` };
      await moveRefund(tx, id, 'complete', { at: now, completedBy });
      await postPaidRefund(tx, posted);
    }
    if (last !== 'complete' && last !== 'fail') return;
    await recordRefundEvent(tx, {
      intentId: id,
      storeId,
      environment: 'test',
      type: last === 'complete' ? 'refund.succeeded' : 'refund.failed',
      sessionId: SESSION,
      orderId: SESSION,
      refundId: id,
      amount: BigInt(cents),
      ...asset,
      transactionHash: null,
      failureReason: null,
      now,
    });
  });
}

let nonce = 0;
async function attempt(tx: Tx, id: string, last: 'complete' | 'fail' | null): Promise<void> {
  await tx.query(
    `UPDATE refunds SET destination = '0xd', destination_kind = 'payer', destination_reference = 'r', signature_requested_at = $2
    WHERE id = $1`,
    [id, clock.now()],
  );
  const status = last === 'complete' ? 'landed' : last === 'fail' ? 'reverted' : 'sent';
  await tx.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, ended_at)
     VALUES ($1, 1, $2, $3::"AttemptStatus", '{"from":"0xWallet"}', $4, '0x', $5, $6, $6, CASE WHEN $3 <> 'sent' THEN $6::timestamptz END)`,
    [id, chainId, status, `0x${id}`, JSON.stringify({ kind: 'nonce', nonce: nonce++ }), clock.now()],
  );
}

/** A violation for each invariant. Triggers are off meanwhile; `DROP`s remove the constraints that would refuse it. */
const COPY_OF_ATTEMPT = (changes: string) =>
  `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, ended_at)
   SELECT intent_id, 2, chain_id, status, draft, '0xother', bytes, validity, drafted_at, signed_at, ended_at FROM refund_attempts
   WHERE intent_id = 're_processing'; UPDATE refund_attempts SET ${changes} WHERE number = 2`;
/** Two open attempts of a refund on TRON, of which the second was drafted at a time in Unix seconds; and two on Solana. */
const inTime = (end: number, drafted: number) => validities(`"expiresAt":${end}`, `"expiresAt":2e9`, drafted);
const atHeights = (one: number, two: number) => validities(...([one, two].map(heightOf) as [string, string]), 0);
const heightOf = (height: number) => `"lastValidBlockHeight":${height}`;
const validities = (one: string, two: string, drafted: number) =>
  `${COPY_OF_ATTEMPT(`validity = '{${two}}', drafted_at = to_timestamp(${drafted})`)};
   UPDATE refund_attempts SET validity = '{${one}}' WHERE number = 1 AND intent_id = 're_processing'`;
const PLANTED: readonly (readonly [id: string, what: string, sql: string])[] = [
  [
    'INV-1a',
    'a transfer that is stored twice',
    `DROP INDEX transfers_chain_id_transaction_hash_ordinal_key; INSERT INTO transfers SELECT (jsonb_populate_record(t,
       '{"id": 999999}')).* FROM transfers t`,
  ],
  ['INV-1b', 'a transfer to another address', `UPDATE transfers SET recipient = '0xelsewhere'`],
  [
    'INV-1c',
    'a session that is completed below its price',
    `UPDATE ledger_postings SET amount = amount * 0.9 WHERE account = 'store:' || (
       SELECT store_id FROM sessions LIMIT 1) AND entry_id = (SELECT id FROM ledger_entries WHERE kind = 'transfer')`,
  ],
  [
    'INV-1c',
    'a session that is not completed though it is paid',
    `UPDATE sessions SET status = 'pending', closed_at = NULL,
       completed_transaction = NULL WHERE id = '${SESSION}'`,
  ],
  ['INV-2a', 'an unbalanced entry', `UPDATE ledger_postings SET amount = amount + 1 WHERE account = 'received'`],
  ['INV-2a', 'an entry without postings', `INSERT INTO ledger_entries (kind, environment) VALUES ('nothing', 'test')`],
  [
    'INV-2b',
    'a balance that is not its postings’ sum',
    `UPDATE ledger_balances SET amount = amount - 1 WHERE account LIKE 'store:%'`,
  ],
  ['INV-2b', 'a balance of no postings', `INSERT INTO ledger_balances VALUES ('live', 'operator', 'tron', 'USDT', -1)`],
  [
    'INV-2c',
    'an overdrawn account',
    `ALTER TABLE ledger_balances DROP CONSTRAINT ledger_balances_owed;
     UPDATE ledger_balances SET amount = 1 WHERE account LIKE 'store:%'`,
  ],
  [
    'INV-2e',
    'a session that is not completed and has given its store money',
    `UPDATE ledger_entries SET session_id = '${PENDING}' WHERE kind = 'transfer'`,
  ],
  [
    'INV-2f',
    'an unresolved amount without an open exception',
    `UPDATE ledger_postings SET account = 'unresolved:x' WHERE account LIKE 'store:%'
       AND entry_id = (SELECT id FROM ledger_entries WHERE kind = 'transfer')`,
  ],
  [
    'INV-2f',
    'an open exception without its amount in the ledger',
    `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
       SELECT '-', 'test', session_id, id, 'over', 10000 FROM transfers`,
  ],
  [
    'INV-2g',
    'a canceled refund that still has reserved money',
    `UPDATE ledger_postings SET amount = amount / 2 WHERE entry_id = (
       SELECT id FROM ledger_entries WHERE intent_id = 're_canceled' AND kind = 'refund_released')`,
  ],
  [
    'INV-2h',
    'a quoted network cost that is not reserved',
    `UPDATE refunds SET cost_bearer = 'store', cost_quoted = 45, cost_price = 2500 WHERE id = 're_processing'`,
  ],
  [
    'INV-2h',
    'a charged network cost that differs from the refund’s',
    `UPDATE refunds SET cost_bearer = 'store', cost_quoted = 45, cost_price = 2500, cost_charged = 10 WHERE id = 're_completed';
     WITH entry AS (INSERT INTO ledger_entries (kind, environment, intent_id) VALUES
       ('refund_cost_reserved', 'test', 're_completed'), ('refund_cost_settled', 'test', 're_completed') RETURNING id, kind)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
     SELECT id, line.account, 'ethereum', 'USDT', line.amount FROM entry JOIN (VALUES
       ('refund_cost_reserved', 'store:x', 450000), ('refund_cost_reserved', 'refund:x', -450000),
       ('refund_cost_settled', 'refund:x', 450000), ('refund_cost_settled', 'cost_recovery', -450000)
     ) AS line (kind, account, amount) USING (kind)`,
  ],
  [
    'INV-2i',
    'an outgoing transfer that is booked without an entry',
    `INSERT INTO outgoing_transfers SELECT (jsonb_populate_record(NULL::outgoing_transfers,
       to_jsonb(t) || '{"booked_at": "2027-01-01", "is_refill": false}')).* FROM transfers t LIMIT 1`,
  ],
  ['INV-2j', 'a deposit address with another balance', `UPDATE deposit_balances SET amount = amount + 1`],
  ...PLANTED_IN_LEDGER,
  ...wrongQuarantines(SESSION),
  ['INV-2d', 'a guard that is switched off', `ALTER TABLE ledger_postings DISABLE TRIGGER ledger_postings_append_only`],
  ['INV-2d', 'a guard that is gone', `DROP TRIGGER refunds_keep_facts ON refunds`],
  [
    'INV-3a',
    'a session whose refunded amount differs from the sum of its refunds',
    `UPDATE sessions SET amount_refunded = amount_refunded - 1 WHERE id = '${SESSION}'`,
  ],
  [
    'INV-3a',
    'refunds above the amount paid',
    `UPDATE refunds SET amount = 1200 WHERE id = 're_processing';
     ALTER TABLE sessions DROP CONSTRAINT sessions_refunded; UPDATE sessions SET amount_refunded = 1700 WHERE id = '${SESSION}'`,
  ],
  [
    'INV-3b',
    'an exception that refunds more than its transfer',
    `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id,
       kind, amount, state, decided_by, decided_at) SELECT '-', 'test', session_id, id, 'late', 990000, 'refund', 'operator:x', now()
     FROM transfers;
     UPDATE refunds SET case_id = (SELECT id FROM payment_exceptions) WHERE id = 're_processing'`,
  ],
  ['INV-3c', 'a refund without a reserve', `DELETE FROM ledger_entries WHERE intent_id = 're_processing'`],
  ['INV-3c', 'a completed refund without its entry', `DELETE FROM ledger_entries WHERE kind = 'refund_paid'`],
  [
    'INV-3c',
    'a failed refund that was not released',
    `DELETE FROM ledger_entries WHERE kind = 'refund_released' AND intent_id = 're_failed'`,
  ],
  ['INV-3d', 'a payout without a reserve', UNRESERVED_PAYOUT],
  ['INV-3e', 'a cold transfer that arrived and is not booked', UNBOOKED_COLD_TRANSFER],
  ['INV-3f', 'a cold return that landed and is not booked', UNBOOKED_COLD_RETURN],
  [
    'INV-4a',
    'a refund with two landed attempts',
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes,
       validity, drafted_at, signed_at, ended_at) SELECT intent_id, 2, chain_id, status, draft, '0xother', bytes, validity,
       drafted_at, signed_at, ended_at FROM refund_attempts WHERE intent_id = 're_completed'`,
  ],
  [
    'INV-4a',
    'a refund that names another transaction than the landed one',
    `UPDATE refunds SET transaction_hash = '0xother' WHERE id = 're_completed'`,
  ],
  [
    'INV-4a',
    'a landed refund that is not completed',
    `UPDATE refund_attempts SET status = 'landed', ended_at = now() WHERE intent_id = 're_processing'`,
  ],
  ['INV-4b', 'two attempts that may both land', COPY_OF_ATTEMPT(`validity = '{"kind":"nonce","nonce":99}'`)],
  ['INV-4b', 'two TRON attempts whose lifetimes overlap', inTime(1_900_000_001, 1_900_000_000)],
  ['INV-4b', 'two Solana attempts whose lifetimes overlap', atHeights(1000, 1149)],
  [
    'INV-4c',
    'two refunds on one nonce',
    `UPDATE refund_attempts SET validity = '{"kind":"nonce","nonce":0}', draft = '{"from":"0xWALLET"}'
     WHERE intent_id = 're_processing'`,
  ],
  ['INV-4c', 'two refunds with one transaction', ONE_TRANSACTION],
  [
    'INV-4c',
    'an item of a batch and a refund with one transaction',
    `${ONE_TRANSACTION}; UPDATE refund_attempts SET draft = '{"item":0}' WHERE intent_id = 're_processing'`,
  ],
  ['INV-5a', 'a session with another history', `DELETE FROM session_status_changes`],
  [
    'INV-5a',
    'a session that changed after its terminal state',
    `INSERT INTO session_status_changes (session_id, move, "from", "to") VALUES ('${SESSION}', 'complete', 'expired', 'completed')`,
  ],
  [
    'INV-5b',
    'a refund that changed after its terminal state',
    `INSERT INTO refund_status_changes (intent_id, move, "from", "to") VALUES ('re_failed', 'fail', 'completed', 'failed')`,
  ],
  [
    'INV-5b',
    'a refund whose history ends in another status',
    `UPDATE refunds SET status = 'pending', signature_requested_at = NULL WHERE id = 're_processing'`,
  ],
  [
    'INV-5c',
    'a canceled refund that was signed',
    `UPDATE refund_attempts SET intent_id = 're_canceled' WHERE intent_id = 're_processing'`,
  ],
  [
    'INV-5c',
    'a failed refund with an open attempt',
    `UPDATE refund_attempts SET status = 'sent', ended_at = NULL WHERE intent_id = 're_failed'`,
  ],
  ['INV-6a', 'an end without its event', `DELETE FROM events WHERE object_id = '${SESSION}'`],
  ['INV-6a', 'an event without its cause', `UPDATE events SET type = 'payment.expired' WHERE object_id = '${SESSION}'`],
  ['INV-6b', 'a refund’s end without its event', `DELETE FROM events WHERE object_id = 're_completed'`],
  [
    'INV-6c',
    'a delivery that failed before its last retry',
    `INSERT INTO webhook_endpoints (id, store_id, environment, url, secret_ciphertext, created_at)
       SELECT gen_random_uuid(), store_id, 'test', 'https://x', '', '2001-01-01' FROM sessions LIMIT 1;
     INSERT INTO deliveries (event_id, store_id, environment, status, attempts, finished_at)
       SELECT id, store_id, environment, 'failed', 0, now() FROM events LIMIT 1`,
  ],
  [
    'INV-6c',
    'a delivery that counts attempts without records',
    `INSERT INTO deliveries (event_id, store_id, environment, attempts)
     SELECT id, store_id, environment, 3 FROM events LIMIT 1`,
  ],
  [
    'INV-8',
    'an address that two sessions or pool rows share',
    `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address) VALUES ('test', 500, '0x${SESSION}', 'Tx', 'Sx')`,
  ],
  [
    'INV-9a',
    'a price that does not follow from the rate',
    `ALTER TABLE sessions DROP CONSTRAINT sessions_refunded; UPDATE sessions
     SET amount_total = 1249 WHERE id = '${PENDING}'`,
  ],
  [
    'INV-9b',
    'an event with another rate than its session',
    `UPDATE events SET body = replace(body, '"exchange_rate":"1"', '"exchange_rate":"2"') WHERE object_id = '${SESSION}'`,
  ],
  [
    'INV-10',
    'an unconfirmed transfer below the final block',
    `INSERT INTO unconfirmed_transfers (chain_id, session_id, transaction_hash, ordinal,
       block_number, block_hash, block_time, currency, contract, payer, recipient, amount)
     SELECT chain_id, session_id, 'seen', 0, 80, block_hash, block_time, currency, contract, payer, recipient, amount FROM transfers`,
  ],
  ['INV-10', 'a final cursor above its tip', `UPDATE chains SET final_number = tip_number + 1`],
  ['INV-15', 'a transfer that the ledger does not have', `DELETE FROM ledger_entries WHERE kind = 'transfer'`],
];

class Undone extends Error {}

/** The ids of the invariants violated while a violation is planted. It is removed afterwards. */
async function brokenBy(sql: string): Promise<string[]> {
  let found: string[] = [];
  const planted = transaction(db.pool, async (tx) => {
    if (!/TRIGGER/.test(sql)) await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(sql);
    const findings = await findViolations(tx);
    found = findings.filter(({ count }) => count > 0).map(({ id }) => id);
    throw new Undone();
  });
  await expect(planted).rejects.toThrow(Undone);
  return found;
}

describe('the check of the books', () => {
  it('finds no violation in the service’s own data', async () => {
    const findings = await checkBooks(db.pool);
    expect(findings.filter(({ count }) => count > 0)).toEqual([]);
    expect(findings.map(({ id }) => id)).toEqual(INVARIANTS.map(({ id }) => id));
  });

  it.each(PLANTED)('finds, by %s, %s', async (id, _, sql) => {
    expect(await brokenBy(sql)).toContain(id);
  });

  it('allows two open attempts of which the first had expired when the second was drafted', async () => {
    expect(await brokenBy(inTime(1_900_000_000, 1_900_000_000))).not.toContain('INV-4b');
    expect(await brokenBy(atHeights(1000, 1150))).not.toContain('INV-4b');
  });

  it('has a planted violation for each of its invariants', () => {
    expect([...new Set(PLANTED.map(([id]) => id))].toSorted()).toEqual(INVARIANTS.map(({ id }) => id).toSorted());
  });

  it('reports the number of violations and names the first of them', async () => {
    const counted = transaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(
        `INSERT INTO ledger_entries (kind, environment) SELECT 'nothing', 'test' FROM generate_series(1, 25)`,
      );
      const finding = (await findViolations(tx)).find(({ id }) => id === 'INV-2a');
      expect(finding?.count).toBe(25);
      expect(finding?.violations).toHaveLength(10);
      expect(finding?.violations[0]).toMatch(/^entry \d+ has no postings$/);
      throw new Undone();
    });
    await expect(counted).rejects.toThrow(Undone);
  });
});
