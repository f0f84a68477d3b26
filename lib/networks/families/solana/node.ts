// One Solana endpoint as the adapter uses it: its identity proof, its blocks and transactions, and a cache of them. All data here
// comes from this one endpoint; the cache is cleared if the endpoint serves another chain.

import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { ChainError, type BlockRef, type Head } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { RpcCall, RpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';
import { TOKEN_PROGRAM } from './address';
import type { TransactionFacts } from './reading/decode';
import * as shapes from './shapes';

/** `confirmed` (a supermajority voted for it) is shown; only `finalized`, which is irreversible, is credited. */
export type Commitment = 'confirmed' | 'finalized';

/** `facts` are all changes since the transaction `since` that led to `amount`, above finality. */
type RecentHistory = {
  readonly since: string | null;
  readonly amount: bigint;
  readonly facts: readonly TransactionFacts[];
};

export type SolanaNode = {
  readonly name: string;
  readonly rpc: RpcClient;
  /** By commitment and slot. */
  readonly blocks: LRUCache<string, BlockRef>;
  /** By commitment and signature, so that no scan reads a transaction twice. */
  readonly transactions: LRUCache<string, TransactionFacts>;
  /** By account: its history when it was last read above finality. */
  readonly recentHistories: LRUCache<string, RecentHistory>;
  /** Accounts that could not be proven, or only in part, in their last scan: others go first. */
  readonly unproven: LRUCache<string, true>;
  /** The highest transaction version that the node accepts in a request. */
  version: number;
  /** Accounts per request. Lowered when the node refuses this many. */
  accountsAtOnce: number;
  genesis: string | null;
  /** Absent: nothing is shared. */
  readonly shared?: SharedHead | undefined;
};

/** The most that any node returns per request. */
const ACCOUNTS_AT_ONCE = 100;

/** A slot or two are skipped now and then; many in a row mean that the node lacks blocks. */
const SLOTS_SEARCHED_BACK = 16;
const REMEMBERED_BLOCKS = 2000;
/** About a kilobyte each at most. */
const REMEMBERED_TRANSACTIONS = 20_000;
const REMEMBERED_HISTORIES = 5000;
const REMEMBERED_UNPROVEN = 5000;
/** Every possible version (u8). For nodes that refuse it, the highest version in use is requested (transactions.ts). */
export const ANY_VERSION = 255;
const MINT_SIZE = 82;
const [DECIMALS_AT, INITIALISED_AT] = [44, 45];

/** JSON-RPC error codes of Solana's nodes (agave: rpc-client-api/src/custom_error.rs). */
const CODES = {
  blockCleanedUp: -32001,
  blockNotAvailable: -32004,
  slotSkipped: -32007,
  slotMissing: -32009,
  minContextSlot: -32016,
} as const;

/**
 * Nodes differ by a few slots, even behind one URL; a node that lags gets the request again a little later. Together three slots,
 * so that a second endpoint can agree with the first about a block that has just become final.
 */
const BEHIND_TRIES = 5;
const BEHIND_PAUSE_MS = 200;

export const openNode = (name: string, rpc: RpcClient, shared?: SharedHead): SolanaNode => ({
  name,
  rpc,
  shared,
  blocks: new LRUCache({ max: REMEMBERED_BLOCKS }),
  transactions: new LRUCache({ max: REMEMBERED_TRANSACTIONS }),
  recentHistories: new LRUCache({ max: REMEMBERED_HISTORIES }),
  unproven: new LRUCache({ max: REMEMBERED_UNPROVEN }),
  version: ANY_VERSION,
  accountsAtOnce: ACCOUNTS_AT_ONCE,
  genesis: null,
});

/** The hash of the node's genesis block. */
export async function readGenesis(node: SolanaNode): Promise<string> {
  const genesis = await node.rpc.call({ method: 'getGenesisHash', params: [], shape: shapes.key });
  if (node.genesis !== genesis) clearCache(node);
  node.genesis = genesis;
  return genesis;
}

/** Clears the cache: the chain was restarted, or has reverted a confirmed block. */
export function clearCache(node: SolanaNode): void {
  node.blocks.clear();
  node.transactions.clear();
  node.recentHistories.clear();
}

/**
 * Proves that the node serves the network: its genesis if known, and each mint under the classic token program with the table's
 * decimals. Throws `wrong_chain` with a sentence for the operator.
 */
export async function proveNode(node: SolanaNode, spec: NetworkSpec): Promise<void> {
  const wrong = (what: string) =>
    new ChainError('wrong_chain', `${node.name} does not serve ${spec.network} (${spec.chain}): ${what}`);
  const genesis = await readGenesis(node);
  if (spec.genesis !== null && genesis !== spec.genesis) throw wrong('its genesis block is another');
  const tokens = Object.entries(spec.tokens);
  const params = [tokens.map(([, { contract }]) => contract), { encoding: 'base64', commitment: 'confirmed' }];
  const { value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: shapes.accounts });
  for (const [index, [currency, { contract, decimals }]] of tokens.entries()) {
    const mint = value[index];
    const data = Buffer.from(mint?.data[0] ?? '', 'base64');
    if (mint?.owner !== TOKEN_PROGRAM || data.length !== MINT_SIZE || data[INITIALISED_AT] !== 1) {
      throw wrong(`it has no ${currency} at ${contract}`);
    }
    if (data[DECIMALS_AT] !== decimals) {
      throw wrong(`${currency} at ${contract} has ${data[DECIMALS_AT]} decimals instead of ${decimals}`);
    }
  }
  // The provider may have been upgraded, so try every version and more accounts again.
  node.version = ANY_VERSION;
  node.accountsAtOnce = ACCOUNTS_AT_ONCE;
}

/** The node's newest confirmed and newest final block. */
export async function readHead(node: SolanaNode): Promise<Head> {
  const [finalSlot, tipSlot] = await Promise.all([readSlot(node, 'finalized'), readSlot(node, 'confirmed')]);
  const final = await blockUpTo(node, finalSlot, 'finalized');
  // Nodes behind one URL may differ: one may call a block final that another has not confirmed yet.
  const tip = tipSlot > final.number ? await blockUpTo(node, tipSlot, 'confirmed') : final;
  const head = { tip: tip.number > final.number ? tip : final, final };
  await node.shared?.keep(head);
  return head;
}

/** The node's newest confirmed block. */
export const readTip = async (node: SolanaNode): Promise<BlockRef> =>
  blockUpTo(node, await readSlot(node, 'confirmed'), 'confirmed');

const readSlot = (node: SolanaNode, commitment: Commitment): Promise<number> =>
  node.rpc.call({ method: 'getSlot', params: [{ commitment }], shape: shapes.slot });

/** The block at a slot, or the newest one before it: a node may name a slot before it can return its block. */
export async function blockUpTo(node: SolanaNode, slot: number, commitment: Commitment): Promise<BlockRef> {
  for (let number = slot; number >= 0 && number > slot - SLOTS_SEARCHED_BACK; number--) {
    const block = await readBlock(node, number, commitment);
    if (block) return block;
  }
  throw new ChainError('unavailable', `${node.name} has no block at slot ${slot} or shortly before it`);
}

/** The block of a slot, or null if the slot was skipped, or the node does not have it or no longer has it. */
export async function readBlock(node: SolanaNode, number: number, commitment: Commitment): Promise<BlockRef | null> {
  const known = node.blocks.get(`${commitment} ${number}`);
  if (known) return known;
  const options = { commitment, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion: 0 };
  const given = await node.rpc
    .call({ method: 'getBlock', params: [number, options], shape: shapes.block })
    .catch(nullWithoutBlock);
  if (!given) return null;
  // The node writes the time a moment after the block itself.
  if (given.blockTime === null) return null;
  if (given.parentSlot >= number && number > 0) {
    throw new ChainError('contradiction', `${node.name} gave a block for slot ${number} that is not of it`);
  }
  const block = { number, hash: given.blockhash, parentHash: given.previousBlockhash, time: given.blockTime };
  node.blocks.set(`${commitment} ${number}`, block);
  return block;
}

/** Same as readBlock, but throws if the block is missing. */
export async function requireBlock(node: SolanaNode, number: number, commitment: Commitment): Promise<BlockRef> {
  const block = await readBlock(node, number, commitment);
  if (block) return block;
  throw new ChainError('unavailable', `${node.name} does not have the block of slot ${number}`);
}

/**
 * Same for a block that another endpoint has: waits a little for a node that is some slots behind. A larger lag is not a fault of
 * the endpoint unless it lasts; the endpoint's head shows that.
 */
export async function waitForBlock(node: SolanaNode, number: number, commitment: Commitment): Promise<BlockRef> {
  for (let tries = 1; ; tries++) {
    const block = await readBlock(node, number, commitment);
    if (block) return block;
    if (tries === BEHIND_TRIES) {
      throw new ChainError('unavailable', `${node.name} does not have the block of slot ${number} yet`, {
        demotes: false,
      });
    }
    await pause(BEHIND_PAUSE_MS);
  }
}

const nullWhen =
  (...codes: readonly number[]) =>
  (error: unknown): null => {
    if (error instanceof RpcError && codes.includes(error.code)) return null;
    throw error;
  };

/** Null for a node's answer that a slot was skipped, or that it does not have its block or no longer has it; other errors are passed on. */
export const nullWithoutBlock = nullWhen(
  CODES.blockCleanedUp,
  CODES.blockNotAvailable,
  CODES.slotSkipped,
  CODES.slotMissing,
);

/** A call that only a node with a certain slot can answer; retried while a node behind the URL lags. */
export async function callCaughtUp<T>(node: SolanaNode, call: RpcCall<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await node.rpc.call(call);
    } catch (error) {
      const behind = error instanceof RpcError && error.code === CODES.minContextSlot;
      if (!behind || tries === BEHIND_TRIES) throw error;
      await pause(BEHIND_PAUSE_MS);
    }
  }
}
