// The statement that creates several sessions at once, for calls that wait at the same moment. It creates only those that nothing
// stands against, and each of them as `createStatement` does: nonce, deposit address, session and idempotency key, in one
// transaction. It has no effect for the others; their own statement then says what is wrong with each.

import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { isOpenIn } from '@/lib/merchants/stores/store-status';
import type { Environment } from '@/lib/platform/ids';
import { isReadable, SEARCHED_BELOW_HIGHEST, type NewSession } from './statement';

/** A signed call and the session that it creates. */
export type KeyedSession = { readonly caller: Caller; readonly session: NewSession };

// As in the statement for one session, but a store with a daily limit has its sessions created one by one. It writes in the order of that
// statement (nonces, pool, sessions, keys), and the rows of a table in one order, so that no two statements wait for each other. What
// another transaction inserts at the same time is a conflict, which refuses the whole group. The order is looked up in a range of one,
// which only the index of orders has sorted: the planner must not choose another one while it does not know the table's size.
const CREATE_SESSIONS_SQL = `
WITH input AS MATERIALIZED (SELECT * FROM json_to_recordset($2::json) AS r (key_id integer, nonce text, id text, store_id text, order_id text,
    amount_total bigint, currency text, amount_due bigint, currencies text[], accepts_other_token boolean, description text,
    line_items json, tax_amount bigint, shipping_amount bigint, success_url text, cancel_url text, metadata json, created_at timestamptz,
    expires_at timestamptz, key text, request_hash bytea, answer text, networks text[], exchange_rate text, rate_basis json,
    budget "SessionBudget", pairs text[], request_id text, traceparent text)),
  keys AS MATERIALIZED (SELECT k.id, s.session_limit FROM api_keys k JOIN stores s ON s.id = k.store_id
    WHERE k.id IN (SELECT key_id FROM input) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      AND ${isOpenIn('k.environment')} AND s.day_limit IS NULL),
  readable AS MATERIALIZED (SELECT network, scanned_at, is_idle, trouble FROM chains WHERE environment = $1::"Environment" AND retired_at IS NULL),
  fitting AS MATERIALIZED (SELECT i.*, o.offered, row_number() OVER () AS place FROM input i JOIN keys k ON k.id = i.key_id
    CROSS JOIN LATERAL (SELECT array_agg(c.network ORDER BY c.network) AS offered FROM readable c
      WHERE c.network = ANY (i.networks) AND ${isReadable('c', 'i.created_at')}) o
    WHERE o.offered IS NOT NULL AND (k.session_limit IS NULL OR i.amount_due <= k.session_limit)
      AND NOT EXISTS (SELECT FROM nonces n WHERE n.key_id = i.key_id AND n.nonce = i.nonce)
      AND NOT EXISTS (SELECT FROM idempotency_keys e WHERE e.store_id = i.store_id AND e.environment = $1::"Environment" AND e.key = i.key)
      AND (SELECT s.id FROM sessions s WHERE s.store_id = i.store_id AND s.environment = $1::"Environment"
        AND s.order_id >= i.order_id AND s.order_id <= i.order_id ORDER BY s.order_id LIMIT 1) IS NULL),
  picked AS MATERIALIZED (SELECT p.address_index FROM address_pool p
    WHERE p.environment = $1::"Environment" AND p.incarnation = (SELECT pool_incarnation()) AND p.xmin = p.written_by
      AND p.address_index >= coalesce((SELECT address_index FROM sessions
        WHERE environment >= $1::"Environment" AND environment <= $1::"Environment"
        ORDER BY environment DESC, address_index DESC LIMIT 1), 0) - ${SEARCHED_BELOW_HIGHEST}
    ORDER BY p.address_index LIMIT (SELECT count(*) FROM fitting) FOR UPDATE OF p SKIP LOCKED),
  matched AS MATERIALIZED (SELECT f.*, p.address_index FROM fitting f
    JOIN (SELECT address_index, row_number() OVER (ORDER BY address_index) AS place FROM picked) p USING (place)),
  spent AS (INSERT INTO nonces (key_id, nonce) SELECT key_id, nonce FROM matched ORDER BY key_id, nonce RETURNING key_id, nonce),
  claimed AS (DELETE FROM address_pool p
    WHERE p.environment = $1::"Environment" AND p.address_index = ANY (ARRAY(SELECT address_index FROM matched JOIN spent USING (key_id, nonce)))
    RETURNING p.address_index, p.evm_address, p.tron_address, p.tron_factory, p.solana_address),
  made AS (INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
      offered_pairs, accepts_other_token, description, line_items, tax_amount, shipping_amount, success_url, cancel_url, metadata,
      created_at, expires_at, address_index, evm_address, tron_address, tron_factory, solana_address, exchange_rate, rate_basis, budget,
      request_id, traceparent)
    SELECT id, store_id, $1::"Environment", order_id, amount_total, currency, amount_due, currencies, offered,
      ARRAY(SELECT pair FROM unnest(pairs) AS pair WHERE split_part(pair, '-', 1) = ANY (offered)), accepts_other_token,
      description, line_items, tax_amount, shipping_amount, success_url, cancel_url, metadata, created_at, expires_at,
      address_index, evm_address, tron_address, tron_factory, solana_address, exchange_rate, rate_basis, budget, request_id, traceparent
    FROM matched JOIN claimed USING (address_index) ORDER BY store_id, order_id RETURNING id),
  kept AS (INSERT INTO idempotency_keys (store_id, environment, key, request_hash, answer)
    SELECT store_id, $1::"Environment", key, request_hash, answer FROM matched JOIN made USING (id)
    WHERE key IS NOT NULL ORDER BY store_id, key)
SELECT id FROM made`;

/** Creates those of the sessions that nothing stands against; a row for each that it created. All are of one environment. */
export const createGroupStatement = (
  environment: Environment,
  group: readonly KeyedSession[],
): { name: string; text: string; values: unknown[] } => ({
  name: 'create-sessions',
  text: CREATE_SESSIONS_SQL,
  values: [environment, JSON.stringify(group.map(row))],
});

/** Keys without a value are null in PostgreSQL. JSON has no bigint; its text is read exactly. */
function row({ caller: { key, nonce }, session }: KeyedSession): Record<string, unknown> {
  const { request, price, idempotency } = session;
  return {
    key_id: key.id,
    nonce,
    id: session.id,
    store_id: key.storeId,
    order_id: request.order_id,
    amount_total: String(price.amountTotal),
    currency: price.currency,
    amount_due: String(price.amountDue),
    currencies: price.currencies,
    accepts_other_token: key.acceptsOtherToken,
    description: request.description,
    line_items: request.line_items,
    tax_amount: request.tax_amount,
    shipping_amount: request.shipping_amount,
    success_url: request.success_url,
    cancel_url: request.cancel_url,
    metadata: request.metadata,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    key: idempotency?.key,
    request_hash: idempotency && `\\x${idempotency.requestHash.toString('hex')}`,
    answer: idempotency ? session.answer : undefined,
    networks: session.networks,
    exchange_rate: price.conversion?.exchangeRate,
    rate_basis: price.conversion?.basis,
    budget: session.budget ?? 'store',
    pairs: session.pairs,
    request_id: session.requestId,
    traceparent: session.traceparent,
  };
}
