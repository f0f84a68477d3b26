// Fills an empty database with the history of an installation: stores, sessions with everything that their lives left, payouts, and the
// sums that the service keeps. The rows are those that the triggers would have allowed, which `checkBooks` proves (growth.mjs).

import { STORE } from '../database.mjs';
import { CLOSE, CREATE_LIFE, DAYS, FILL_LIFE, OPEN, ordinaryStore, WALLET } from './lives.mjs';

/** Autovacuum comes after two in a hundred rows of these tables have changed (migration table_settings), and so does the loader. */
const PORTIONS = 50;
/** A sweep takes addresses of two hundred sessions, which are loaded together. */
const MULTIPLE = 200;
/** Nonces of a busy key during the half hour for which they are kept; they do not grow with the history. */
const NONCES = 20_000;

/**
 * @param {import('pg').Client} client
 * @param {{ sessions: number, stores: number, onProgress?: (done: number) => void }} history `stores`: ordinary ones beside STORE. The
 *   sessions use the address indexes 1 to `sessions`.
 */
export async function addHistory(client, { sessions, stores, onProgress = () => {} }) {
  const { rows } = await client.query('SELECT now()');
  const { now } = rows[0];
  await addStores(client, stores);
  await client.query('SET synchronous_commit = off');
  // Triggers check and count row by row. The loader writes their sums itself.
  await client.query('SET session_replication_role = replica');
  await client.query(CREATE_LIFE);
  // A portion is updated by the keys of its rows, whatever the size of the table.
  await client.query('SET enable_seqscan = off');
  const portion = Math.ceil(sessions / PORTIONS / MULTIPLE) * MULTIPLE;
  for (let first = 1; first <= sessions; first += portion) {
    const last = Math.min(sessions, first + portion - 1);
    await client.query('TRUNCATE life');
    await client.query(FILL_LIFE, [first, last, sessions, stores, now]);
    await client.query('ANALYZE life');
    for (const text of [...OPEN, ...CLOSE]) await client.query(text, text.includes('$1') ? [now] : []);
    await client.query('VACUUM sessions, deliveries');
    onProgress(last);
  }
  await client.query('DROP TABLE life');
  await client.query('RESET enable_seqscan');
  for (const text of [...PAYOUTS, ...COINS, ...SUMS]) await client.query(text, text.includes('$1') ? [now] : []);
  await client.query('RESET session_replication_role');
  await client.query('RESET synchronous_commit');
}

async function addStores(client, count) {
  await client.query(`INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time, scanned_at)
    SELECT 'test', network, '0x00', 1, '0x01', 1, '0x01', now(), now() + interval '1 day' FROM unnest(ARRAY['tron', 'solana']) AS network`);
  // A session expires by the block time of its networks. No process reads the chains here, so their time is set far ahead.
  await client.query(`UPDATE chains SET final_time = now() + interval '1 day'`);
  await client.query(
    `INSERT INTO stores (id, owner_id, name, status, created_at)
     SELECT '${ordinaryStore('')}' || k, (SELECT owner_id FROM stores WHERE id = $2), 'Store ' || k, 'approved', now() - interval '${DAYS} days'
     FROM generate_series(0, $1::int - 1) AS k`,
    [count, STORE],
  );
  await client.query(`INSERT INTO webhook_endpoints (id, store_id, environment, url, secret_ciphertext)
    SELECT gen_random_uuid(), id, 'test', 'https://shop.example/hooks/' || id, decode(md5(id), 'hex') FROM stores`);
  await client.query(
    `INSERT INTO nonces (key_id, nonce) SELECT 1, gen_random_uuid() FROM generate_series(1, ${NONCES})`,
  );
}

const NEXT_ENTRY = `(SELECT max(id) FROM ledger_entries)`;

/** At the start of each month half of what a store received in the month before, a payout for each token. */
const PAYOUTS = [
  `CREATE TEMPORARY TABLE payout AS SELECT 'po_' || substr(md5('payout' || k) || md5('payout_' || k), 1, 40) AS id,
      md5('payout tx' || k) || md5('payout tx_' || k) AS hash, k + ${NEXT_ENTRY} AS nonce, ${NEXT_ENTRY} + 2 * k AS entry, plan.*,
      cents * 10::numeric ^ (CASE network WHEN 'bsc' THEN 16 ELSE 4 END) AS amount, month + interval '1 month 10 minutes' AS at
    FROM (SELECT row_number() OVER (ORDER BY 2, 1) AS k, s.* FROM (
      SELECT store_id, date_trunc('month', closed_at, 'UTC') AS month, completed_network AS network, completed_currency AS currency,
        (sum(amount_received) / 2)::bigint AS cents
      FROM sessions WHERE status = 'completed' AND closed_at < date_trunc('month', $1::timestamptz - interval '1 day', 'UTC')
      GROUP BY 1, 2, 3, 4) AS s) AS plan`,
  `INSERT INTO payouts (id, store_id, environment, payout_id, status, amount, currency, network, request_hash, created_at, sign_after,
      destination, destination_kind, destination_reference, destination_mac, signature_requested_at, transaction_hash, processed_at, next_at)
    SELECT id, store_id, 'test', 'payout-' || k, 'completed', cents, currency, network, decode(md5(id), 'hex'), at, at, '0x' || md5(store_id),
      'payout_address', 'pa_' || substr(md5(store_id), 1, 22), decode(hash, 'hex'), at, '0x' || hash, at + interval '2 minutes', at
    FROM payout ORDER BY k`,
  `INSERT INTO refund_status_changes (intent_id, move, "from", "to", at) SELECT id, line.move, line."from", line."to", at FROM payout,
      (VALUES ('begin', 'pending'::"RefundStatus", 'processing'::"RefundStatus"), ('complete', 'processing', 'completed')) AS line (move, "from", "to")
    ORDER BY k, line."to"`,
  `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, sent_at, seen_at,
      confirmations, ended_at, block_number, block_hash, fee, coin_booked_at)
    SELECT p.id, 1, c.id, 'landed', json_build_object('from', '${WALLET}', 'to', '0x' || md5(store_id), 'gas', '65000', 'maxFee', '20000000000'),
      '0x' || hash, repeat(hash, 5), json_build_object('kind', 'nonce', 'nonce', p.nonce), at, at, at, at, 12, at + interval '2 minutes', 1, hash, 65000,
      at + interval '2 minutes'
    FROM payout p JOIN chains c ON c.environment = 'test' AND c.network = p.network ORDER BY k`,
  `INSERT INTO ledger_entries (id, kind, store_id, environment, intent_id, created_at)
    SELECT entry + line.place, line.kind, store_id, 'test', id, at + line.place * interval '2 minutes'
    FROM payout, (VALUES (0, 'payout_reserved'), (1, 'payout_paid')) AS line (place, kind) ORDER BY k, line.place`,
  `INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
    SELECT entry + line.place, line.account, network, currency, line.amount FROM payout CROSS JOIN LATERAL (VALUES
      (0, 'store:' || store_id, amount), (0, 'payout:' || store_id, -amount), (1, 'payout:' || store_id, amount),
      (1, 'refund_wallet', -amount)) AS line (place, account, amount) ORDER BY k, line.place`,
  'DROP TABLE payout',
];

/** Fees of sweeps, refunds and payouts in the networks' coins. */
const COINS = [
  `CREATE TEMPORARY TABLE cost AS SELECT ${NEXT_ENTRY} + row_number() OVER (ORDER BY at, source) AS entry, fact.*, payer.address,
      CASE network WHEN 'tron' THEN 'TRX' WHEN 'bsc' THEN 'BNB' WHEN 'ethereum' THEN 'ETH' ELSE 'SOL' END AS symbol
    FROM (SELECT 'sweep:' || id AS source, 'coin_sweep' AS kind, network, ended_at AS at, fee FROM sweeps
        UNION ALL SELECT 'attempt:' || a.id, 'coin_payment', c.network, a.ended_at, a.fee FROM refund_attempts a JOIN chains c ON c.id = a.chain_id) AS fact,
      (VALUES ('fee_coin:${WALLET}')) AS payer (address)`,
  `INSERT INTO ledger_entries (id, kind, environment, coin_source, created_at) SELECT entry, kind, 'test', source, at FROM cost ORDER BY entry`,
  `INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
    SELECT entry, line.account, network, symbol, line.amount FROM cost
      CROSS JOIN LATERAL (VALUES ('expense:network_fee', fee), (address, -fee)) AS line (account, amount) ORDER BY entry`,
  `INSERT INTO coin_months (environment, month, network, coin, entries, network_fees, rent_paid, rent_returned, energy)
    SELECT 'test', date_trunc('month', at AT TIME ZONE 'UTC')::date, network, symbol, count(*), sum(fee), 0, 0, 0 FROM cost GROUP BY 2, 3, 4`,
  'DROP TABLE cost',
];

const ALL_DAYS = `generate_series(($1::timestamptz AT TIME ZONE 'UTC')::date - ${DAYS + 1}, ($1::timestamptz AT TIME ZONE 'UTC')::date - 1, interval '1 day') AS day`;

/** What triggers and the worker's step "add sessions up" keep, and the sequences of the rows that were given their ids. */
const SUMS = [
  `INSERT INTO ledger_balances (environment, account, network, currency, amount)
    SELECT 'test', account, network, currency, sum(amount) FROM ledger_postings GROUP BY 2, 3, 4 ORDER BY 2`,
  `INSERT INTO refund_days (store_id, environment, day, amount, count)
    SELECT store_id, environment, day, coalesce(sum(amount) FILTER (WHERE status = 'completed'), 0), count(*) FROM refunds GROUP BY 1, 2, 3`,
  `INSERT INTO session_total_days (environment, day, is_done)
    SELECT environment, day::date, true FROM unnest(enum_range(NULL::"Environment")) AS environment, ${ALL_DAYS}`,
  `INSERT INTO session_totals (environment, store_id, day, status, network, currency, count, amount_due, amount_refunded)
    SELECT environment, store_id, (created_at AT TIME ZONE 'UTC')::date, status, coalesce(completed_network, ''),
      coalesce(completed_currency, ''), count(*), sum(amount_due), sum(amount_refunded)
    FROM sessions WHERE created_at < date_trunc('day', $1::timestamptz, 'UTC') GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 3, 2`,
  ...['transfers', 'outgoing_transfers', 'sweeps', 'ledger_entries', 'deliveries'].map(
    (table) => `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`,
  ),
];

/** Sessions of a store, spread over the whole history. */
export async function pickSessions(client, store, count) {
  const { rows } = await client.query(
    `SELECT id, order_id, status, created_at, address_index FROM (
       SELECT *, row_number() OVER (ORDER BY created_at, id) - 1 AS rank, count(*) OVER () AS total
       FROM sessions WHERE store_id = $1 AND status <> 'pending') AS own
     WHERE rank % greatest(1, total / $2::int) = 0 ORDER BY rank LIMIT $2::int`,
    [store, count],
  );
  return rows;
}
