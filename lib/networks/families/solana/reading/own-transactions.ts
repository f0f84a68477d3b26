// The transactions that the refund wallet signed on Solana, from the list of those that mention it. Others can mention an address
// too, so the signers of each unknown transaction decide. A list that ends before the queried time proves nothing by itself: the
// node may have deleted older transactions.

import type { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import type { OwnTransaction, OwnTransactionQuery, OwnTransactions } from '@/lib/networks/sending/send';
import { readHead, requireBlock, type SolanaNode } from '@/lib/networks/families/solana/node';
import { signatures } from '@/lib/networks/families/solana/shapes';
import { readOldestBlock } from './oldest-block';
import { readFacts } from './transactions';

/** The most that a node lists per request. */
const PAGE = 1000;
/** Enough for the minutes since the last comparison, which is every half a minute. */
const FIRST_PAGE = 100;
/** Pages since the newest draft. To fill them, an attacker would have to pay for 300,000 transactions after it. */
const MAX_PAGES = 300;
/** Unknown transactions read per call. Anyone can mention the wallet, and the refunds step waits meanwhile. */
const MAX_READ = 100;

/**
 * One endpoint's report. Throws `too_large` for a longer list, so that no transaction is left out; `unavailable` if there are
 * more unknown transactions than one call reads; or another ChainError. The next call continues where this one stopped.
 */
export async function solanaUnknown(
  node: SolanaNode,
  wallet: string,
  query: OwnTransactionQuery,
): Promise<OwnTransactions> {
  const mentions: Mention[] = [];
  try {
    return await compare(node, wallet, query, mentions);
  } finally {
    if (mentions.length > 0) await query.mentions.add(node.rpc.source, mentions);
  }
}

type Mention = { readonly hash: string; readonly time: number };

/** Adds transactions that others signed to `mentions`. */
async function compare(
  node: SolanaNode,
  wallet: string,
  { since, known, mentions: stored }: OwnTransactionQuery,
  mentions: Mention[],
): Promise<OwnTransactions> {
  const { final } = await readHead(node);
  const unknown: OwnTransaction[] = [];
  const report = { endpoint: node.name, unknown, from: since, through: final.time };
  let read = 0;
  for await (const { listed, isLast } of pagesOf(node, wallet)) {
    const hashes = listed.map(({ signature }) => signature);
    const [ours, foreign] = [await known(hashes), await stored.among(node.rpc.source, hashes)];
    for (const { signature: hash, slot, err, blockTime } of listed) {
      // Stop at any older transaction: the list goes back in time, and strangers can make it long.
      if (typeof blockTime === 'number' && blockTime < since) return report;
      const isFailed = err !== null && err !== undefined;
      if (isFailed || ours.has(hash) || foreign.has(hash)) continue;
      const time = blockTime ?? (await requireBlock(node, slot, 'confirmed')).time;
      if (time < since) return report;
      // A single transaction that the database does not know already stops refunds.
      if (read === MAX_READ && unknown.length > 0) return report;
      if (read === MAX_READ) throw new ChainError('unavailable', `${node.name} lists ${TOO_MANY}`, { demotes: false });
      read += 1;
      if (await isSigner(node, wallet, hash)) unknown.push({ hash, time });
      else mentions.push({ hash, time });
    }
    if (isLast) return { ...report, from: Math.max(since, (await readOldestBlock(node))?.time ?? 0) };
  }
  throw new ChainError(
    'too_large',
    `${node.name} lists more transactions of the refund wallet than are read: see docs/operate.md`,
  );
}

const TOO_MANY = 'more transactions that mention the refund wallet than are read at once; the next ones follow';

type Listed = z.output<typeof signatures>;

/**
 * The transactions that mention the wallet, newest first. Each page starts with the last transaction of the previous page: a node
 * that does not know that one, for example one that lags behind the same URL, answers with an empty list.
 */
async function* pagesOf(node: SolanaNode, wallet: string): AsyncGenerator<{ listed: Listed; isLast: boolean }> {
  let before: string | null = null;
  let last: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const bounds: object = before === null ? {} : { before };
    const limit = page === 0 ? FIRST_PAGE : PAGE;
    const params = [wallet, { limit, commitment: 'confirmed', ...bounds }];
    const listed: Listed = await node.rpc.call({ method: 'getSignaturesForAddress', params, shape: signatures });
    if (last !== null && listed[0]?.signature !== last) {
      throw new ChainError(
        'unavailable',
        `${node.name} does not continue its list of the refund wallet's transactions`,
      );
    }
    const isLast = listed.length < limit;
    yield { listed: last === null ? listed : listed.slice(1), isLast };
    if (isLast) return;
    [before, last] = [listed.at(-2)?.signature ?? null, listed.at(-1)?.signature ?? null];
  }
}

async function isSigner(node: SolanaNode, wallet: string, hash: string): Promise<boolean> {
  const facts = await readFacts(node, hash, 'confirmed');
  if (!facts) throw new ChainError('unavailable', `${node.name} lists transaction ${hash} but does not have it`);
  if (!facts.signers)
    throw new ChainError('unavailable', `${node.name} does not report who signed transaction ${hash}`);
  return facts.signers.has(wallet);
}
