// The rows that sessions leave after a completed, expired, canceled or failed life, as statements over the table `life`,
// which has one row a session of the portion that is being loaded. PostgreSQL makes every value from the session's number,
// so that a small and a large history have the same kinds of rows.

import { STORE } from '../database.mjs';

/** One session in four belongs to this store, a large merchant. The others are spread evenly over ordinary stores. */
const LARGE_SHARE = 4;
/** `st_0` and so on. */
export const ordinaryStore = (index) => `st_${index}`;
/**
 * The sessions of the last day, of which the newest are still pending and none is swept. They are as many whatever the size of the history:
 * what is to be done now depends on the rate of creates. All are of the large merchant.
 */
const RECENT = 1000;
export const PENDING = 400;
/** The half year before that, evenly. */
export const DAYS = 180;

/** Hexadecimal digits that look random, for each session and purpose. */
const hex = (part, digits = 32) =>
  digits <= 32 ? `substr(md5('${part}' || n), 1, ${digits})` : `md5('${part}' || n) || ${hex(`${part}_`, digits - 32)}`;
const bytes = (part) => `decode(${hex(part, 64)}, 'hex')`;

/** What each network pays in, how often of ten payments, and its chain. `symbol`: the coin of its fees. */
const PAIRS = `(VALUES (0, 4, 'tron', 'USDT', 6, 'TRX'), (5, 6, 'bsc', 'USDT', 18, 'BNB'), (7, 7, 'ethereum', 'USDC', 6, 'ETH'),
  (8, 9, 'solana', 'USDC', 6, 'SOL')) AS p (first, last, network, currency, decimals, symbol)`;

/** A table without log that lasts while the history is loaded. `random`: a number below 2^31 that depends on `n` only. */
export const CREATE_LIFE = `CREATE UNLOGGED TABLE life (n int PRIMARY KEY, random bigint, id text, store_id text, status "SessionStatus",
  created_at timestamptz, closed_at timestamptz, cents bigint, network text, currency text, decimals int, symbol text, chain_id int,
  amount numeric, evm text, tron text, solana text, address text, hash text, payer text, swept_at timestamptz, sweep_id bigint,
  refunded bigint, is_refund_paid boolean, refund text, refunded_at timestamptz)`;

/**
 * $1, $2: the first and the last session of the portion. $3: the number of all sessions. $4: the number of ordinary stores. $5: now.
 * Seventy in a hundred sessions are completed, twenty-five expire, of which one got a part of its price, four are canceled and one fails.
 * Three in a hundred payments are refunded by half. Every tenth of these refunds is canceled.
 */
export const FILL_LIFE = `INSERT INTO life
  SELECT n, random, 'cs_test_' || ${hex('id', 22)}, store_id, status, created_at, closed_at, cents, network, currency, decimals, symbol,
    (SELECT c.id FROM chains c WHERE c.environment = 'test' AND c.network = t.network), amount, evm, tron, solana,
    CASE network WHEN 'tron' THEN tron WHEN 'solana' THEN solana ELSE evm END,
    CASE network WHEN 'tron' THEN ${hex('tx', 64)} WHEN 'solana' THEN ${hex('tx', 88)} ELSE '0x' || ${hex('tx', 64)} END,
    CASE network WHEN 'tron' THEN 'T' || ${hex('payer', 33)} WHEN 'solana' THEN ${hex('payer', 44)} ELSE '0x' || ${hex('payer', 40)} END,
    CASE WHEN amount IS NOT NULL AND n <= $3::int - ${RECENT} THEN closed_at + interval '1 hour' END, (n - 1) / 200 * 10 + first,
    CASE WHEN is_refunded THEN cents / 2 ELSE 0 END, is_refunded AND random % 10 > 0, 're_' || ${hex('refund', 40)},
    CASE WHEN is_refunded THEN closed_at + interval '1 day' END
  FROM (
    SELECT s.*, p.*, CASE s.status WHEN 'completed' THEN cents * 10::numeric ^ (decimals - 2)
        WHEN 'expired' THEN CASE WHEN random / 100000 % 25 = 0 THEN cents / 2 * 10::numeric ^ (decimals - 2) END END::numeric(78, 0) AS amount,
      s.status = 'completed' AND random / 100000 % 100 < 3 AND s.closed_at < $5::timestamptz - interval '2 days' AS is_refunded,
      '0x' || ${hex('evm', 40)} AS evm, 'T' || ${hex('tron', 33)} AS tron, ${hex('solana', 44)} AS solana
    FROM (
      SELECT n, random, status, created_at, cents,
        CASE status WHEN 'pending' THEN NULL WHEN 'completed' THEN created_at + interval '10 minutes' ELSE created_at + interval '30 minutes' END
          AS closed_at,
        CASE WHEN n % ${LARGE_SHARE} = 0 OR n > $3::int - ${RECENT} THEN '${STORE}'
          ELSE 'st_' || (n / ${LARGE_SHARE} * ${LARGE_SHARE - 1} + n % ${LARGE_SHARE} - 1) % $4::int END AS store_id
      FROM (SELECT n, random, 500 + random / 1000 % 20000 AS cents,
          CASE WHEN n > $3::int - ${PENDING} THEN 'pending' WHEN random % 100 < 70 THEN 'completed' WHEN random % 100 < 95 THEN 'expired'
            WHEN random % 100 < 99 THEN 'canceled' ELSE 'failed' END::"SessionStatus" AS status,
          date_trunc('second', $5::timestamptz - CASE
            WHEN n > $3::int - ${PENDING} THEN interval '30 minutes' - (n - ($3::int - ${PENDING})) * interval '1 second'
            WHEN n > $3::int - ${RECENT} THEN interval '2 hours' + ($3::int - ${PENDING} - n) * (interval '22 hours' / ${RECENT - PENDING})
            ELSE interval '1 day' + ($3::int - ${RECENT} - n) * (interval '${DAYS} days' / $3::int) END) AS created_at
        FROM (SELECT n, abs(hashint4(n)::bigint) AS random FROM generate_series($1::int, $2::int) AS n) AS numbers) AS drawn) AS s
    JOIN ${PAIRS} ON s.random / 100 % 10 BETWEEN p.first AND p.last) AS t`;

const PAID = `FROM life WHERE amount IS NOT NULL`;
const MOVED =
  'chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency, contract, payer, recipient, amount, decimals';
const event = (at, more = 0) => `'evt_' || (extract(epoch FROM ${at})::bigint * 1000000000 + ${more} + n)`;
/** Where the refund wallet's own money is: it pays refunds and payouts. */
export const WALLET = '0x00000000000000000000000000000000000f0000';
const SPONSOR = '0x00000000000000000000000000000000000f0001';

/** In this order. Sessions and deliveries are stored as they begin, and closed by CLOSE, so that their tables and indexes have the room of real ones. */
export const OPEN = [
  `INSERT INTO sessions (id, store_id, environment, order_id, request_id, amount_total, currency, amount_due, currencies, networks,
      offered_pairs, description, line_items, metadata, success_url, created_at, expires_at, address_index, evm_address, tron_address,
      solana_address)
    SELECT id, store_id, 'test', 'order-' || n, 'req_' || ${hex('request', 22)}, cents, 'USD', cents, '{USDT,USDC}',
      '{bsc,ethereum,solana,tron}', '{bsc-USDT,bsc-USDC,ethereum-USDT,ethereum-USDC,solana-USDT,solana-USDC,tron-USDT}', 'Order ' || n,
      CASE WHEN random % 3 = 0 THEN json_build_array(json_build_object('quantity', 1, 'price_data', json_build_object('currency', 'usd',
        'unit_amount', cents, 'product_data', json_build_object('name', 'Blue mug')))) END,
      json_build_object('cart', n, 'customer', ${hex('customer')}), 'https://shop.example/thanks/' || n, created_at,
      created_at + interval '30 minutes', n, evm, tron, solana
    FROM life ORDER BY n`,
  `INSERT INTO payer_browsers (session_id, browser) SELECT id, ${bytes('browser')} FROM life WHERE status <> 'canceled' ORDER BY n`,
  `INSERT INTO balance_checks (session_id, chain_id, state, next_at) SELECT l.id, c.id, 'proven', l.created_at + interval '30 minutes'
    FROM life l, chains c WHERE l.status = 'pending'`,
  `INSERT INTO transfers (id, ${MOVED}, is_plain, mac, created_at)
    SELECT n, chain_id, network, id, hash, 0, n, ${hex('block', 64)}, closed_at, currency, '0x55d398326f99059ff775485246999027b3197955',
      payer, address, amount, decimals, true, ${bytes('mac')}, closed_at ${PAID} ORDER BY n`,
  `INSERT INTO outgoing_transfers (id, ${MOVED}, created_at, booked_at, is_refill)
    SELECT n, chain_id, network, id, md5('sweep' || sweep_id) || md5('sweep_' || sweep_id), n, n, ${hex('block', 64)}, swept_at, currency,
      '0x55d398326f99059ff775485246999027b3197955', address, '${WALLET}', amount, decimals, swept_at, swept_at, true
    FROM life WHERE swept_at IS NOT NULL ORDER BY n`,
  `INSERT INTO deposit_balances (chain_id, address, currency, decimals, session_id, amount, since)
    SELECT chain_id, address, currency, decimals, id, amount, closed_at ${PAID} AND swept_at IS NULL ORDER BY n`,
  `INSERT INTO account_cursors (chain_id, account, owner, currency, amount, signature, updated_at)
    SELECT chain_id, ${hex('account', 44)}, solana, currency, CASE WHEN swept_at IS NULL THEN amount ELSE 0 END, hash, closed_at
    ${PAID} AND network = 'solana' ORDER BY n`,
  // One transaction sweeps the addresses of a network among two hundred sessions.
  `INSERT INTO sweeps (id, environment, network, chain_id, kind, status, currency, sender, request, terms, bytes, hashes, fee, created_at,
      signed_at, ended_at, coin_booked_at)
    SELECT sweep_id, 'test', network, chain_id, 'batch', 'final', currency, '${SPONSOR}',
      jsonb_build_object('kind', 'batch', 'items', jsonb_agg(jsonb_build_object('address', address, 'index', n, 'amount', amount::text))),
      jsonb_build_object('nonce', sweep_id, 'maxFee', '20000000000'), string_agg(${hex('signed', 160)}, ''),
      ARRAY[md5('sweep' || sweep_id) || md5('sweep_' || sweep_id)], 60000 * count(*), min(swept_at), min(swept_at), max(swept_at), max(swept_at)
    FROM life WHERE swept_at IS NOT NULL GROUP BY sweep_id, network, chain_id, currency ORDER BY 1`,
  `INSERT INTO sweep_items (sweep_id, chain_id, address, address_index, session_id, currency, decimals, amount, moved, ended_at)
    SELECT sweep_id, chain_id, address, n, id, currency, decimals, amount, amount, swept_at
    FROM life WHERE swept_at IS NOT NULL ORDER BY n`,
  `INSERT INTO session_status_changes (session_id, move, "from", "to", at)
    SELECT id, CASE status WHEN 'completed' THEN 'complete' WHEN 'expired' THEN 'expire' WHEN 'canceled' THEN 'cancel' ELSE 'fail' END,
      'pending', status, closed_at FROM life WHERE status <> 'pending' ORDER BY n`,
  `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount, state, decided_by, decided_at, created_at,
      is_notice_due)
    SELECT store_id, 'test', id, n, 'unfinished', amount, 'left', 'merchant:00000000-0000-4000-8000-000000000001',
      closed_at + interval '1 hour', closed_at, false ${PAID} AND status = 'expired' ORDER BY n`,
  `INSERT INTO ledger_entries (id, kind, store_id, environment, session_id, transfer_id, outgoing_transfer_id, intent_id, created_at)
    SELECT n * 4::bigint + line.place, line.kind, store_id, 'test', id, line.transfer, line.outgoing, line.intent, line.at
    FROM life CROSS JOIN LATERAL (VALUES (0, 'transfer', n::bigint, NULL::bigint, NULL::text, closed_at),
      (1, 'refill', NULL, n, NULL, swept_at), (2, 'refund_reserved', NULL, NULL, refund, refunded_at),
      (3, CASE WHEN is_refund_paid THEN 'refund_paid' ELSE 'refund_released' END, NULL, NULL, refund, refunded_at + interval '2 minutes'))
      AS line (place, kind, transfer, outgoing, intent, at)
    WHERE amount IS NOT NULL AND line.at IS NOT NULL ORDER BY n, line.place`,
  `INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
    SELECT n * 4::bigint + line.place, line.account, network, currency, line.amount
    FROM life CROSS JOIN LATERAL (VALUES
      (0, 'received', amount, closed_at),
      (0, CASE status WHEN 'completed' THEN 'store:' ELSE 'unresolved:' END || store_id, -amount, closed_at),
      (1, 'refund_wallet', amount, swept_at), (1, 'received', -amount, swept_at),
      (2, 'store:' || store_id, amount / cents * refunded, refunded_at), (2, 'refund:' || store_id, -amount / cents * refunded, refunded_at),
      (3, CASE WHEN is_refund_paid THEN 'refund_wallet' ELSE 'store:' || store_id END, -amount / cents * refunded, refunded_at),
      (3, 'refund:' || store_id, amount / cents * refunded, refunded_at)) AS line (place, account, amount, at)
    WHERE life.amount IS NOT NULL AND line.at IS NOT NULL ORDER BY n, line.place`,
  `INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, written_in)
    SELECT made.id, store_id, 'test', made.type, life.id, format('{"id":"%s","type":"%s","created_at":%s,"data":{"object":{"amount":%s,'
        '"status":"%s","currency":"%s","exchange_rate":"1","order_id":"order-%s","session_id":"%s","source":"api"%s,"amount_received":%s}}}',
        made.id, made.type, extract(epoch FROM closed_at)::bigint, cents, status, currency, n, life.id,
        CASE status WHEN 'completed' THEN format(',"network":"%s","transaction_hash":"%s"', network, hash) END,
        CASE status WHEN 'completed' THEN cents ELSE 0 END), closed_at, n
    FROM life CROSS JOIN LATERAL (SELECT ${event('closed_at')} AS id,
      'payment.' || CASE status WHEN 'canceled' THEN 'cancelled' ELSE status::text END AS type) AS made
    WHERE status <> 'pending' ORDER BY n`,
  `INSERT INTO refunds (id, store_id, environment, refund_id, request_id, session_id, order_id, status, amount, currency, network, reason,
      request_hash, day, created_at, sign_after, destination, destination_kind, destination_reference, destination_mac,
      signature_requested_at, transaction_hash, receipt_number, processed_at, next_at, cost_bearer)
    SELECT refund, store_id, 'test', 'refund-' || n, 'req_' || ${hex('refund_request', 22)}, id, 'order-' || n,
      CASE WHEN is_refund_paid THEN 'completed' ELSE 'canceled' END::"RefundStatus", refunded, currency, network, 'requested_by_customer',
      ${bytes('refund_hash')}, refunded_at::date, refunded_at, CASE WHEN is_refund_paid THEN refunded_at END,
      CASE WHEN is_refund_paid THEN payer END, CASE WHEN is_refund_paid THEN 'payer' END,
      CASE WHEN is_refund_paid THEN network || '/' || hash || '/0' END, CASE WHEN is_refund_paid THEN ${bytes('destination')} END,
      CASE WHEN is_refund_paid THEN refunded_at END, CASE WHEN is_refund_paid THEN '0x' || ${hex('refund_tx', 64)} END,
      CASE WHEN is_refund_paid THEN 'rcp_' || ${hex('receipt', 22)} END, refunded_at + interval '2 minutes',
      refunded_at, CASE WHEN is_refund_paid THEN 'operator' END
    FROM life WHERE refunded > 0 ORDER BY n`,
  `INSERT INTO refund_status_changes (intent_id, move, "from", "to", at)
    SELECT refund, line.move, line."from", line."to", line.at FROM life CROSS JOIN LATERAL (VALUES
      ('begin', 'pending'::"RefundStatus", 'processing'::"RefundStatus", refunded_at),
      (CASE WHEN is_refund_paid THEN 'complete' ELSE 'cancel' END, 'processing',
        CASE WHEN is_refund_paid THEN 'completed' ELSE 'canceled' END::"RefundStatus", refunded_at + interval '2 minutes'))
      AS line (move, "from", "to", at) WHERE refunded > 0 ORDER BY n, line.at`,
  `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, sent_at, seen_at,
      confirmations, ended_at, block_number, block_hash, fee, coin_booked_at)
    SELECT refund, 1, chain_id, 'landed', json_build_object('from', '${WALLET}', 'to', payer, 'data', ${hex('data', 136)}, 'gas', '65000',
        'maxFee', '20000000000'), '0x' || ${hex('refund_tx', 64)}, ${hex('bytes', 350)}, json_build_object('kind', 'nonce', 'nonce', n),
      refunded_at, refunded_at, refunded_at, refunded_at, 12, refunded_at + interval '2 minutes', n, ${hex('refund_block', 64)}, 65000,
      refunded_at + interval '2 minutes'
    FROM life WHERE is_refund_paid ORDER BY n`,
  `INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, written_in)
    SELECT made.id, store_id, 'test', 'refund.succeeded', refund, format('{"id":"%s","type":"refund.succeeded","created_at":%s,"data":{"object":{'
        '"session_id":"%s","order_id":"order-%s","refund_id":"refund-%s","refund_amount":%s,"refund_currency":"%s","status":"completed",'
        '"source":"api","network":"%s","transaction_hash":"0x%s"}}}', made.id, extract(epoch FROM refunded_at)::bigint, life.id, n, n, refunded,
        currency, network, ${hex('refund_tx', 64)}), refunded_at + interval '2 minutes', n
    FROM life CROSS JOIN LATERAL (SELECT ${event('refunded_at', 500_000_000)} AS id) AS made WHERE is_refund_paid ORDER BY n`,
  // One for each event. Every fiftieth succeeds at its second attempt.
  `INSERT INTO deliveries (id, event_id, store_id, environment, created_at, next_at)
    SELECT n * 2::bigint + one.place, one.event, store_id, 'test', one.at, one.at FROM life CROSS JOIN LATERAL (VALUES
      (0, ${event('closed_at')}, closed_at), (1, ${event('refunded_at', 500_000_000)}, CASE WHEN is_refund_paid THEN refunded_at + interval '2 minutes' END))
      AS one (place, event, at) WHERE one.at IS NOT NULL ORDER BY n, one.place`,
  `INSERT INTO mails (recipient, subject, body, rank, created_at, next_at, attempts, sent_at)
    SELECT n || '@customer.example', 'Receipt of your payment', ${hex('mail', 1200)}, 2, closed_at, closed_at, 1, closed_at FROM life
    WHERE random / 77 % 20 = 0 AND status = 'completed' AND closed_at > $1::timestamptz - interval '30 days' ORDER BY n`,
];

/** What closes and delivers them. */
export const CLOSE = [
  `UPDATE sessions s SET status = l.status, closed_at = l.closed_at, amount_received = CASE l.status WHEN 'completed' THEN l.cents ELSE
      coalesce(l.amount / 10::numeric ^ (l.decimals - 2), 0) END, exception = CASE WHEN l.status = 'expired' AND l.amount IS NOT NULL THEN 'partial'
      ELSE 'none' END::"SessionException", completed_network = CASE l.status WHEN 'completed' THEN l.network END,
      completed_currency = CASE l.status WHEN 'completed' THEN l.currency END, completed_transaction = CASE l.status WHEN 'completed' THEN l.hash END,
      amount_refunded = CASE WHEN l.is_refund_paid THEN l.refunded ELSE 0 END
    FROM life l WHERE s.id = l.id AND l.status <> 'pending'`,
  `INSERT INTO delivery_attempts (delivery_id, number, url, started_at, finished_at, status_code, answer, duration_ms, request_headers)
    SELECT d.id, number, 'https://shop.example/hooks/' || d.store_id, d.created_at, d.created_at, CASE WHEN number < tried THEN 503 ELSE 200 END, 'ok', 80,
      jsonb_build_object('content-type', 'application/json', 'user-agent', 'Stabletill-Webhooks/1', 'x-service-event-id', d.event_id,
        'x-service-event-type', 'payment.completed', 'x-service-timestamp', '1800000000', 'x-service-signature', 'v1=0123456789abcdef…',
        'webhook-id', d.event_id, 'webhook-timestamp', '1800000000', 'webhook-signature', 'v1,0123456789abcdef…')
    FROM life CROSS JOIN generate_series(0, 1) AS place JOIN deliveries d ON d.id = n * 2::bigint + place
      CROSS JOIN LATERAL (SELECT CASE WHEN random / 7 % 50 = 0 THEN 2 ELSE 1 END AS tried) AS t, generate_series(1, tried) AS number
    ORDER BY d.id, number`,
  `UPDATE deliveries d SET status = 'delivered', attempts = CASE WHEN random / 7 % 50 = 0 THEN 2 ELSE 1 END, epoch = 1, finished_at = d.created_at
    FROM life CROSS JOIN generate_series(0, 1) AS place WHERE d.id = n * 2::bigint + place`,
];
