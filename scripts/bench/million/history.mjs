// The stored data of an installation after this many sessions. Half belong to the measured store, the others to many
// stores, with transfers, ledger, events and deliveries. The database generates it. Row n is the same for every size,
// so pages of a small and of a large history hold the same.

import { STORE } from '../database.mjs';

const OTHER_STORES = 40;
/** The history covers half a year evenly and ends now. */
const DAYS = 180;
/** Nonces of a busy key during the half hour for which they are kept; they do not grow with the history. */
const NONCES = 20_000;

/** `hex(n, part)`: 32 random-looking digits for each row and purpose. */
const hex = (part) => `md5(n || '${part}')`;
const ID = `'cs_test_' || substr(${hex('id')}, 1, 22)`;
const EVM = `'0x' || ${hex('evm')} || substr(${hex('evm2')}, 1, 8)`;
const TRANSACTION = `'0x' || ${hex('tx')} || ${hex('tx2')}`;
const STORE_OF = `CASE n % 2 WHEN 0 THEN '${STORE}' ELSE 'st_other_' || n / 2 % ${OTHER_STORES} END`;
/** In hundredths of the store's sessions: most are paid, many never, some are canceled or fail. */
const STATUS = `(CASE WHEN n / 2 % 100 < 60 THEN 'completed' WHEN n / 2 % 100 < 88 THEN 'expired'
  WHEN n / 2 % 100 < 93 THEN 'canceled' ELSE 'failed' END)::"SessionStatus"`;
const NETWORK = `(ARRAY['tron', 'bsc', 'ethereum', 'solana'])[1 + n / 200 % 4]`;
const TOKEN = `(ARRAY['USDT', 'USDC'])[1 + n / 800 % 2]`;
const SOURCE = 'generate_series(1, $1::int) AS n';
const IS_PAID = `n / 2 % 100 < 60`;

/** Fills an empty database. It then uses the address indexes 1 to `count`. */
export async function addHistory(client, count) {
  const seconds = (DAYS * 86_400) / count;
  const createdAt = `date_trunc('second', now() - ($1::int - n) * interval '${seconds} seconds' - interval '1 hour')`;
  // Skips checking row by row, because the generated rows are valid.
  await client.query('SET session_replication_role = replica');
  const run = (text) => client.query(text, [count]);
  await client.query(`INSERT INTO stores (id, owner_id, name, status)
    SELECT 'st_other_' || k, (SELECT id FROM users LIMIT 1), 'Store ' || k, 'approved' FROM generate_series(0, ${OTHER_STORES - 1}) k`);
  await run(`INSERT INTO sessions (id, store_id, environment, order_id, status, amount_total, currency, amount_due, currencies,
      networks, offered_pairs, description, line_items, metadata, success_url, created_at, expires_at, closed_at, address_index,
      evm_address, tron_address, solana_address, amount_received, completed_network, completed_currency, completed_transaction)
    SELECT ${ID}, ${STORE_OF}, 'test', 'order-' || n, ${STATUS}, 500 + n % 20000, 'USD', 500 + n % 20000, '{USDT,USDC}',
      '{bsc,ethereum,solana,tron}', '{bsc-USDT,bsc-USDC,ethereum-USDT,ethereum-USDC,solana-USDT,solana-USDC,tron-USDT}', 'Order ' || n,
      CASE WHEN n / 2 % 3 = 0 THEN json_build_array(json_build_object('quantity', 1, 'price_data', json_build_object('currency', 'usd', 'unit_amount', 500 + n % 20000, 'product_data', json_build_object('name', 'Blue mug')))) END,
      json_build_object('cart', n, 'customer', ${hex('customer')}), 'https://shop.example/thanks/' || n,
      ${createdAt}, ${createdAt} + interval '30 minutes', ${createdAt} + interval '10 minutes', n,
      ${EVM}, 'T' || substr(${hex('tron')} || '0', 1, 33), ${hex('solana')} || substr(${hex('sol2')}, 1, 12),
      CASE WHEN ${IS_PAID} THEN 500 + n % 20000 ELSE 0 END, CASE WHEN ${IS_PAID} THEN ${NETWORK} END,
      CASE WHEN ${IS_PAID} THEN ${TOKEN} END, CASE WHEN ${IS_PAID} THEN ${TRANSACTION} END
    FROM ${SOURCE}`);
  await run(`INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
      currency, contract, payer, recipient, amount, decimals, created_at)
    SELECT 1 + n % 2, ${NETWORK}, ${ID}, ${TRANSACTION}, 0, n, ${hex('block')}, ${createdAt}, ${TOKEN}, '0x55d3', '0x1', ${EVM},
      (500 + n % 20000) * 10000::numeric, 6, ${createdAt} FROM ${SOURCE} WHERE ${IS_PAID}`);
  await run(`INSERT INTO session_status_changes (session_id, move, "from", "to", at)
    SELECT ${ID}, 'settle', 'pending', ${STATUS}, ${createdAt} FROM ${SOURCE}`);
  await run(`INSERT INTO ledger_entries (kind, store_id, environment, session_id, transfer_id, created_at)
    SELECT 'payment', ${STORE_OF}, 'test', ${ID}, n, ${createdAt} FROM ${SOURCE} WHERE ${IS_PAID}`);
  await client.query(`INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
    SELECT e.id, side.account, 'bsc', 'USDT', side.amount FROM ledger_entries e,
      (VALUES ('received', 5000000), ('store', -5000000)) AS side (account, amount)`);
  await run(`INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, written_in)
    SELECT 'evt_' || lpad(n::text, 19, '0'), ${STORE_OF}, 'test',
      CASE WHEN ${IS_PAID} THEN 'payment.completed' WHEN n / 2 % 100 < 88 THEN 'payment.expired'
        WHEN n / 2 % 100 < 93 THEN 'payment.cancelled' ELSE 'payment.failed' END, ${ID},
      json_build_object('event_id', 'evt_' || lpad(n::text, 19, '0'), 'session_id', ${ID}, 'order_id', 'order-' || n, 'amount', 1250,
        'currency', 'USDT', 'transaction_hash', ${TRANSACTION})::text, ${createdAt}, n
    FROM ${SOURCE}`);
  await run(`INSERT INTO deliveries (event_id, store_id, environment, status, attempts, created_at, finished_at)
    SELECT 'evt_' || lpad(n::text, 19, '0'), ${STORE_OF}, 'test', 'delivered', 1, ${createdAt}, ${createdAt} FROM ${SOURCE}`);
  await run(`INSERT INTO delivery_attempts (delivery_id, number, url, started_at, finished_at, status_code)
    SELECT n, 1, 'https://shop.example/hook', ${createdAt}, ${createdAt}, 200 FROM ${SOURCE}`);
  await client.query(
    `INSERT INTO nonces (key_id, nonce) SELECT 1, gen_random_uuid() FROM generate_series(1, ${NONCES})`,
  );
  await client.query('RESET session_replication_role');
}

/** Sessions of the measured store, spread over the whole history. */
export async function pickSessions(client, count) {
  const { rows } = await client.query(
    `SELECT id, order_id, created_at, address_index FROM (
       SELECT *, row_number() OVER (ORDER BY created_at, id) - 1 AS rank, count(*) OVER () AS total
       FROM sessions WHERE store_id = $1) AS own
     WHERE rank % greatest(1, total / $2::int) = 0 ORDER BY rank LIMIT $2::int`,
    [STORE, count],
  );
  return rows;
}
