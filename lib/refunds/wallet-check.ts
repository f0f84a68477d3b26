// The gate before a refund is drafted on a network without account nonces. When a whole machine was restored, the database and the
// signer's journal agree that a later payment was never signed, and its refund would be paid again. On EVM the final nonce tells
// that it was (signer-check.ts); elsewhere the transactions that the refund wallet signed do. One that the database does not know
// stops signing until an operator has looked, as an unknown nonce does. A worker may outlive the restore of database and signer on
// another machine, so it looks again whenever either was away.

import type { NetworkSpec } from '@/lib/chains/networks';
import type { ChainSender, OwnTransaction } from '@/lib/chains/send';
import { fromUnixSeconds } from '@/lib/clock';
import type { Context } from '@/lib/context';
import { isNotQuarantined } from '@/lib/quarantine';
import { FOR_A_PERSON } from './plan';

/** The network whose refund wallet is looked at. */
export type CheckedWallet = {
  readonly context: Pick<Context, 'pool'>;
  readonly line: {
    readonly network: string;
    readonly spec: Pick<NetworkSpec, 'chain'>;
    readonly sender: Pick<ChainSender, 'unknownTransactions'>;
  };
  readonly chainId: number;
};
/** Transactions that the database does not know, as a reason to freeze the signer for, and the block time of the newest. */
export type UnknownTransactions = { readonly reason: string; readonly at: Date };
/** `wait`: a payment that is still followed may be an unknown transaction. */
export type WalletVerdict = 'clear' | 'wait' | UnknownTransactions;

export type WalletCheck = {
  /** Asks the network once per start. Throws a ChainError when too few endpoints answer. */
  readonly judge: (work: CheckedWallet, wallet: string) => Promise<WalletVerdict>;
  /** Signer or database were frozen or away, so they may have been restored: the network is asked again. */
  readonly restart: () => void;
};

/** Clocks of the chain and of this service differ by less. */
const CLOCK_MARGIN_SECONDS = 120;
/** Hashes that the reason of a freeze names. */
const MOST_NAMED = 5;

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
  const since = await readSince(work);
  const reported = await line.sender.unknownTransactions(wallet, {
    since,
    known: (hashes) => knownAmong(work, hashes),
  });
  const unknown: OwnTransaction[] = [];
  for (const transaction of reported) {
    // Read after the endpoints answered: a payment that landed meanwhile is stored by now, or still followed.
    const payment = transaction.hash === null ? await paymentAt(work, transaction) : 'none';
    if (payment === 'followed') return 'wait';
    if (payment === 'none') unknown.push(transaction);
  }
  return unknown.length === 0 ? 'clear' : describe(line.network, unknown, since);
}

function describe(network: string, unknown: readonly OwnTransaction[], since: number): UnknownTransactions {
  const times = unknown.map(({ time }) => time);
  const [first, last] = [Math.min(...times), Math.max(...times)].map((time) => fromUnixSeconds(time).toISOString());
  const hashes = [...new Set(unknown.flatMap(({ hash }) => hash ?? []))];
  const named = `${hashes.slice(0, MOST_NAMED).join(', ')}${hashes.length > MOST_NAMED ? ', …' : ''}`;
  const what =
    hashes.length > 0
      ? `${hashes.length} transactions between ${first} and ${last} that the database does not know: ${named}`
      : `a transaction at ${last} that the database does not know, and maybe more since ${fromUnixSeconds(since).toISOString()}`;
  return { at: fromUnixSeconds(Math.max(...times)), reason: `the refund wallet on ${network} signed ${what}` };
}

/** To be called once the signer is frozen for them: an operator who unfreezes the signer has looked at all of them. */
export async function rememberUnknown({ context, chainId }: CheckedWallet, { at }: UnknownTransactions): Promise<void> {
  await context.pool.query({
    name: 'wallet-unknown',
    text: 'UPDATE chains SET wallet_unknown_at = greatest(wallet_unknown_at, $2) WHERE id = $1',
    values: [chainId, at],
  });
}

/**
 * From when transactions matter, in Unix seconds: this database knows all that were drafted before its newest draft, and what an
 * operator was told of.
 */
async function readSince({ context, chainId }: CheckedWallet): Promise<number> {
  const { rows } = await context.pool.query<{ since: string }>({
    name: 'wallet-known-since',
    text: `SELECT floor(extract(epoch FROM greatest(c.wallet_unknown_at + interval '1 second',
                    coalesce(max(a.drafted_at) - make_interval(secs => ${CLOCK_MARGIN_SECONDS}), c.created_at)))) AS since
             FROM chains c LEFT JOIN refund_attempts a ON a.chain_id = c.id WHERE c.id = $1 GROUP BY c.id`,
    values: [chainId],
  });
  return Number(rows[0]?.since ?? 0);
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

/**
 * What is known of the newest transaction where the network tells only its time, which is that of the block before it. `ended`: a
 * payment of ours landed in the next block, or failed, or moved something else about then. `followed`: what a payment of then
 * became will be known soon.
 */
async function paymentAt(
  { context, line, chainId }: CheckedWallet,
  { time }: OwnTransaction,
): Promise<'none' | 'followed' | 'ended'> {
  const { rows } = await context.pool.query<{ is_landed: boolean; is_near: boolean; is_followed: boolean }>({
    name: 'wallet-payment-at',
    text: `WITH near AS (
             SELECT a.ended_at IS NULL AND r.hold IS DISTINCT FROM '${FOR_A_PERSON}'
                      AND ${isNotQuarantined('refund', 'a.intent_id')} AS is_followed
               FROM refund_attempts a JOIN refunds r ON r.id = a.intent_id
              WHERE a.chain_id = $1 AND (a.status IN ('signed', 'sent', 'reverted') OR a.judged = 'moved_otherwise'
                      OR (a.status = 'landed' AND a.block_time IS NULL))
                AND extract(epoch FROM a.drafted_at) <= $2::numeric + ${CLOCK_MARGIN_SECONDS}
                AND (a.validity->>'expiresAt')::numeric >= $2::numeric - ${CLOCK_MARGIN_SECONDS})
           SELECT EXISTS (SELECT FROM refund_attempts l WHERE l.chain_id = $1 AND l.status = 'landed'
                    AND floor(extract(epoch FROM l.block_time)) >= $2::numeric + $3) AS is_landed,
                  EXISTS (SELECT FROM near) AS is_near, EXISTS (SELECT FROM near WHERE is_followed) AS is_followed`,
    // Blocks of a local chain follow each other within a second.
    values: [chainId, time, line.spec.chain === 'local' ? 0 : 1],
  });
  const [found] = rows;
  if (found?.is_landed) return 'ended';
  if (found?.is_followed) return 'followed';
  return found?.is_near ? 'ended' : 'none';
}
