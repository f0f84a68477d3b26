// The outcome of a payment as one Solana endpoint reports it: its balances in a finalized block, or the proof that its blockhash
// has expired. The proof reads the finalized height first, which must exceed the last valid one, and then finds no trace of the
// payment.

import type { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import type { LastingValidity } from '@/lib/networks/sending/lasting';
import type { AttemptOutcome, SentAttempt } from '@/lib/networks/sending/send';
import { associatedAccount, TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import type { TransactionFacts } from '@/lib/networks/families/solana/reading/decode';
import type { NetworkSpec } from '@/lib/networks/networks';
import { blockUpTo, readBlock, type SolanaNode } from '@/lib/networks/families/solana/node';
import { readNonceAccount } from './nonce-account';
import { epochInfo } from './shapes';
import { isSignature, statuses } from '@/lib/networks/families/solana/shapes';
import { readOldestBlock } from '@/lib/networks/families/solana/reading/oldest-block';
import { readFacts } from '@/lib/networks/families/solana/reading/transactions';

/** Instruction errors of the token program that have an explanation for people (spl-token: error.rs). */
const CUSTOM: Readonly<Record<number, string>> = {
  1: 'the refund wallet held too little of the token',
  4: 'the accounts no longer belong to whom they did',
  17: 'the issuer has frozen an account of this payment',
};

/** Programs written with Anchor number their errors from here; of those that our transactions call, only Squads is one. */
const FIRST_OF_ANCHOR = 100;

/**
 * A blockhash lives about a minute. The last valid height may come from an endpoint that is minutes behind. This long after the
 * signature, by the time of the endpoint's own final block, even that endpoint cannot be missing a block.
 */
const LEAST_LIFE_SECONDS = 150;

/** Where a transaction is. `final`: with its error, if any. */
type Landing =
  | { readonly kind: 'final'; readonly error: unknown }
  | { readonly kind: 'seen'; readonly confirmations: number }
  | Extract<AttemptOutcome, { kind: 'waiting' | 'pruned' | 'lapsed' }>;

type Sent = { readonly hash: string; readonly lastValidBlockHeight: number; readonly signedAt: number | undefined };

/** One endpoint's report. Throws a ChainError. */
export async function solanaOutcome(
  node: SolanaNode,
  spec: Pick<NetworkSpec, 'chain'>,
  attempt: SentAttempt,
): Promise<AttemptOutcome> {
  const { hash, validity, signedAt } = attempt;
  if (validity.kind !== 'height' && validity.kind !== 'durable')
    throw new Error('a Solana transaction is valid until a height or by a durable nonce');
  const landing =
    validity.kind === 'durable'
      ? await lastingLandingOf(node, { hash, validity, signedAt })
      : await landingOf(node, spec, { hash, lastValidBlockHeight: validity.lastValidBlockHeight, signedAt });
  if (landing.kind === 'final') return finalOutcome(node, attempt, landing.error);
  return landing.kind === 'seen' ? { ...landing, hash } : landing;
}

/** Where one endpoint has a transaction. Throws a ChainError. A local chain keeps its own time, which proves nothing. */
export async function landingOf(
  node: SolanaNode,
  { chain }: Pick<NetworkSpec, 'chain'>,
  { hash, lastValidBlockHeight, signedAt }: Sent,
): Promise<Landing> {
  const { final, found } = await locate(node, hash, 0);
  if (found) return found;
  if (final.blockHeight <= lastValidBlockHeight) return { kind: 'waiting' };
  if (chain !== 'local' && signedAt !== undefined) {
    const { time } = await blockUpTo(node, final.absoluteSlot, 'finalized');
    if (time < signedAt + LEAST_LIFE_SECONDS) return { kind: 'waiting' };
  }
  // A node that keeps no history refuses this and then proves nothing.
  if (await readFacts(node, hash, 'finalized')) return { kind: 'seen', confirmations: 0 };
  if (!(await hasHistory(node, lastValidBlockHeight - BLOCKHASH_LIFETIME)))
    return { kind: 'pruned', reason: `${node.name} lacks the blocks that could hold it` };
  const reason = 'its blockhash is no longer valid, and no finalized block holds it';
  return { kind: 'lapsed', reason, finalized: final.blockHeight };
}

/**
 * The same for a transaction with a durable nonce, which may land until the nonce account has another value. The authority does not
 * count: it can be given back, and the value is then valid again.
 */
async function lastingLandingOf(
  node: SolanaNode,
  { hash, validity, signedAt }: Pick<Sent, 'hash' | 'signedAt'> & { readonly validity: LastingValidity },
): Promise<Landing> {
  // Read first: a transaction of ours that advanced it is then final, and is found below unless the node has forgotten it.
  const { slot: readAt, nonce } = await readNonceAccount(node, validity.account, 'finalized');
  const { found } = await locate(node, hash, readAt);
  if (found) return found;
  if (nonce?.value === validity.value) return { kind: 'waiting' };
  if (await readFacts(node, hash, 'finalized')) return { kind: 'seen', confirmations: 0 };
  if (signedAt === undefined || !(await hasBlocksSince(node, signedAt - LEAST_LIFE_SECONDS)))
    return { kind: 'pruned', reason: `${node.name} lacks the blocks that could hold it` };
  return { kind: 'lapsed', reason: 'another transaction has advanced its nonce account and is final' };
}

/** The node's final position, and where it has the transaction, as of a slot that is not older than that position and `since`. */
async function locate(
  node: SolanaNode,
  hash: string,
  since: number,
): Promise<{ readonly final: z.output<typeof epochInfo>; readonly found: Landing | null }> {
  if (!isSignature(hash)) throw new Error('this is not the signature of a Solana transaction');
  const params = [{ commitment: 'finalized' }];
  const final = await node.rpc.call({ method: 'getEpochInfo', params, shape: epochInfo });
  const request = [[hash], { searchTransactionHistory: true }];
  const { context, value } = await node.rpc.call({ method: 'getSignatureStatuses', params: request, shape: statuses });
  // One URL may serve several nodes; a node behind the first would miss the end that the first one saw.
  if (context.slot < Math.max(final.absoluteSlot, since)) {
    throw new ChainError('unavailable', `${node.name} answers as of an older slot than before`, { demotes: false });
  }
  const [status] = value;
  if (!status) return { final, found: null };
  if (status.confirmationStatus === 'finalized' || status.confirmations === null)
    return { final, found: { kind: 'final', error: status.err } };
  return { final, found: { kind: 'seen', confirmations: Math.max(0, context.slot - status.slot) } };
}

/** Number of blocks after its blockhash in which a transaction may land. */
const BLOCKHASH_LIFETIME = 150;

/** No block before this height can hold a transaction. */
const FIRST_HEIGHT = 1;

/**
 * Whether the node keeps blocks from this height or earlier and reports that. A node started from a snapshot does not know older
 * payments, and does not know that it lacks them.
 */
async function hasHistory(node: SolanaNode, height: number): Promise<boolean> {
  const oldest = await readOldestBlock(node);
  return oldest === null || (oldest.height !== null && oldest.height <= height);
}

/** Whether the node keeps blocks from this time (Unix seconds) or earlier, or all of a chain that is younger, and reports that. */
async function hasBlocksSince(node: SolanaNode, time: number): Promise<boolean> {
  const oldest = await readOldestBlock(node);
  return oldest === null || oldest.time <= time || (oldest.height !== null && oldest.height <= FIRST_HEIGHT);
}

async function finalOutcome(node: SolanaNode, attempt: SentAttempt, error: unknown): Promise<AttemptOutcome> {
  const { hash } = attempt;
  const facts = await readFacts(node, hash, 'finalized');
  const block = facts && (await readBlock(node, facts.slot, 'finalized'));
  if (!facts || !block) return { kind: 'seen', hash, confirmations: 1 };
  const failed = error !== null && error !== undefined;
  if (facts.succeeded === failed) {
    throw new ChainError('contradiction', `${node.name} contradicts itself about transaction ${hash}`);
  }
  const cost = facts.spent === null || facts.spent < 0n ? {} : { fee: facts.spent };
  if (failed) return { kind: 'reverted', hash, reason: reasonOf(error), ...cost };
  const opened = facts.rent > 0n ? { rent: facts.rent } : {};
  if (isPaid(facts, attempt)) return { kind: 'landed', hash, block, ...cost, ...opened };
  return { kind: 'unclear', hash, reason: 'it succeeded without moving exactly what was ordered' };
}

/** The recipient's token account, or the recipient if it is one, gained the amount, and the wallet's lost it. */
function isPaid({ balances }: TransactionFacts, { order, from }: SentAttempt): boolean {
  const { to, contract: mint, amount } = order;
  const change = (account: string): bigint =>
    balances
      .filter((one) => one.account === account && one.mint === mint && one.program === TOKEN_PROGRAM)
      .reduce((sum, { before, after }) => sum + after - before, 0n);
  const paid = [to, associatedAccount(to, mint)].some((account) => change(account) === amount);
  return paid && change(associatedAccount(from, mint)) === -amount;
}

/** A sentence for errors like `{"InstructionError":[4,{"Custom":17}]}`. */
export function reasonOf(error: unknown): string {
  const code = Number(/"Custom":(\d{1,10})\}/.exec(JSON.stringify(error) ?? '')?.[1]);
  if (code >= FIRST_OF_ANCHOR) return `the program of the multisig refused the transfer with its error ${code}`;
  return CUSTOM[code] ?? 'the token program refused the transfer';
}
