// Single transactions of one Solana endpoint, of any version, cached so that no scan reads one twice.

import { ChainError } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import { readTransaction, type TransactionFacts } from './decode';
import { ANY_VERSION, type Commitment, type SolanaNode } from '@/lib/networks/families/solana/node';
import * as shapes from '@/lib/networks/families/solana/shapes';

const KNOWN_VERSIONS = [ANY_VERSION, 1, 0];
/** JSON-RPC 2.0, section 5.1: a node refuses an unknown transaction version with this code. */
const INVALID_PARAMS = -32602;

/** A transaction, or null if the node does not know it at that commitment. Throws `contradiction` for a different transaction. */
export async function readFacts(
  node: SolanaNode,
  signature: string,
  commitment: Commitment,
): Promise<TransactionFacts | null> {
  const known = node.transactions.get(`${commitment} ${signature}`);
  if (known) return known;
  const given = await requestTransaction(node, signature, commitment);
  if (!given) return null;
  const facts = readTransaction(given);
  if (facts.signature !== signature) {
    throw new ChainError('contradiction', `${node.name} gave another transaction for ${signature}`);
  }
  node.transactions.set(`${commitment} ${signature}`, facts);
  return facts;
}

async function requestTransaction(
  node: SolanaNode,
  signature: string,
  commitment: Commitment,
): Promise<shapes.Transaction | null> {
  for (;;) {
    const { version } = node;
    const options = { encoding: 'json', commitment, maxSupportedTransactionVersion: version };
    try {
      const params = [signature, options];
      return await node.rpc.call({ method: 'getTransaction', params, shape: shapes.transaction });
    } catch (error) {
      const lower = KNOWN_VERSIONS.find((one) => one < version);
      const refused = error instanceof RpcError && error.code === INVALID_PARAMS && lower !== undefined;
      if (!refused) throw error;
      node.version = Math.min(node.version, lower);
    }
  }
}
