// The gate before a refund is drafted on a network without account nonces. When a whole machine was restored, the database and the
// signer's journal agree that a later payment was never signed, and its refund would be paid again. On EVM the final nonce tells
// that it was (signer-check.ts); elsewhere the transactions that the refund wallet signed do. One that the database does not know
// stops signing until an operator has looked, as an unknown nonce does.

import type { ChainSender, OwnTransaction } from '@/lib/chains/send';
import { fromUnixSeconds } from '@/lib/clock';
import type { Context } from '@/lib/context';
import { isNotQuarantined } from '@/lib/quarantine';
import { FOR_A_PERSON } from './plan';

/** The network whose refund wallet is looked at. */
export type CheckedWallet = {
  readonly context: Pick<Context, 'pool'>;
  readonly line: { readonly network: string; readonly sender: Pick<ChainSender, 'unknownTransactions'> };
  readonly chainId: number;
};
/** A transaction that the database does not know, as a reason to freeze the signer for, and its block time. */
export type UnknownTransaction = { readonly reason: string; readonly at: Date };
/** `wait`: a payment that is still followed may be an unknown transaction. */
export type WalletVerdict = 'clear' | 'wait' | UnknownTransaction;

export type WalletCheck = {
  /** Asks the network once per start. Throws a ChainError when too few endpoints answer. */
  readonly judge: (work: CheckedWallet, wallet: string) => Promise<WalletVerdict>;
  /** The signer was frozen, so its journal may be another one now: the network is asked again. */
  readonly restart: () => void;
};

/** Clocks of the chain and of this service differ by less. */
const CLOCK_MARGIN_SECONDS = 120;

/** The check of one network. It remembers in this process alone, because a restored database would remember too much. */
export function openWalletCheck(): WalletCheck {
  let isDone = false;
  return {
    async judge(work, wallet) {
      if (isDone) return 'clear';
      const verdict = await findUnknown(work, wallet);
      isDone = verdict === 'clear';
      return verdict;
    },
    restart() {
      isDone = false;
    },
  };
}

async function findUnknown(work: CheckedWallet, wallet: string): Promise<WalletVerdict> {
  const { line } = work;
  if (!line.sender.unknownTransactions) return 'clear';
  const { since, landedIn } = await readKnown(work);
  const found = await line.sender.unknownTransactions(wallet, {
    since,
    landedIn,
    known: (hashes) => knownAmong(work, hashes),
  });
  for (const transaction of found) {
    const payment = transaction.hash === null ? await paymentAt(work, transaction) : 'none';
    if (payment === 'followed') return 'wait';
    if (payment === 'ended') continue;
    const { hash, time } = transaction;
    const at = fromUnixSeconds(time);
    const signed = `signed a transaction${hash === null ? '' : ` ${hash}`} at ${at.toISOString()}`;
    return { at, reason: `the refund wallet on ${line.network} ${signed} that the database does not know` };
  }
  return 'clear';
}

/** To be called once the signer is frozen for it: an operator who unfreezes the signer has seen the transaction. */
export async function rememberUnknown({ context, chainId }: CheckedWallet, { at }: UnknownTransaction): Promise<void> {
  await context.pool.query({
    name: 'wallet-unknown',
    text: 'UPDATE chains SET wallet_unknown_at = greatest(wallet_unknown_at, $2) WHERE id = $1',
    values: [chainId, at],
  });
}

/**
 * From when transactions matter: this database knows all that were drafted before its newest draft, and what an operator was told.
 */
async function readKnown({ context, chainId }: CheckedWallet): Promise<{ since: number; landedIn: number | null }> {
  const { rows } = await context.pool.query<{ since: string; landed_in: string | null }>({
    name: 'wallet-known',
    text: `SELECT floor(extract(epoch FROM greatest(c.wallet_unknown_at + interval '1 second',
                    coalesce(max(a.drafted_at) - make_interval(secs => ${CLOCK_MARGIN_SECONDS}), c.created_at)))) AS since,
                  max(a.block_number) FILTER (WHERE a.status = 'landed') AS landed_in
             FROM chains c LEFT JOIN refund_attempts a ON a.chain_id = c.id WHERE c.id = $1 GROUP BY c.id`,
    values: [chainId],
  });
  const { since = '0', landed_in: landedIn = null } = rows[0] ?? {};
  return { since: Number(since), landedIn: landedIn === null ? null : Number(landedIn) };
}

async function knownAmong(
  { context, chainId }: CheckedWallet,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await context.pool.query<{ hash: string }>({
    name: 'wallet-known-hashes',
    text: 'SELECT hash FROM refund_attempts WHERE chain_id = $1 AND hash = ANY($2)',
    values: [chainId, hashes],
  });
  return new Set(rows.map(({ hash }) => hash));
}

/** The known payment that could land at a time and is not known to have landed. `followed`: whether it did will be known soon. */
async function paymentAt(
  { context, chainId }: CheckedWallet,
  { time }: OwnTransaction,
): Promise<'none' | 'followed' | 'ended'> {
  const { rows } = await context.pool.query<{ is_followed: boolean }>({
    name: 'wallet-payment-at',
    text: `SELECT a.ended_at IS NULL AND r.hold IS DISTINCT FROM '${FOR_A_PERSON}'
               AND ${isNotQuarantined('refund', 'a.intent_id')} AS is_followed
             FROM refund_attempts a JOIN refunds r ON r.id = a.intent_id
            WHERE a.chain_id = $1 AND a.status IN ('signed', 'sent', 'reverted')
              AND extract(epoch FROM a.drafted_at) <= $2::numeric + ${CLOCK_MARGIN_SECONDS}
              AND (a.validity->>'expiresAt')::numeric >= $2::numeric - ${CLOCK_MARGIN_SECONDS}`,
    values: [chainId, time],
  });
  if (rows.length === 0) return 'none';
  return rows.some(({ is_followed }) => is_followed) ? 'followed' : 'ended';
}
