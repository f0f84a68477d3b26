// Follows signed returns until the chain says what became of them: broadcasts the same bytes again while no block has them, and books a
// landed one in the transaction that ends it. The worker runs this, and so does `npm run cold -- send`; both at once are safe.

import type { AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import type { Item } from '@/lib/cold-storage/accounts/item';
import { postColdReturn } from '@/lib/ledger/post-cold';
import { ChainError } from '@/lib/networks/chain';
import { BadDraft, SendHold, type AttemptOutcome, type SentAttempt } from '@/lib/networks/sending/send';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { crashpoint } from '@/lib/platform/crash-point';
import { transaction } from '@/lib/platform/database/db';
import type { ReturnChain } from './rows';

type Deps = Pick<Context, 'pool' | 'clock' | 'log'>;

type Signed = {
  readonly id: string;
  readonly sender: string;
  readonly account: AccountTerms | null;
  readonly unsigned: string;
  readonly createdAt: Date;
  readonly signedBytes: string;
  readonly transactionHash: string;
};

export type Followed = {
  readonly id: string;
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
  const { id, transactionHash } = one;
  try {
    const item = describeItem(chain.spec, { intent: id, unsigned: one.unsigned, from: one.sender }, one.account);
    const outcome = await chain.sender.outcome(attemptOf(one, item));
    if (outcome.kind === 'landed' || outcome.kind === 'reverted' || outcome.kind === 'lapsed')
      await end(deps, chain, { id, transactionHash, item }, outcome);
    const isAbsent =
      outcome.kind === 'waiting' || (outcome.kind === 'seen' && (outcome.confirmations === 0 || outcome.alone));
    return { id, transactionHash, outcome, note: isAbsent ? await broadcast(chain, one) : null };
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof BadDraft)) throw error;
    if (error instanceof BadDraft)
      deps.log.error({ coldReturnId: id, reason: error.message }, 'a stored return cannot be read');
    return { id, transactionHash, outcome: null, note: error.message };
  }
}

export function attemptOf(one: Pick<Signed, 'transactionHash' | 'createdAt'>, item: Item): SentAttempt {
  const { intent: intentId, currency, contract, to, amount, from } = item;
  const order = { intentId, currency, contract, to, amount: BigInt(amount) };
  // Blocks from before the request cannot hold it. The signature itself may be older than its arrival here.
  return { hash: one.transactionHash, validity: validityOf(item), from, order, signedAt: unixSeconds(one.createdAt) };
}

function validityOf({ validity }: Item): SentAttempt['validity'] {
  if ('nonce' in validity) return { kind: 'nonce', nonce: validity.nonce };
  if ('until' in validity) return { kind: 'time', expiresAt: validity.until };
  return { kind: 'durable', account: validity.nonceAccount, value: validity.nonceValue };
}

/** A sentence of a sender, which names the wallet that it usually pays from and what a refund does then. */
export const aboutColdWallet = (sentence: string): string =>
  sentence.replaceAll('the refund wallet', 'the cold wallet').replace(/; the payment waits.*$/, '');

/** Why no endpoint took the bytes; null if one has them. */
async function broadcast({ sender, spec: { network } }: ReturnChain, { signedBytes }: Signed): Promise<string | null> {
  crashpoint('after-return-stored', network);
  try {
    await sender.broadcast(signedBytes);
    crashpoint('after-return-broadcast', network);
    return null;
  } catch (error) {
    if (error instanceof SendHold || error instanceof ChainError) return aboutColdWallet(error.message);
    throw error;
  }
}

type Ended = Extract<AttemptOutcome, { kind: 'landed' | 'reverted' | 'lapsed' }>;

/** The second caller is a no-op. */
async function end(
  { pool, clock, log }: Deps,
  { environment, spec: { network } }: ReturnChain,
  one: Pick<Signed, 'id' | 'transactionHash'> & { readonly item: Item },
  outcome: Ended,
): Promise<void> {
  // What the chain was compared with is booked: the bytes, and not the columns beside them.
  const { id, item } = one;
  const { currency, amount } = item;
  const isNew = await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'cold-return-end',
      text: 'UPDATE cold_returns SET outcome = $2, block_number = $3, ended_at = $4 WHERE id = $1 AND ended_at IS NULL',
      values: [id, outcome.kind, outcome.kind === 'landed' ? outcome.block.number : null, clock.now()],
    });
    if (rowCount === 1 && outcome.kind === 'landed')
      await postColdReturn(tx, { intentId: id, environment, moved: { network, currency, amount: BigInt(amount) } });
    crashpoint('after-return-ended', network);
    return rowCount === 1;
  });
  if (!isNew) return;
  const about = { coldReturnId: id, network, environment, transactionHash: one.transactionHash };
  if (outcome.kind === 'landed') log.info(about, 'money of the cold wallet has arrived in the refund wallet');
  else log.warn({ ...about, reason: outcome.reason }, 'a transfer of the cold wallet moved nothing');
}

async function readSigned({ pool }: Deps, { chainId }: ReturnChain): Promise<readonly Signed[]> {
  const { rows } = await pool.query<
    Omit<Signed, 'signedBytes' | 'transactionHash'> & {
      readonly signedBytes: string | null;
      readonly transactionHash: string | null;
    }
  >({
    name: 'cold-returns-signed',
    text: `SELECT id, sender, account, unsigned, created_at AS "createdAt", signed_bytes AS "signedBytes", transaction_hash AS "transactionHash"
           FROM cold_returns WHERE chain_id = $1 AND signed_at IS NOT NULL AND ended_at IS NULL ORDER BY signed_at, position`,
    values: [chainId],
  });
  return rows.flatMap(({ signedBytes, transactionHash, ...row }) =>
    signedBytes === null || transactionHash === null ? [] : [{ ...row, signedBytes, transactionHash }],
  );
}
