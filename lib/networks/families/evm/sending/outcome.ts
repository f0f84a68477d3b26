// The outcome of a payment as one EVM endpoint reports it: its receipt in a final canonical block, or the proof that another
// transaction with its account nonce is final. The proof names the other transaction; a nonce count alone proves nothing.

import { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { BatchPlace } from '@/lib/networks/sending/batch';
import type { AttemptOutcome, SentAttempt } from '@/lib/networks/sending/send';
import { PAYOUT_BATCH, SKIPPED_TOPIC } from '@/lib/networks/families/evm/batching/payout-batch';
import { lookupWithLogs } from '@/lib/networks/families/evm/reading/lookup';
import { hex, readHead, type EvmNode } from '@/lib/networks/families/evm/node';
import { obstacleOf } from './obstacles';
import { hash, quantity, type Log } from '@/lib/networks/families/evm/shapes';

const fullBlock = z
  .object({
    transactions: z.array(
      z.object({ hash, nonce: quantity, from: z.string().transform((text) => text.toLowerCase()) }),
    ),
  })
  .nullable();

/** One endpoint's report. Throws a ChainError. */
export async function evmOutcome(node: EvmNode, spec: NetworkSpec, attempt: SentAttempt): Promise<AttemptOutcome> {
  const hashes = [...new Set([attempt.hash, ...(attempt.others ?? [])])];
  let best: AttemptOutcome = { kind: 'waiting' };
  for (const one of hashes) {
    const outcome = await outcomeOf(node, spec, attempt, one);
    if (outcome.kind !== 'waiting' && outcome.kind !== 'seen') return outcome;
    if (outcome.kind === 'seen' && !(best.kind === 'seen' && best.confirmations >= outcome.confirmations))
      best = outcome;
  }
  // A transaction in a block, however recent, is the one that uses the nonce.
  if (best.kind === 'seen' && best.confirmations > 0) return best;
  return (await replacedOutcome(node, spec, attempt, hashes)) ?? best;
}

const replaced: AttemptOutcome = {
  kind: 'lapsed',
  reason: 'another transaction of the wallet has its nonce and is final',
};

async function outcomeOf(
  node: EvmNode,
  spec: NetworkSpec,
  attempt: SentAttempt,
  transaction: string,
): Promise<AttemptOutcome> {
  const { order, from } = attempt;
  const found = await lookupWithLogs(node, spec, transaction);
  if (!found) return { kind: 'waiting' };
  const { block, missing, succeeded, confirmations, movements, fee } = found.report;
  const cost = fee === undefined ? {} : { fee: attempt.batch ? shareOf(fee, attempt.batch) : fee };
  if (!block || missing !== 0) return { kind: 'seen', hash: transaction, confirmations };
  if (!succeeded) return { kind: 'reverted', hash: transaction, reason: await revertReason(node, attempt), ...cost };
  const [payer, recipient] = [from.toLowerCase(), order.to.toLowerCase()];
  const moved = movements.filter(
    (one) => one.contract === order.contract.toLowerCase() && one.payer === payer && one.recipient === recipient,
  );
  const unclear = {
    kind: 'unclear',
    hash: transaction,
    reason: 'it succeeded without moving exactly what was ordered',
  } as const;
  if (!attempt.batch) {
    const isPaid = moved.length === 1 && moved[0]?.amount === order.amount;
    return isPaid ? { kind: 'landed', hash: transaction, block, ...cost } : unclear;
  }
  const skipped = skippedIn(found.logs);
  const { index, items } = attempt.batch;
  // Several items can pay one payee the same amount. Each of their transfers belongs to one that was not skipped.
  const paid = items.filter(({ to, amount }, at) => to === recipient && amount === order.amount && !skipped.has(at));
  const isProven = moved.filter(({ amount }) => amount === order.amount).length === paid.length;
  if (!isProven || items[index]?.to !== recipient || items[index].amount !== order.amount) return unclear;
  if (!skipped.has(index)) return { kind: 'landed', hash: transaction, block, ...cost };
  return { kind: 'reverted', hash: transaction, reason: await revertReason(node, attempt), ...cost };
}

/** The items that the contract reports as not moved. */
const skippedIn = (logs: readonly Log[]): ReadonlySet<number> =>
  new Set(
    logs
      .filter(({ address, topics }) => address === PAYOUT_BATCH && topics[0] === SKIPPED_TOPIC)
      .map(({ data }) => Number(BigInt(data))),
  );

/** An item's share of the fee, rounded down; the first item pays the remainder. */
function shareOf(fee: bigint, { index, items }: BatchPlace): bigint {
  const count = BigInt(items.length);
  return fee / count + (index === 0 ? fee % count : 0n);
}

async function revertReason(node: EvmNode, { order, from }: SentAttempt): Promise<string> {
  const payment = { ...order, from: from.toLowerCase(), to: order.to.toLowerCase() };
  return (await obstacleOf(node, payment))?.message ?? `the contract of ${order.currency} refused the transfer`;
}

/**
 * `lapsed` if a transaction of another origin uses the nonce in a final block. `pruned` if the node no longer has the wallet's
 * nonces of those blocks, as all but archive nodes after minutes. Null if the nonce is free. Throws if the node contradicts
 * itself.
 */
async function replacedOutcome(
  node: EvmNode,
  spec: NetworkSpec,
  { validity, from }: SentAttempt,
  ours: readonly string[],
): Promise<AttemptOutcome | null> {
  if (validity.kind !== 'nonce') throw new Error('an EVM transaction is valid by its nonce');
  const usedAt = async (block: string): Promise<boolean> => {
    const count = { method: 'eth_getTransactionCount', params: [from, block], shape: quantity };
    return (await node.rpc.call(count)) > validity.nonce;
  };
  const used = (number: number): Promise<boolean> => usedAt(hex(number));
  /** Null if the node has deleted the state of the block and its newest block uses the nonce. A nonce that is unused there was unused before. */
  const usedFinally = async (number: number): Promise<boolean | null> => {
    const isUsed = await used(number).catch(forgotten);
    return isUsed ?? ((await usedAt('latest')) ? null : false);
  };
  const known = await node.shared?.recent(node.shared.lastsMs);
  if (known && (await usedFinally(known.final.number)) === false) return null;
  const { final } = await readHead(node, spec);
  const isUsed = await usedFinally(final.number);
  if (isUsed === false) return null;
  const number = isUsed === null ? null : await firstWhere(final.number, used).catch(forgotten);
  if (number === null) return { kind: 'pruned', reason: `${node.name} has forgotten the nonces of old blocks` };
  const params = [hex(number), true];
  const block = await node.rpc.call({ method: 'eth_getBlockByNumber', params, shape: fullBlock });
  const user = block?.transactions.find((one) => one.from === from.toLowerCase() && one.nonce === validity.nonce);
  if (user && !ours.includes(user.hash)) return replaced;
  const what = user ? 'has lost the receipt of a payment of ours' : 'does not name the transaction that took a nonce';
  throw new ChainError('contradiction', `${node.name} ${what}`);
}

/** Null for a node's own refusal to answer; other errors are passed on. */
export function forgotten(error: unknown): null {
  if (error instanceof RpcError && !error.throttled) return null;
  throw error;
}

/** The first height at which the condition holds, given that it holds at `known` and from then on: steps back, then bisects. */
export async function firstWhere(known: number, isSo: (height: number) => Promise<boolean>): Promise<number> {
  let [after, before] = [known, known];
  for (let step = 1; ; step *= 2) {
    before = Math.max(0, known - step);
    if (before === 0 || !(await isSo(before))) break;
    after = before;
  }
  while (after - before > 1) {
    const middle = Math.floor((after + before) / 2);
    if (await isSo(middle)) after = middle;
    else before = middle;
  }
  return after;
}
