// What this database knows about the account nonces of the refund wallet (EVM), for the first payment of a signer that knows none: a new
// one, and one that was unfrozen.

import type { WalletChain } from './known';

/** The first account nonce that a wallet has not used. */
export type WalletNonce = { readonly address: string; readonly next: number };

/**
 * Whether all nonces of the wallet below `next` belong to payments of this database and to changes of the allowance, or an operator has
 * checked the wallet (EVM). Those of a former refund wallet had other nonces. `allowances`: how many nonces the changes have used, as the
 * signer knows; a restored database lacks some of them.
 */
export async function areNoncesKnown(
  { context, chainId }: WalletChain,
  { address, next, allowances = 0 }: WalletNonce & { readonly allowances?: number },
): Promise<boolean> {
  const { rows } = await context.pool.query<{ is_known: boolean }>({
    name: 'wallet-known-nonces',
    text: `WITH payments AS (
             SELECT DISTINCT (validity->>'nonce')::bigint AS nonce FROM refund_attempts
             WHERE chain_id = $1 AND hash IS NOT NULL AND (validity->>'nonce')::bigint < $2 AND lower(draft->>'from') = lower($4)),
           changes AS (
             SELECT DISTINCT nonce FROM allowance_transactions
             WHERE chain_id = $1 AND nonce < $2 AND wallet = lower($4) AND nonce NOT IN (SELECT nonce FROM payments))
           SELECT c.wallet_reviewed_until IS NOT NULL OR (SELECT count(*) FROM payments)
             + greatest((SELECT count(*) FROM changes), $3) = $2 AS is_known
           FROM chains c WHERE c.id = $1`,
    values: [chainId, next, allowances, address],
  });
  return rows[0]?.is_known ?? false;
}

/**
 * Whether a final transaction of the wallet has this nonce or a later one. Endpoints that report `next` as unused are behind, or have
 * forgotten: a payment with it would never land, and the one that did would look like a theft.
 */
export async function isNonceFinal(
  { context, chainId }: WalletChain,
  { address, next }: WalletNonce,
): Promise<boolean> {
  const { rows } = await context.pool.query<{ is_final: boolean }>({
    name: 'wallet-final-nonces',
    text: `SELECT EXISTS (SELECT FROM refund_attempts WHERE chain_id = $1 AND lower(draft->>'from') = lower($3)
               AND status IN ('landed', 'reverted') AND (validity->>'nonce')::bigint >= $2)
             OR EXISTS (SELECT FROM allowance_transactions WHERE chain_id = $1 AND wallet = lower($3) AND settled_at IS NOT NULL
               AND nonce >= $2) AS is_final`,
    values: [chainId, next, address],
  });
  return rows[0]?.is_final ?? false;
}
