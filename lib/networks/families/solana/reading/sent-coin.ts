// Reads which coin our wallets send, from one Solana endpoint. Blocks are too large to be read in full, so the transactions that mention a
// wallet are read: only one that its key has signed lowers its balance. Each reading lists the last minutes again, and a transaction is
// requested once, so a list that is some slots late, or lacks a transaction for a moment, hides nothing.

import { ChainError, type FoundTransfer } from '@/lib/networks/chain';
import { NO_ADDRESS, type CoinActivity, type CoinSearch } from '@/lib/networks/coin-reader';
import type { NetworkSpec } from '@/lib/networks/networks';
import { mapBounded } from '@/lib/networks/families/solana/map-bounded';
import { requireBlock, type SolanaNode } from '@/lib/networks/families/solana/node';
import { signatures } from '@/lib/networks/families/solana/shapes';
import type { TransactionFacts } from './decode';
import { readFacts } from './transactions';

/** Enough for what most sponsors sign in some minutes. */
const FIRST_PAGE = 50;
/** The most that a node lists per request. */
const PAGE = 1000;
const MAX_PAGES = 4;
/**
 * Transactions of a wallet that one reading requests from each end of the list. Anyone can mention it for a small fee. So a thief who does it
 * more often after the theft, or before it, hides nothing; both together, for minutes, raise the alarm (`unread`).
 */
const MAX_READ_EACH = 50;
/** After so many faults the endpoint may have stopped answering. */
const MAX_FAULTS = 8;
/** What fees and others may get of what leaves a wallet. */
const SMALL_PART = 100n;

/** The transactions that mention the wallets, newest first, as CoinReader.activity says. The node keeps those that were requested. */
export async function solanaActivity(node: SolanaNode, { window, wallets }: CoinSearch): Promise<CoinActivity> {
  const hashes = new Set<string>();
  let unread: string | null = null;
  for (const wallet of wallets) {
    const { listed, isWhole } = await listSince(node, wallet, window.from);
    const fresh = listed.filter((hash) => !isRead(node, hash));
    if (!isWhole || fresh.length > 2 * MAX_READ_EACH)
      unread ??= `more transactions mention ${wallet} than are read at once`;
    const ends = [...fresh.slice(0, MAX_READ_EACH), ...fresh.slice(MAX_READ_EACH).slice(-MAX_READ_EACH)];
    unread = (await requestAll(node, ends)) ?? unread;
    for (const hash of listed) if (isRead(node, hash)) hashes.add(hash);
  }
  const cursor = { block: window.to, time: window.time, states: new Map<string, number>() };
  return { blocks: [], hashes: [...hashes], cursor, unread };
}

const isRead = (node: SolanaNode, hash: string): boolean => node.transactions.has(`confirmed ${hash}`);

/** Requests each transaction, also after one has failed, so that one that cannot be read hides no theft. Returns the last error, or null. */
async function requestAll(node: SolanaNode, hashes: readonly string[]): Promise<string | null> {
  let failure: string | null = null;
  let faults = 0;
  await mapBounded(hashes, async (hash) => {
    if (faults >= MAX_FAULTS) return;
    try {
      await requireFacts(node, hash);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      failure = error.message;
      faults += error.throttled ? MAX_FAULTS : 1;
    }
  });
  return failure;
}

async function requireFacts(node: SolanaNode, hash: string): Promise<TransactionFacts> {
  const facts = await readFacts(node, hash, 'confirmed');
  if (facts) return facts;
  throw new ChainError('unavailable', `${node.name} does not have transaction ${hash}`);
}

/** Newest first. Each page starts with the last transaction of the previous page: a node that lags behind the same URL does not know that one. */
async function listSince(
  node: SolanaNode,
  wallet: string,
  from: number,
): Promise<{ readonly listed: readonly string[]; readonly isWhole: boolean }> {
  const found = new Set<string>();
  let [before, last] = [null as string | null, null as string | null];
  for (let page = 0; page < MAX_PAGES; page++) {
    const limit = page === 0 ? FIRST_PAGE : PAGE;
    const params = [wallet, { limit, commitment: 'confirmed', ...(before === null ? {} : { before }) }];
    const listed = await node.rpc.call({ method: 'getSignaturesForAddress', params, shape: signatures });
    if (last !== null && listed[0]?.signature !== last)
      throw new ChainError('unavailable', `${node.name} does not continue its list of transactions of ${wallet}`);
    const recent = listed.filter(({ slot }) => slot >= from);
    for (const { signature } of recent) found.add(signature);
    if (recent.length < listed.length || listed.length < limit) return { listed: [...found], isWhole: true };
    [before, last] = [listed.at(-2)?.signature ?? null, listed.at(-1)?.signature ?? null];
  }
  return { listed: [...found], isWhole: false };
}

/** What the wallets lose in these transactions, whatever their instructions are and also if they failed, as CoinReader.sent says. */
export async function solanaSent(
  node: SolanaNode,
  spec: NetworkSpec,
  hashes: readonly string[],
  wallets: readonly string[],
): Promise<readonly FoundTransfer[]> {
  const found = await mapBounded(hashes, async (hash) => sentIn(node, spec, await requireFacts(node, hash), wallets));
  return found.flat();
}

async function sentIn(
  node: SolanaNode,
  spec: NetworkSpec,
  { signature: transactionHash, slot, coinChanges }: TransactionFacts,
  wallets: readonly string[],
): Promise<readonly FoundTransfer[]> {
  if (!coinChanges)
    throw new ChainError('unavailable', `${node.name} does not report the coin of transaction ${transactionHash}`);
  const losers = wallets.flatMap((payer) => {
    const amount = -(coinChanges.get(payer) ?? 0n);
    return amount > 0n ? [{ payer, amount }] : [];
  });
  if (losers.length === 0) return [];
  const block = await requireBlock(node, slot, 'confirmed');
  return losers.map(({ payer, amount }, ordinal) => ({
    ...{ transactionHash, ordinal, payer, amount, recipient: recipientOf(coinChanges, amount) },
    ...{ currency: spec.coin.symbol, contract: '', isPlain: true },
    ...{ blockNumber: block.number, blockHash: block.hash, blockTime: block.time },
  }));
}

/** The account that gained what the wallet lost, if fees and what all others gained are a small part of it; no address otherwise. */
function recipientOf(changes: ReadonlyMap<string, bigint>, lost: bigint): string {
  const gains = [...changes].filter(([, change]) => change > 0n);
  const total = gains.reduce((sum, [, change]) => sum + change, 0n);
  const recipient = gains.find(([, gain]) => (lost - gain) * SMALL_PART <= lost && (total - gain) * SMALL_PART <= lost);
  return recipient?.[0] ?? NO_ADDRESS;
}
