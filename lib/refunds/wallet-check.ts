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

/** The network whose refund wallet is checked. */
export type CheckedWallet = {
  readonly context: Pick<Context, 'pool' | 'clock'>;
  readonly line: {
    readonly network: string;
    readonly spec: Pick<NetworkSpec, 'chain'>;
    readonly sender: Pick<ChainSender, 'unknownTransactions'>;
  };
  readonly chainId: number;
};
/** Transactions that the database does not know, as a reason to freeze the signer for, and the block time of the newest. */
export type UnknownTransactions = {
  readonly reason: string;
  readonly at: Date;
  readonly hashes: readonly string[];
};
/** `wait`: a payment that is still followed may be an unknown transaction, or the endpoints disagree. */
export type WalletVerdict = 'clear' | 'wait' | UnknownTransactions;

export type WalletCheck = {
  /** Asks the network once per start. Throws a ChainError when too few endpoints answer. */
  readonly judge: (work: CheckedWallet, wallet: string) => Promise<WalletVerdict>;
  /** To be called at every pass: the network is asked again after a pause of the process. */
  readonly awake: (now: Date) => void;
  /** Signer or database were frozen or away, so they may have been restored: the network is asked again. */
  readonly restart: () => void;
};

/** Clocks of the chain and of this service differ by less. */
const CLOCK_MARGIN_SECONDS = 120;
/** Hashes that the log names. */
const MOST_LOGGED = 100;

/**
 * A process that was not heard of for longer may have been asleep while database and signer were restored, or be resumed from a
 * snapshot of its machine.
 */
const ASLEEP_MILLISECONDS = 30_000;

/** The check of one network. It remembers in this process alone, because a restored database would remember too much. */
export function openWalletCheck(): WalletCheck {
  let isDone = false;
  let starts = 0;
  let seenAt: number | null = null;
  const restart = (): void => {
    isDone = false;
    starts += 1;
  };
  return {
    async judge(work, wallet) {
      if (isDone) return 'clear';
      const start = starts;
      const verdict = await findUnknown(work, wallet);
      // After a restart meanwhile, the answer may be older than the restore.
      if (start === starts) isDone = verdict === 'clear';
      return start === starts ? verdict : 'wait';
    },
    awake(now) {
      const since = seenAt === null ? 0 : now.getTime() - seenAt;
      seenAt = now.getTime();
      if (since < 0 || since > ASLEEP_MILLISECONDS) restart();
    },
    restart,
  };
}

async function findUnknown(work: CheckedWallet, wallet: string): Promise<WalletVerdict> {
  const { context, line } = work;
  if (!line.sender.unknownTransactions) return 'clear';
  const since = await readSince(work);
  const known = (hashes: readonly string[]) => knownAmong(work, hashes);
  const { votes, needed } = await line.sender.unknownTransactions(wallet, { since, known });
  const latest = Math.floor(context.clock.now().getTime() / 1000) + CLOCK_MARGIN_SECONDS;
  const reports: OwnTransaction[][] = [];
  for (const vote of votes) {
    const unknown: OwnTransaction[] = [];
    for (const transaction of vote) {
      // Nothing is dated in the future: an endpoint that says so is not believed.
      if (transaction.time > latest) return 'wait';
      // Read after the endpoints answered: a payment that landed meanwhile is stored by now, or still followed.
      const payment = transaction.hash === null ? await paymentAt(work, transaction) : 'none';
      if (payment === 'followed') return 'wait';
      if (payment === 'none') unknown.push(transaction);
    }
    if (unknown.length > 0) reports.push(unknown);
  }
  if (reports.length === 0) return 'clear';
  // One endpoint alone stops no signing, and opens nothing either: refunds of the network wait until the endpoints agree.
  if (reports.length < needed) return 'wait';
  return describe(line.network, { reports, needed, since });
}

type Reported = {
  readonly reports: readonly (readonly OwnTransaction[])[];
  readonly needed: number;
  readonly since: number;
};

function describe(network: string, { reports, needed, since }: Reported): UnknownTransactions {
  const newest = reports.map((report) => Math.max(...report.map(({ time }) => time))).toSorted((a, b) => b - a);
  // As late as enough endpoints say: one that dates a transaction later hides none of the next ones.
  const at = fromUnixSeconds(newest[needed - 1] ?? since);
  const hashes = [...new Set(reports.flat().flatMap(({ hash }) => hash ?? []))];
  // The signer takes at most 200 characters, so the hashes are for the log.
  const what = hashes.length > 0 ? `${hashes.length} transactions that` : 'a transaction, and maybe more, that';
  const from = fromUnixSeconds(since).toISOString();
  const reason = `since ${from} the refund wallet on ${network} signed ${what} the database does not know`;
  return { at, reason, hashes: hashes.slice(0, MOST_LOGGED) };
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
