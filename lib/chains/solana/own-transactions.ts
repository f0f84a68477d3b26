// The transactions that the refund wallet signed on Solana, read from the list of those that mention it. Other people can mention
// an address as well, so the signers of each unknown transaction decide.

import { ChainError } from '../chain';
import type { OwnTransaction, OwnTransactionQuery } from '../send';
import { requireBlock, type SolanaNode } from './node';
import { signatures } from './shapes';
import { readFacts } from './transactions';

/** The most that a node lists at once. */
const PAGE = 1000;
/** Pages since the newest draft. An attacker would have to pay for 300,000 transactions after it to fill them. */
const MOST_PAGES = 300;

/** Those since a time. Throws `too_large` for a longer list, so that none is left out. */
export async function solanaUnknown(
  node: SolanaNode,
  from: string,
  { since, known }: OwnTransactionQuery,
): Promise<readonly OwnTransaction[]> {
  const found: OwnTransaction[] = [];
  let before: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params: unknown[] = [from, { limit: PAGE, commitment: 'confirmed', ...(before === null ? {} : { before }) }];
    const listed = await node.rpc.call({ method: 'getSignaturesForAddress', params, shape: signatures });
    const ours = await known(listed.map(({ signature }) => signature));
    for (const { signature: hash, slot, err, blockTime } of listed) {
      before = hash;
      // Of whatever kind: the list goes back in time, and strangers can make it long.
      if (typeof blockTime === 'number' && blockTime < since) return found;
      const isFailed = err !== null && err !== undefined;
      if (isFailed || ours.has(hash)) continue;
      const time = blockTime ?? (await requireBlock(node, slot, 'confirmed')).time;
      if (time < since) return found;
      const facts = await readFacts(node, hash, 'confirmed');
      if (!facts) throw new ChainError('unavailable', `${node.name} lists transaction ${hash} but does not have it`);
      if (facts.signers.has(from)) found.push({ hash, time });
    }
    if (listed.length < PAGE) return found;
  }
  throw new ChainError('too_large', `${node.name} lists more transactions of the refund wallet than are read`);
}
