// The transactions that the refund wallet signed on Solana, read from the list of those that mention it. Other people can mention
// an address as well, so the signers of each unknown transaction decide. A list that ends before the time in question proves nothing by
// itself: the node may have deleted what came before.

import { ChainError } from '../chain';
import type { OwnTransaction, OwnTransactionQuery, OwnTransactions } from '../send';
import { readBlock, readHead, requireBlock, type SolanaNode } from './node';
import { signatures, slot as slotShape } from './shapes';
import { readFacts } from './transactions';

/** The most that a node lists at once. */
const PAGE = 1000;
/** Pages since the newest draft. An attacker would have to pay for 300,000 transactions after it to fill them. */
const MOST_PAGES = 300;

/** The report of one endpoint. Throws `too_large` for a longer list, so that none is left out, or another ChainError. */
export async function solanaUnknown(
  node: SolanaNode,
  wallet: string,
  { since, known }: OwnTransactionQuery,
): Promise<OwnTransactions> {
  const { final } = await readHead(node);
  const unknown: OwnTransaction[] = [];
  const report = { endpoint: node.name, unknown, from: since, through: final.time };
  let before: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const bounds: object = before === null ? {} : { before };
    const params = [wallet, { limit: PAGE, commitment: 'confirmed', ...bounds }];
    const listed = await node.rpc.call({ method: 'getSignaturesForAddress', params, shape: signatures });
    const ours = await known(listed.map(({ signature }) => signature));
    for (const { signature: hash, slot, err, blockTime } of listed) {
      before = hash;
      // Of whatever kind: the list goes back in time, and strangers can make it long.
      if (typeof blockTime === 'number' && blockTime < since) return report;
      const isFailed = err !== null && err !== undefined;
      if (isFailed || ours.has(hash)) continue;
      const time = blockTime ?? (await requireBlock(node, slot, 'confirmed')).time;
      if (time < since) return report;
      const facts = await readFacts(node, hash, 'confirmed');
      if (!facts) throw new ChainError('unavailable', `${node.name} lists transaction ${hash} but does not have it`);
      if (facts.signers.has(wallet)) unknown.push({ hash, time });
    }
    if (listed.length < PAGE) return { ...report, from: Math.max(since, await readOldest(node)) };
  }
  throw new ChainError('too_large', `${node.name} lists more transactions of the refund wallet than are read`);
}

/** The node deletes old blocks all the time, and slots are skipped: its first block may be some slots after the one that it names. */
const SLOTS_LOOKED_AHEAD = 16;

/**
 * The time of the oldest block that the node keeps; 0 for a node that keeps all. Lists of transactions begin there too. A later
 * block proves less, so it is safe to use one.
 */
async function readOldest(node: SolanaNode): Promise<number> {
  const first = await node.rpc.call({ method: 'getFirstAvailableBlock', params: [], shape: slotShape });
  if (first === 0) return 0;
  for (let slot = first; slot < first + SLOTS_LOOKED_AHEAD; slot++) {
    const block = await readBlock(node, slot, 'finalized');
    if (block) return block.time;
  }
  throw new ChainError('unavailable', `${node.name} has no block from slot ${first}, which it names as its first`);
}
