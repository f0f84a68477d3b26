// Searches payments by an order id or its beginning, a session, a transaction hash of a payment or refund, a payer's or deposit
// address, or an amount. The text's form leaves one or two of these. Each uses its own index and returns at most some hundreds
// of sessions.

import { isSessionId } from '@/lib/platform/ids';

/** Results of each kind. More cannot be paged through usefully. */
const MAX_FOUND = 500;

type Given = (value: unknown) => string;
/** `store` and `environment` are the statement's parameters. Without a store all are searched. */
type Scope = { readonly store: string | null; readonly environment: string; readonly given: Given };
type StoreScope = Scope & { readonly store: string };

/**
 * A statement for session ids. For a hash or an address it covers all stores: the caller must restrict the result to its own.
 */
export function searchSessions(text: string, scope: Scope): string {
  const parts = isSessionId(text) ? [`SELECT ${scope.given(text)}::text`] : [];
  const hashes = hashesOf(text);
  if (hashes.length > 0) parts.push(byHash(hashes, scope));
  const address = addressOf(text);
  if (address !== null) parts.push(byAddress(address, scope.given));
  if (isOfStore(scope)) {
    const amount = amountOf(text);
    if (amount !== null) parts.push(byAmount(amount, scope));
    parts.push(byOrder(text, scope));
  } else parts.push(byOrderOfAll(text, scope));
  return parts.map((part) => `(${part})`).join(' UNION ');
}

const isOfStore = (scope: Scope): scope is StoreScope => scope.store !== null;

/** In the database's form: with 0x on EVM, without on TRON. */
export function hashesOf(text: string): string[] {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1]?.toLowerCase();
  if (hex !== undefined) return [`0x${hex}`, hex];
  return /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(text) ? [text] : [];
}

/** Hexadecimal addresses are stored in lower case; base58 is case-sensitive. */
function addressOf(text: string): string | null {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return text.toLowerCase();
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) ? text : null;
}

/** Minor units at two digits, and the number itself for currencies without any. The currency, if it was given. */
function amountOf(text: string): { units: readonly string[]; currency: string | null } | null {
  const found = /^(\d{1,12})(?:[.,](\d{1,2}))?(?:\s*([A-Za-z]{3,4}))?$/.exec(text);
  if (!found) return null;
  const [, whole = '', fraction, currency = null] = found;
  const cents = BigInt(whole + (fraction ?? '').padEnd(2, '0'));
  const units = fraction === undefined ? [cents, BigInt(whole)] : [cents];
  return { units: units.map(String), currency: currency?.toUpperCase() ?? null };
}

const byHash = (hashes: readonly string[], { environment, given }: Scope): string => {
  const chains = `ANY (ARRAY(SELECT id FROM chains WHERE environment = ${environment}::"Environment"))`;
  const list = given(hashes);
  const of = (table: string): string =>
    `SELECT session_id FROM ${table} WHERE chain_id = ${chains} AND transaction_hash = ANY (${list}::text[])`;
  return `${of('transfers')} UNION ${of('unconfirmed_transfers')} UNION
    SELECT r.session_id FROM refund_attempts a JOIN refunds r ON r.id = a.intent_id
    WHERE a.chain_id = ${chains} AND a.hash = ANY (${list}::text[])`;
};

const byAddress = (address: string, given: Given): string => {
  const text = given(address);
  return `SELECT id FROM sessions WHERE evm_address = ${text} UNION SELECT id FROM sessions WHERE tron_address = ${text}
    UNION SELECT id FROM sessions WHERE solana_address = ${text}
    UNION (SELECT session_id FROM transfers WHERE payer = ${text} ORDER BY id DESC LIMIT ${MAX_FOUND})`;
};

const byAmount = (
  { units, currency }: { units: readonly string[]; currency: string | null },
  { store, environment, given }: StoreScope,
): string => `SELECT id FROM sessions WHERE store_id = ${store} AND environment = ${environment}::"Environment"
    AND amount_total = ANY (${given(units)}::bigint[])${currency === null ? '' : ` AND currency = ${given(currency)}`}
    ORDER BY created_at DESC LIMIT ${MAX_FOUND}`;

/**
 * The exact id, and ids that begin with it, read in the index's order. Beyond letters and digits that is the database's order.
 */
const byOrder = (text: string, { store, environment, given }: StoreScope): string => {
  const own = `store_id = ${store} AND environment = ${environment}::"Environment"`;
  const start = given(text);
  return `SELECT id FROM sessions WHERE ${own} AND order_id = ${start} UNION
    SELECT id FROM (SELECT id, order_id FROM sessions WHERE ${own} AND order_id >= ${start} AND order_id < ${start} || chr(1114111)
      ORDER BY order_id LIMIT ${MAX_FOUND}) near WHERE starts_with(order_id, ${start})`;
};

/** The exact id, which several stores may use: one index lookup for each store. */
const byOrderOfAll = (text: string, { environment, given }: Scope): string =>
  `SELECT one.id FROM stores st CROSS JOIN LATERAL (SELECT id FROM sessions WHERE store_id = st.id
     AND environment = ${environment}::"Environment" AND order_id = ${given(text)} LIMIT 1) one LIMIT ${MAX_FOUND}`;
