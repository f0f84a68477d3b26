// The statement that creates a session: it spends the nonce, checks the idempotency key, claims a deposit address and writes the
// session, or has no effect at all. One round trip and one transaction. It applies the current limits of the store; only a store
// with a daily limit has its amounts counted (session_days). The store's own pages use the same statement without key and nonce.

import { IDLE_SILENCE_MS } from '@/lib/networks/endpoints/request-limits';
import { SPEND_NONCE, SPENT_COLUMNS, type Caller } from '@/lib/merchants/api-keys/nonces';
import { isOpenIn } from '@/lib/merchants/stores/store-status';
import type { SessionBudget } from '@/prisma/generated/enums';
import type { CreateSessionRequest } from './schema';
import type { Price } from './rules';

/** The store fields that its sessions depend on, as a key carries them too. */
export type SessionStore = Pick<
  Caller['key'],
  | 'storeId'
  | 'environment'
  | 'usdCurrencies'
  | 'networks'
  | 'allowedPairs'
  | 'countryRules'
  | 'acceptsOtherToken'
  | 'settlementCurrency'
  | 'spreadBasisPoints'
>;

/** Identifies a repeated request. */
export type Idempotency = { readonly key: string; readonly requestHash: Buffer };

export type NewSession = {
  readonly id: string;
  readonly request: CreateSessionRequest;
  readonly price: Price;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The exact text of the API response. */
  readonly answer: string;
  readonly idempotency: Idempotency | null;
  /** The daily volume that the session counts towards; the store's by default. */
  readonly budget?: SessionBudget | undefined;
  /** Configured networks that have a token to pay with; the session offers those that are followed and readable. */
  readonly networks: readonly string[];
  /** The pairs of network and token that count without a decision; those on networks that are followed are stored. */
  readonly pairs: readonly string[];
  /** Of the API request; none for the store's own pages. */
  readonly requestId?: string | null;
  readonly traceparent?: string | null;
};

/** The result of the statement. */
export type CreateOutcome = {
  readonly alive: boolean;
  readonly made: boolean;
  /** Whether the session can offer any followed and readable network. */
  readonly offered: boolean;
  /** The store's limit for a session or a day, in cents as text, if the session would exceed it. */
  readonly above_session_limit: string | null;
  readonly above_day_limit: string | null;
  readonly earlier_hash: Buffer | null;
  readonly earlier_answer: string | null;
};

/**
 * Addresses are claimed in index order, and claimed rows stay in the index until vacuum: under load, a search from the start would
 * skip tens of thousands of them. So the search starts this far below the highest claimed index, to find addresses that a
 * concurrent claim released. Only if none is left there, it searches below.
 */
export const SEARCHED_BELOW_HIGHEST = 100;

/**
 * A network that could not be read for this long is not offered: a payment on it could not be shown or counted in time. A network without
 * open sessions is read less often. It stays offered between two scans as long as the last one succeeded.
 */
const UNREADABLE_SECONDS = 60;
/** The same as an SQL condition on a row of `chains`; `at` is SQL for a time. */
export const isReadable = (chain: string, at: string): string =>
  `(${chain}.scanned_at > ${at} - interval '${UNREADABLE_SECONDS} seconds'
    OR (${chain}.is_idle AND ${chain}.trouble IS NULL AND ${chain}.scanned_at > ${at} - interval '${IDLE_SILENCE_MS} milliseconds'))`;

// A range condition, so that only the index by environment gives this order. The index of all addresses would search an environment
// with few sessions among all rows of the other one.
const HIGHEST_CLAIMED = `SELECT address_index FROM sessions
        WHERE environment >= $5::"Environment" AND environment <= $5::"Environment"
        ORDER BY environment DESC, address_index DESC LIMIT 1`;

const pick = (condition: string): string => `
    SELECT p.environment, p.address_index FROM address_pool p
    WHERE p.environment = $5::"Environment" AND EXISTS (SELECT FROM offered WHERE networks IS NOT NULL)
      AND p.incarnation = (SELECT pool_incarnation()) AND p.xmin = p.written_by
      AND EXISTS (SELECT FROM spent) AND NOT EXISTS (SELECT FROM earlier)
      AND EXISTS (SELECT FROM alive WHERE session_limit IS NULL OR $9::bigint <= session_limit) AND ${condition}
    ORDER BY p.address_index LIMIT 1 FOR UPDATE OF p SKIP LOCKED`;

/** Like SPEND_NONCE, over $1 (store id) and an empty $2: the store's own pages have no key and spend no nonce. */
const OWN_STORE = `
  alive AS (SELECT s.session_limit, s.day_limit FROM stores s WHERE s.id = $1 AND ${isOpenIn('$5::text')}),
  usable AS (SELECT FROM alive),
  spent AS (SELECT FROM alive WHERE $2::text IS NULL)`;

// Addresses of another incarnation of the database come from a backup and may have been assigned since (wallet/address-pool).
// Both picks are materialized: a locking subquery that is evaluated more than once could claim more than one address.
const createSql = (begin: string): string => `
WITH ${begin},
  earlier AS (SELECT request_hash, answer FROM idempotency_keys
              WHERE store_id = $4 AND environment = $5::"Environment" AND key = $21),
  offered AS (SELECT array_agg(network ORDER BY network) AS networks FROM chains c
              WHERE environment = $5::"Environment" AND retired_at IS NULL AND network = ANY($24) AND ${isReadable('c', '$19::timestamptz')}),
  ahead AS MATERIALIZED (${pick(`p.address_index >= (
      SELECT coalesce(max(address_index), 0) - ${SEARCHED_BELOW_HIGHEST} FROM (${HIGHEST_CLAIMED}) AS highest)`)}),
  behind AS MATERIALIZED (${pick('NOT EXISTS (SELECT FROM ahead)')}),
  picked AS (SELECT * FROM ahead UNION ALL SELECT * FROM behind),
  counted AS (INSERT INTO session_days AS d (store_id, environment, day, budget, amount)
              SELECT $4, $5::"Environment", ($19::timestamptz AT TIME ZONE 'UTC')::date, $27::"SessionBudget", $9::bigint FROM alive, picked
              WHERE day_limit IS NOT NULL AND $9::bigint <= day_limit
              ON CONFLICT (store_id, environment, day, budget) DO UPDATE SET amount = d.amount + excluded.amount
                WHERE d.amount + excluded.amount <= (SELECT day_limit FROM alive) RETURNING 1),
  claimed AS (DELETE FROM address_pool p USING picked
              WHERE p.environment = picked.environment AND p.address_index = picked.address_index
                AND EXISTS (SELECT FROM alive WHERE day_limit IS NULL OR EXISTS (SELECT FROM counted))
              RETURNING p.address_index, p.evm_address, p.tron_address, p.tron_factory, p.solana_address),
  made AS (INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
             offered_pairs, accepts_other_token, description, line_items, tax_amount, shipping_amount, success_url, cancel_url, metadata,
             created_at, expires_at, address_index, evm_address, tron_address, tron_factory, solana_address,
             exchange_rate, rate_basis, budget, request_id, traceparent)
           SELECT $3, $4, $5::"Environment", $6, $7, $8, $9, $10, offered.networks,
             ARRAY(SELECT pair FROM unnest($28::text[]) AS pair WHERE split_part(pair, '-', 1) = ANY (offered.networks)), $11, $12, $13::json, $14, $15, $16, $17, $18::json,
             $19, $20, claimed.address_index, claimed.evm_address, claimed.tron_address, claimed.tron_factory, claimed.solana_address,
             $25, $26::json, $27::"SessionBudget", $29, $30
           FROM claimed, offered RETURNING id),
  kept AS (INSERT INTO idempotency_keys (store_id, environment, key, request_hash, answer)
           SELECT $4, $5::"Environment", $21, $22, $23 FROM made WHERE $21::text IS NOT NULL)
SELECT ${SPENT_COLUMNS}, EXISTS (SELECT FROM made) AS made, (SELECT networks IS NOT NULL FROM offered) AS offered,
  (SELECT session_limit FROM alive WHERE $9::bigint > session_limit) AS above_session_limit,
  (SELECT day_limit FROM alive WHERE day_limit IS NOT NULL AND EXISTS (SELECT FROM picked)
     AND NOT EXISTS (SELECT FROM counted)) AS above_day_limit,
  (SELECT request_hash FROM earlier) AS earlier_hash, (SELECT answer FROM earlier) AS earlier_answer`;

const CREATE_SESSION_SQL = createSql(SPEND_NONCE);
const CREATE_BY_STORE_SQL = createSql(OWN_STORE);

type Statement = { name: string; text: string; values: unknown[] };

/** The statement with its values, named so that it is planned once per connection. */
export const createStatement = ({ key, nonce }: Caller, made: NewSession): Statement => ({
  name: 'create-session',
  text: CREATE_SESSION_SQL,
  values: [key.id, nonce, ...valuesOf(key, made)],
});

/** The same for a session of the store's own pages; `alive` is then whether the store is active. */
export const createByStoreStatement = (store: SessionStore, made: NewSession): Statement => ({
  name: 'create-session-by-store',
  text: CREATE_BY_STORE_SQL,
  values: [store.storeId, null, ...valuesOf(store, made)],
});

function valuesOf(store: SessionStore, made: NewSession): unknown[] {
  const { request, price, idempotency } = made;
  return [
    made.id,
    store.storeId,
    store.environment,
    request.order_id,
    price.amountTotal,
    price.currency,
    price.amountDue,
    price.currencies,
    store.acceptsOtherToken,
    request.description ?? null,
    jsonOrNull(request.line_items),
    request.tax_amount ?? null,
    request.shipping_amount ?? null,
    request.success_url ?? null,
    request.cancel_url ?? null,
    jsonOrNull(request.metadata),
    made.createdAt,
    made.expiresAt,
    idempotency?.key ?? null,
    idempotency?.requestHash ?? null,
    idempotency ? made.answer : null,
    made.networks,
    price.conversion?.exchangeRate ?? null,
    price.conversion ? JSON.stringify(price.conversion.basis) : null,
    made.budget ?? 'store',
    made.pairs,
    made.requestId ?? null,
    made.traceparent ?? null,
  ];
}

/** The result of `earlierStatement`. */
export type Earlier = Pick<CreateOutcome, 'earlier_hash' | 'earlier_answer'>;

const EARLIER_SQL = `
WITH ${SPEND_NONCE}
SELECT ${SPENT_COLUMNS}, e.request_hash AS earlier_hash, e.answer AS earlier_answer
FROM (VALUES (1)) AS one
LEFT JOIN idempotency_keys e ON e.store_id = $3 AND e.environment = $4::"Environment" AND e.key = $5`;

/** Looks up the idempotency key without creating a session, for a request that cannot be priced now. */
export function earlierStatement({ key, nonce }: Caller, idempotency: Idempotency): Statement {
  const values = [key.id, nonce, key.storeId, key.environment, idempotency.key];
  return { name: 'earlier-answer', text: EARLIER_SQL, values };
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
