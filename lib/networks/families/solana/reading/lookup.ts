// One node's report of a single transaction, whatever address it pays. For the payment finder, which explains and never credits.

import type { TransactionReport } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { movementsOf } from './decode';
import { readBlock, type SolanaNode } from '@/lib/networks/families/solana/node';
import * as shapes from '@/lib/networks/families/solana/shapes';
import { readFacts } from './transactions';

/** An airdrop moves thousands; a person can read only this many (chain.ts, TransactionReport). */
const MAX_MOVEMENTS = 100;

/** The report, or null if the node does not know the transaction or the text is not a signature. */
export async function lookUp(node: SolanaNode, spec: NetworkSpec, hash: string): Promise<TransactionReport | null> {
  // The input comes from any visitor. A node would refuse malformed text, and that refusal must not count as a fault of the node.
  if (!shapes.isSignature(hash)) return null;
  const params = [[hash], { searchTransactionHistory: true }];
  const { context, value } = await node.rpc.call({ method: 'getSignatureStatuses', params, shape: shapes.statuses });
  const status = value[0];
  if (!status) return null;
  const final = status.confirmationStatus === 'finalized' || status.confirmations === null;
  const commitment = final ? 'finalized' : 'confirmed';
  const pending = {
    transactionHash: hash,
    succeeded: false,
    block: null,
    confirmations: 0,
    missing: null,
    movements: [],
  };
  const facts = status.confirmationStatus === 'processed' ? null : await readFacts(node, hash, commitment);
  const block = facts && (await readBlock(node, facts.slot, commitment));
  if (!facts || !block) return pending;
  return {
    transactionHash: hash,
    succeeded: facts.succeeded,
    block,
    confirmations: Math.max(1, context.slot - block.number + 1),
    missing: final ? 0 : Math.max(1, spec.confirmations - (status.confirmations ?? 0)),
    ...(facts.spent === null ? {} : { fee: facts.spent }),
    movements: movementsOf(spec, facts).slice(0, MAX_MOVEMENTS),
  };
}
