// One node's report of a single transaction: from its solid side if the transaction is final, otherwise from its full side,
// otherwise from its pool of waiting transactions.

import { ChainError, type BlockRef, type TokenMovement, type TransactionReport } from '@/lib/networks/chain';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { readWholeBlocks } from './block';
import { succeeded, tokenTransfers, type Tokens } from './decode';
import type { Side } from '@/lib/networks/families/tron/http';
import type { TronNode } from '@/lib/networks/families/tron/node';
import { headFor } from '@/lib/networks/endpoints/shared-head';
import type { Reading } from './scan';
import { info as infoShape, transaction as transactionShape, type Info } from '@/lib/networks/families/tron/shapes';

const HASH = /^[0-9a-f]{64}$/;
/** An airdrop moves thousands; a person can read only this many (chain.ts, TransactionReport). */
const MAX_MOVEMENTS = 100;

/** Looks up a transaction, as ChainAdapter.lookup specifies. */
export async function lookUp<N extends TronNode>(
  node: N,
  { headOf, tokens }: Reading<N>,
  transactionHash: string,
): Promise<TransactionReport | null> {
  const id = transactionHash.toLowerCase();
  // The input comes from any visitor. A node would refuse malformed text, and that refusal must not count as a fault of the node.
  if (!HASH.test(id)) return null;
  const solid = await readInfo(node, 'walletsolidity', id);
  const mined = solid ?? (await readInfo(node, 'wallet', id));
  if (!mined) return (await waits(node, id)) ? waiting(id) : null;
  const { tip, final } = await headFor(node, mined.blockNumber, () => headOf(node));
  const block = await provenBlock(node, solid ? 'walletsolidity' : 'wallet', mined);
  return {
    transactionHash: id,
    succeeded: succeeded(mined),
    block,
    confirmations: Math.max(1, tip.number - block.number + 1),
    // Every further block makes one more block final, so the distance is the number of missing blocks.
    missing: Math.max(0, block.number - final.number),
    fee: BigInt(mined.fee),
    movements: tokenMovements(tokens, mined),
  };
}

async function readInfo(node: TronNode, side: Side, id: string): Promise<Info | null> {
  const found = await node.client.request({
    side,
    api: 'gettransactioninfobyid',
    body: { value: id },
    shape: infoShape,
  });
  if (!found || found.id === id) return found;
  throw new ChainError('contradiction', `${node.name} returned another transaction than ${id}`);
}

/** The block that the result names. It must hold the transaction with the same outcome. */
async function provenBlock(node: TronNode, side: Side, mined: Info): Promise<BlockRef> {
  const [whole] = await readWholeBlocks(node, { side, from: mined.blockNumber, to: mined.blockNumber });
  const listed = whole?.infos.find(({ id }) => id === mined.id);
  if (whole && listed && succeeded(listed) === succeeded(mined) && listed.log.length === mined.log.length) {
    return whole.block;
  }
  throw new ChainError('contradiction', `${node.name} contradicts itself about transaction ${mined.id}`);
}

/** Allow-listed tokens first, so that the limit never hides them behind others. */
function tokenMovements(tokens: Tokens, mined: Info): TokenMovement[] {
  const all = tokenTransfers(mined);
  const known = all.filter(({ contract }) => tokens.has(contract));
  const unknown = all.filter(({ contract }) => !tokens.has(contract));
  return [...known, ...unknown].slice(0, MAX_MOVEMENTS).map(({ contract, from, to, value }) => ({
    contract: tokens.get(contract)?.contract ?? tronAddress(contract),
    currency: tokens.get(contract)?.currency ?? null,
    payer: tronAddress(from),
    recipient: tronAddress(to),
    amount: value,
  }));
}

/** Whether the node knows the transaction although none of its blocks holds it. */
async function waits(node: TronNode, id: string): Promise<boolean> {
  const known = async (api: string): Promise<boolean> => {
    const found = await node.client.request({ side: 'wallet', api, body: { value: id }, shape: transactionShape });
    return found === id;
  };
  if (await known('gettransactionbyid')) return true;
  try {
    return await known('gettransactionfrompending');
  } catch (error) {
    // Providers do not offer the pool, and refuse it in many ways. An unknown transaction is only broadcast again.
    if (error instanceof ChainError && !error.throttled) return false;
    throw error;
  }
}

const waiting = (id: string): TransactionReport => ({
  transactionHash: id,
  succeeded: false,
  block: null,
  confirmations: 0,
  missing: null,
  movements: [],
});
