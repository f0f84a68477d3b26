// What became of a SafeTx as one EVM endpoint reports it. The Safe counts its nonces, so a nonce that is not used by the final block may
// still be executed by anyone who has the signatures. Where it is used, the logs of that block name the SafeTx that used it.

import { ChainError, type BlockRef } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SafeAttempt } from '@/lib/networks/sending/safe';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { readBlockReceipts } from '@/lib/networks/families/evm/reading/block-logs';
import { lookupTransaction } from '@/lib/networks/families/evm/reading/lookup';
import { hex, readHead, requireBlock, type EvmNode } from '@/lib/networks/families/evm/node';
import { firstWhere, forgotten } from '@/lib/networks/families/evm/sending/outcome';
import { logs, type Log } from '@/lib/networks/families/evm/shapes';
import { readSafeNonce } from './contract';

/** ExecutionSuccess(bytes32,uint256) and ExecutionFailure(bytes32,uint256). The hash is indexed since version 1.4.0. */
const SUCCESS = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e';
const FAILURE = '0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23';

/** One endpoint's report. Throws a ChainError. */
export async function safeOutcome(node: EvmNode, spec: NetworkSpec, attempt: SafeAttempt): Promise<AttemptOutcome> {
  const own = attempt.hash === null ? null : await executionOutcome(node, spec, attempt, attempt.hash);
  // A failed execution leaves the nonce, and with it the signatures, to the next one.
  if (own && own.kind !== 'reverted') return own;
  const { safe, nonce } = attempt;
  const used = async (number: number): Promise<boolean> => {
    const next = await readSafeNonce(node, safe, hex(number));
    return next !== null && next > nonce;
  };
  const { final } = await readHead(node, spec);
  if (!(await used(final.number))) return { kind: 'waiting' };
  const number = await firstWhere(final.number, used).catch(forgotten);
  if (number === null) return { kind: 'pruned', reason: `${node.name} has forgotten the nonces of old blocks` };
  const block = await requireBlock(node, number);
  const events = (await logsOf(node, safe, block)).filter(({ topics }) => [SUCCESS, FAILURE].includes(topics[0] ?? ''));
  const event = events.find((log) => hashOf(log) === attempt.safeTxHash);
  if (event?.topics[0] === SUCCESS) {
    const found = await executionOutcome(node, spec, attempt, event.transactionHash);
    if (found && found.kind !== 'reverted') return found;
    throw new ChainError('contradiction', `${node.name} has lost the transaction that executed a SafeTx`);
  }
  if (event) return { kind: 'lapsed', reason: 'the Safe has executed it, and the transfer failed' };
  if (events.length > 0)
    return { kind: 'lapsed', reason: 'another transaction of the Safe has its nonce and is final' };
  throw new ChainError('contradiction', `${node.name} does not name the SafeTx that took a nonce`);
}

/** What one transaction did to the transfer; null if no block has it. */
async function executionOutcome(
  node: EvmNode,
  spec: NetworkSpec,
  { order, safe }: SafeAttempt,
  transaction: string,
): Promise<AttemptOutcome | null> {
  const report = await lookupTransaction(node, spec, transaction);
  if (!report?.block) return null;
  const { block, missing, succeeded, confirmations, movements, fee } = report;
  const cost = fee === undefined ? {} : { fee };
  if (missing !== 0) return { kind: 'seen', hash: transaction, confirmations };
  if (!succeeded) return { kind: 'reverted', hash: transaction, reason: 'the transaction that executes it failed' };
  // The executor may put several transactions of the Safe into one, so that other movements stand beside this one.
  const isMoved = movements.some(
    ({ contract, payer, recipient, amount }) =>
      contract === order.contract && payer === safe && recipient === order.to && amount === order.amount,
  );
  if (isMoved) return { kind: 'landed', hash: transaction, block, ...cost };
  return { kind: 'unclear', hash: transaction, reason: 'it succeeded without moving exactly what was ordered' };
}

const hashOf = ({ topics, data }: Log): string => topics[1] ?? data.slice(0, 66);

/** All logs of the Safe in one block. Some nodes refuse eth_getLogs, and have the receipts of the block. */
async function logsOf(node: EvmNode, safe: string, block: BlockRef): Promise<readonly Log[]> {
  try {
    const params = [{ blockHash: block.hash, address: safe }];
    const found = await node.rpc.call({ method: 'eth_getLogs', params, shape: logs });
    if (found.every(({ address, blockHash }) => address === safe && blockHash === block.hash)) return found;
    throw new ChainError('contradiction', `${node.name} gave logs of another block or contract`);
  } catch (error) {
    if (!(error instanceof RpcError) || error.throttled) throw error;
    const { receipts } = await readBlockReceipts(node, block.number);
    return receipts
      .filter(({ status, blockHash }) => status === '0x1' && blockHash === block.hash)
      .flatMap((receipt) => receipt.logs.filter(({ address }) => address === safe));
  }
}
