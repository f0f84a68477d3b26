// One node's report of a single transaction, whatever address it pays. For the payment finder, which explains and never credits.

import { ChainError, type TokenMovement, type TransactionReport } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { readTransferLog } from './decode';
import { readHead, requireBlock, type EvmNode } from '@/lib/networks/families/evm/node';
import { headFor } from '@/lib/networks/endpoints/shared-head';
import {
  receipt as receiptShape,
  transaction as transactionShape,
  type Log,
  type Receipt,
} from '@/lib/networks/families/evm/shapes';

/** An airdrop moves thousands; a person can read only this many (chain.ts, TransactionReport). */
const MAX_MOVEMENTS = 100;
const HASH = /^0x[0-9a-f]{64}$/;

/** The report, or null if the node does not know the transaction or the text is not a transaction hash. */
export const lookupTransaction = async (
  node: EvmNode,
  spec: NetworkSpec,
  transactionHash: string,
): Promise<TransactionReport | null> => (await lookupWithLogs(node, spec, transactionHash))?.report ?? null;

/** The same with all logs of its receipt; none if it failed or is in no block. */
export async function lookupWithLogs(
  node: EvmNode,
  spec: NetworkSpec,
  transactionHash: string,
): Promise<{ readonly report: TransactionReport; readonly logs: readonly Log[] } | null> {
  const hash = transactionHash.toLowerCase();
  // The input comes from any visitor. A node would refuse malformed text, and that refusal must not count as a fault of the node.
  if (!HASH.test(hash)) return null;
  const [transaction, receipt] = await node.rpc.batch([
    { method: 'eth_getTransactionByHash', params: [hash], shape: transactionShape },
    { method: 'eth_getTransactionReceipt', params: [hash], shape: receiptShape },
  ]);
  if ([transaction?.hash, receipt?.transactionHash].some((own) => own !== undefined && own !== hash)) {
    throw new ChainError('contradiction', `${node.name} gave another transaction for ${hash}`);
  }
  if (!receipt) {
    const unmined = { succeeded: false, block: null, confirmations: 0, missing: null, movements: [] };
    return transaction ? { report: { transactionHash: hash, ...unmined }, logs: [] } : null;
  }
  const { tip, final } = await headFor(node, receipt.blockNumber, () => readHead(node, spec));
  const block = await requireBlock(node, receipt.blockNumber);
  if (block.hash !== receipt.blockHash) {
    throw new ChainError('unavailable', `${node.name} gave a receipt of a block that is not canonical`);
  }
  const succeeded = receipt.status === '0x1';
  const report = {
    transactionHash: hash,
    succeeded,
    block,
    confirmations: Math.max(1, tip.number - block.number + 1),
    // An estimate that assumes finality keeps its current distance to the tip.
    missing: Math.max(0, block.number - final.number),
    ...feeOf(receipt, spec),
    movements: succeeded ? movementsOf(spec, receipt.logs) : [],
  };
  return { report, logs: succeeded ? receipt.logs : [] };
}

/** The fee in wei. Unknown where the receipt lacks a part of it: a store is charged the whole fee or nothing. */
export function feeOf(
  { gasUsed, effectiveGasPrice: price, l1Fee }: Pick<Receipt, 'gasUsed' | 'effectiveGasPrice' | 'l1Fee'>,
  spec: NetworkSpec,
): { fee?: bigint } {
  const data = spec.family === 'evm' && spec.dataFee !== null ? l1Fee : 0n;
  const isKnown = typeof gasUsed === 'bigint' && typeof price === 'bigint' && typeof data === 'bigint';
  return isKnown ? { fee: gasUsed * price + data } : {};
}

/** Allow-listed tokens first, so that the limit never hides them behind others. */
function movementsOf(spec: NetworkSpec, logs: readonly Log[]): TokenMovement[] {
  const all = logs.flatMap((log): TokenMovement[] => {
    const moved = readTransferLog(log);
    if (!moved) return [];
    const { contract, from, to, value } = moved;
    const currency = tokenOf(spec, contract)?.currency ?? null;
    return [{ contract, currency, payer: from, recipient: to, amount: value }];
  });
  const known = all.filter(({ currency }) => currency !== null);
  const unknown = all.filter(({ currency }) => currency === null);
  return [...known, ...unknown].slice(0, MAX_MOVEMENTS);
}
