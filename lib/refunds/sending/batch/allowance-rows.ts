// The transactions that changed the allowance of the contract of batches, as the database has them. They use account nonces of the wallet
// between those of payments. One is open until a transaction with its nonce is final.

import type { Context } from '@/lib/platform/context';
import type { LastAllowance, SignerState } from '@/lib/signer/client';
import type { SendingContext } from '@/lib/refunds/sending/sending-context';

export type Allowing = { readonly context: Context; readonly sending: SendingContext; readonly chainId: number };

export const walletOf = ({ environment }: SendingContext, { wallets }: SignerState): string => wallets[environment].evm;

/** Stores a signed change before it is broadcast, so that the database knows all account nonces of the wallet. */
export async function recordAllowance(
  { context, chainId }: Allowing,
  wallet: string,
  { params, hash }: Pick<LastAllowance, 'params' | 'hash'>,
): Promise<void> {
  await context.pool.query({
    name: 'allowance-signed',
    text: `INSERT INTO allowance_transactions (chain_id, hash, wallet, nonce, currency, is_reset, signed_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    values: [chainId, hash, wallet, params.nonce, params.currency, params.reset, context.clock.now()],
  });
}

/**
 * Whether every change of the wallet's allowance is final, also one that another worker has just had signed. Sends nothing to the network.
 * Throws AddressSourceError.
 */
export async function isAllowanceSettled(allowing: Allowing, state: SignerState): Promise<boolean> {
  const { signer, environment, network } = allowing.sending;
  if (!signer?.calls.lastAllowance) return false;
  const wallet = walletOf(allowing.sending, state);
  const last = await signer.calls.lastAllowance({ environment, network });
  if (last) await recordAllowance(allowing, wallet, last);
  return (await openAllowances(allowing, wallet)).length === 0;
}

export type OpenAllowance = { readonly hash: string; readonly nonce: number; readonly lookedAt: Date | null };

export async function openAllowances(
  { context, chainId }: Allowing,
  wallet: string,
): Promise<readonly OpenAllowance[]> {
  const { rows } = await context.pool.query<{ hash: string; nonce: string; looked_at: Date | null }>({
    name: 'allowances-open',
    text: `SELECT hash, nonce, looked_at FROM allowance_transactions
           WHERE chain_id = $1 AND wallet = $2 AND settled_at IS NULL ORDER BY nonce, hash`,
    values: [chainId, wallet],
  });
  return rows.map(({ hash, nonce, looked_at }) => ({ hash, nonce: Number(nonce), lookedAt: looked_at }));
}

/** Stores that the wallet's first `final` transactions are final. True when no change of its allowance is open any more. */
export async function settleAllowances(
  { context, chainId }: Allowing,
  { wallet, final }: { readonly wallet: string; readonly final: number },
): Promise<boolean> {
  const { rows } = await context.pool.query<{ is_open: boolean }>({
    name: 'allowances-settle',
    text: `UPDATE allowance_transactions SET looked_at = $4, settled_at = CASE WHEN nonce < $3 THEN $4::timestamptz END
           WHERE chain_id = $1 AND wallet = $2 AND settled_at IS NULL RETURNING settled_at IS NULL AS is_open`,
    values: [chainId, wallet, final, context.clock.now()],
  });
  return rows.every(({ is_open }) => !is_open);
}

/** Stores whether a change is in a block now, and its fee in wei. What is final stays: a lagging endpoint may not know the block. */
export async function markInBlock(
  { context, chainId }: Allowing,
  hash: string,
  block: { readonly fee?: bigint } | null,
): Promise<void> {
  await context.pool.query({
    name: 'allowance-in-block',
    text: `UPDATE allowance_transactions SET seen_at = CASE WHEN $3::boolean THEN coalesce(seen_at, $4::timestamptz) END, fee = $5
           WHERE chain_id = $1 AND hash = $2 AND settled_at IS NULL`,
    values: [chainId, hash, block !== null, context.clock.now(), block?.fee?.toString() ?? null],
  });
}

/** Whether a change with an earlier nonce is in no block: until it is, no transaction with this nonce can land. */
export async function isBehindAllowance(
  { context, chainId }: Pick<Allowing, 'context' | 'chainId'>,
  { wallet, nonce }: { readonly wallet: string; readonly nonce: number },
): Promise<boolean> {
  const { rowCount } = await context.pool.query({
    name: 'allowance-first-in-line',
    text: `SELECT nonce FROM allowance_transactions WHERE chain_id = $1 AND wallet = lower($2) AND settled_at IS NULL AND nonce < $3
           GROUP BY nonce HAVING bool_and(seen_at IS NULL) LIMIT 1`,
    values: [chainId, wallet, nonce],
  });
  return rowCount !== 0;
}
