// Follows signed returns until the chain says what became of them: broadcasts the same bytes again while no block has them, and books a
// landed one in the transaction that ends it. The worker runs this, and so does `npm run cold -- send`; both at once are safe.

import { openAccount, type AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import type { Item } from '@/lib/cold-storage/accounts/item';
import type { SafeTerms } from '@/lib/cold-storage/accounts/safe';
import { postColdReturn } from '@/lib/ledger/post-cold';
import { ChainError } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import {
  BadDraft,
  SendHold,
  type AttemptOutcome,
  type ChainSender,
  type PaymentOrder,
  type SentAttempt,
} from '@/lib/networks/sending/send';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { crashpoint } from '@/lib/platform/crash-point';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { lockChain } from './request';
import type { ReturnChain } from './rows';

type Deps = Pick<Context, 'pool' | 'clock' | 'log'>;

type Signed = {
  readonly id: string;
  readonly sender: string;
  readonly account: AccountTerms | null;
  readonly unsigned: string;
  readonly createdAt: Date;
  /** Null for a transfer of a Safe that was not signed here: its owners may execute it elsewhere. */
  readonly signedBytes: string | null;
  readonly transactionHash: string | null;
};

export type Followed = {
  readonly id: string;
  /** Of the transaction that the chain names, or of the one that is to be sent. A Safe's safeTxHash while there is neither. */
  readonly transactionHash: string;
  /** What the chain reports; null while no endpoint gives a usable answer. */
  readonly outcome: AttemptOutcome | null;
  /** Why the endpoints did not take the transaction, or gave no answer. */
  readonly note: string | null;
};

/** A run over the signed returns of one chain that have not ended. Throws the first failure after all others were followed. */
export async function followReturns(deps: Deps, chain: ReturnChain): Promise<readonly Followed[]> {
  const followed: Followed[] = [];
  const failures: unknown[] = [];
  // In the order of their nonces. What stops one return does not stop the others.
  for (const one of await readSigned(deps, chain))
    await follow(deps, chain, one).then(
      (found) => followed.push(found),
      (error: unknown) => failures.push(error),
    );
  if (failures.length > 0) throw failures[0];
  return followed;
}

async function follow(deps: Deps, chain: ReturnChain, one: Signed): Promise<Followed> {
  const { id } = one;
  try {
    const item = describeItem(chain.spec, { intent: id, unsigned: one.unsigned, from: one.sender }, one.account);
    const reported = await outcomeOf(chain, one, item);
    const outcome = isForgotten(one, deps.clock.now()) ? (FORGOTTEN[reported.kind] ?? reported) : reported;
    const transactionHash =
      'hash' in outcome ? outcome.hash : (one.transactionHash ?? safeHashOf(chain.spec, item, one.account));
    if (outcome.kind === 'landed' || outcome.kind === 'reverted' || outcome.kind === 'lapsed')
      await end(deps, chain, { id, transactionHash, item, account: one.account }, outcome);
    const isAbsent =
      outcome.kind === 'waiting' || (outcome.kind === 'seen' && (outcome.confirmations === 0 || outcome.alone));
    return { id, transactionHash, outcome, note: isAbsent ? await broadcast(chain, one) : null };
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof BadDraft)) throw error;
    if (error instanceof BadDraft)
      deps.log.error({ coldReturnId: id, reason: error.message }, 'a stored return cannot be read');
    return { id, transactionHash: one.transactionHash ?? '', outcome: null, note: error.message };
  }
}

/**
 * How long a transfer is followed that only other programs may execute. Until then an amount of the operator's funding up to its own is not
 * booked.
 */
const FOLLOWED_MILLISECONDS = 7 * 86_400_000;
const FORGOTTEN: Partial<Record<AttemptOutcome['kind'], AttemptOutcome>> = {
  waiting: { kind: 'lapsed', reason: 'it was neither signed here nor executed elsewhere within a week' },
  // Money that it has moved is booked as the operator's funding.
  pruned: { kind: 'lapsed', reason: 'it was not signed here, and no endpoint knows any more what became of it' },
};

const isForgotten = ({ signedBytes, createdAt }: Signed, now: Date): boolean =>
  signedBytes === null && now.getTime() - createdAt.getTime() > FOLLOWED_MILLISECONDS;

type Attempted = Pick<Signed, 'transactionHash' | 'createdAt' | 'account'>;

/** What the chain says about a transfer. Throws a ChainError. */
export async function outcomeOf(chain: ReturnChain, one: Attempted, item: Item): Promise<AttemptOutcome> {
  const { sender, spec } = chain;
  if (one.account?.kind !== 'safe') {
    if (one.transactionHash === null) throw new Error('only a Safe executes what was not signed here');
    return sender.outcome(attemptOf({ createdAt: one.createdAt, transactionHash: one.transactionHash }, item));
  }
  if (!sender.safes || !('nonce' in item.validity)) throw new BadDraft(`${spec.network} has no Safe`);
  return sender.safes.outcome({
    ...{ safe: item.from, nonce: item.validity.nonce, safeTxHash: safeHashOf(spec, item, one.account) },
    ...{ order: orderOf(item), hash: one.transactionHash },
  });
}

const safeHashOf = (spec: NetworkSpec, item: Item, account: AccountTerms | null): string =>
  `0x${Buffer.from(openAccount(spec, item.from, account).payload(item)).toString('hex')}`;

function attemptOf(one: { readonly transactionHash: string; readonly createdAt: Date }, item: Item): SentAttempt {
  const order = orderOf(item);
  // Blocks from before the request cannot hold it. The signature itself may be older than its arrival here.
  const signedAt = unixSeconds(one.createdAt);
  return { hash: one.transactionHash, validity: validityOf(item), from: item.from, order, signedAt };
}

const orderOf = ({ intent: intentId, currency, contract, to, amount }: Item): PaymentOrder => ({
  ...{ intentId, currency, contract, to, amount: BigInt(amount) },
});

function validityOf({ validity }: Item): SentAttempt['validity'] {
  if ('nonce' in validity) return { kind: 'nonce', nonce: validity.nonce };
  if ('until' in validity) return { kind: 'time', expiresAt: validity.until };
  return { kind: 'durable', account: validity.nonceAccount, value: validity.nonceValue };
}

/** A sentence of a sender, which names the wallet that it usually pays from and what a refund does then. */
export const aboutColdWallet = (sentence: string): string =>
  sentence.replaceAll('the refund wallet', 'the cold wallet').replace(/; the payment waits.*$/, '');

/** Why no endpoint took the bytes; null if one has them, or there are none. */
async function broadcast(
  { sender, spec: { network } }: ReturnChain,
  { signedBytes, account }: Signed,
): Promise<string | null> {
  if (signedBytes === null) return 'it is not signed here; if its owners execute it elsewhere, it is booked';
  crashpoint('after-return-stored', network);
  try {
    const answer = await sender.broadcast(signedBytes);
    crashpoint('after-return-broadcast', network);
    return answer === 'known' && account?.kind === 'safe' ? await whyNotExecuted(sender, account) : null;
  } catch (error) {
    if (error instanceof SendHold || error instanceof ChainError) return aboutColdWallet(error.message);
    throw error;
  }
}

/** A Safe waits for another execution if ours failed, or can no longer land. */
async function whyNotExecuted(sender: ChainSender, { execution }: SafeTerms): Promise<string | null> {
  if (execution === null || ((await sender.finalNonce?.(execution.executor)) ?? 0) <= execution.nonce) return null;
  return `the executor's transaction failed, or another one has its account nonce ${execution.nonce}; request the transfer again`;
}

type Ended = Extract<AttemptOutcome, { kind: 'landed' | 'reverted' | 'lapsed' }>;
type Landed = Extract<AttemptOutcome, { kind: 'landed' }>;

const landedAt = (outcome: Ended): readonly [number | null, string | null] =>
  outcome.kind === 'landed' ? [outcome.block.number, outcome.hash] : [null, null];

/** The second caller is a no-op. */
async function end(
  { pool, clock, log }: Deps,
  chain: ReturnChain,
  one: Pick<Signed, 'id' | 'account'> & { readonly transactionHash: string; readonly item: Item },
  found: Ended,
): Promise<void> {
  // What the chain was compared with is booked: the bytes, and not the columns beside them.
  const { id, item, account } = one;
  const { currency, amount } = item;
  const {
    environment,
    spec: { network },
  } = chain;
  const { isNew, outcome } = await transaction(pool, async (tx) => {
    const ended =
      account?.kind === 'safe' && found.kind === 'landed' ? await onceForSafe(tx, chain, item, found) : found;
    const { rowCount } = await tx.query({
      name: 'cold-return-end',
      text: `UPDATE cold_returns SET outcome = $2, block_number = $3, landed_hash = $4, ended_at = $5
             WHERE id = $1 AND ended_at IS NULL`,
      values: [id, ended.kind, ...landedAt(ended), clock.now()],
    });
    if (rowCount === 1 && ended.kind === 'landed')
      await postColdReturn(tx, { intentId: id, environment, moved: { network, currency, amount: BigInt(amount) } });
    crashpoint('after-return-ended', network);
    return { isNew: rowCount === 1, outcome: ended };
  });
  if (!isNew) return;
  const about = { coldReturnId: id, network, environment, transactionHash: one.transactionHash };
  if (outcome.kind === 'landed') log.info(about, 'money of the cold wallet has arrived in the refund wallet');
  else log.warn({ ...about, reason: outcome.reason }, 'a transfer of the cold wallet moved nothing');
}

/** Two requests may be the same SafeTx, which is executed once. The one whose own transaction has executed it is booked, else the first. */
async function onceForSafe(tx: Tx, { chainId }: ReturnChain, item: Item, found: Landed): Promise<Ended> {
  await lockChain(tx, chainId);
  const { rows } = await tx.query<{ id: string }>({
    name: 'cold-return-twin',
    text: `SELECT id FROM cold_returns
           WHERE chain_id = $1 AND sender = $2 AND unsigned = $3 AND account->>'kind' = 'safe' AND id <> $4
             AND (outcome = 'landed' OR (ended_at IS NULL AND transaction_hash = $5))`,
    values: [chainId, item.from, item.unsigned, item.intent, found.hash],
  });
  const [twin] = rows;
  return twin ? { kind: 'lapsed', reason: `it is the same transaction of the Safe as ${twin.id}` } : found;
}

/** The owners of a Safe may execute a transfer elsewhere, so it is followed before it is signed here. */
async function readSigned({ pool }: Deps, { chainId }: ReturnChain): Promise<readonly Signed[]> {
  const { rows } = await pool.query<Signed>({
    name: 'cold-returns-signed',
    text: `SELECT id, sender, account, unsigned, created_at AS "createdAt", signed_bytes AS "signedBytes", transaction_hash AS "transactionHash"
           FROM cold_returns WHERE chain_id = $1 AND (signed_at IS NOT NULL OR account->>'kind' = 'safe') AND ended_at IS NULL
           ORDER BY signed_at, position`,
    values: [chainId],
  });
  return rows;
}
