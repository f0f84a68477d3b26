// Reads which coin our wallets send, from one EVM endpoint. Whatever a key signs raises the account nonce of its wallet, an authorization
// too (EIP-7702). So the nonces of two blocks show whether anything was signed between them, and a search finds the blocks that are worth
// reading in full.

import { verifyAuthorization } from 'ethers/hash';
import { z } from 'zod';
import { ChainError, type BlockRef, type FoundTransfer } from '@/lib/networks/chain';
import { NO_ADDRESS, type CoinActivity, type CoinSearch } from '@/lib/networks/coin-reader';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { RpcCall } from '@/lib/networks/endpoints/json-rpc/client';
import type { NetworkSpec } from '@/lib/networks/networks';
import { hex, type EvmNode } from '@/lib/networks/families/evm/node';
import { address, blockRef, hash, headerFields, quantity } from '@/lib/networks/families/evm/shapes';

/** A full block is up to some megabytes. */
const BLOCKS_AT_ONCE = 4;
/** If the endpoint has deleted the state, the nonces cannot be searched. Then so many of the newest blocks are read in full. */
const MOST_UNSEARCHED = 100;
/** Of a longer gap, or one in which a wallet signed more, the window alone is searched. The database knows sweeps of the last day. */
const LONGEST_GAP_SECONDS = 43_200;
const MOST_SIGNED = 100;

const word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

const authorization = z.object({
  chainId: word,
  address,
  nonce: word,
  yParity: word.optional(),
  v: word.optional(),
  r: word,
  s: word,
});
type SignedAuthorization = z.output<typeof authorization>;

/** A transaction may contain invalid authorizations. They are ignored, so that the block can be read. */
const authorizations = z.array(authorization.nullable().catch(null)).default([]);

const transaction = z.object({
  hash,
  from: address,
  to: address.nullish(),
  value: word,
  authorizationList: authorizations,
});
type SentTransaction = z.output<typeof transaction>;

/** Some networks add system transactions, such as deposits on Base. No wallet signs them, so they are skipped. */
const fullBlock = z
  .object({ ...headerFields, transactions: z.array(transaction.nullable().catch(null)) })
  .transform(({ transactions, ...header }) => ({ block: blockRef(header), transactions }))
  .nullable();

type Place = { readonly number: number; readonly nonce: number };

const nonceCall = (wallet: string, number: number): RpcCall<number> => ({
  method: 'eth_getTransactionCount',
  params: [wallet, hex(number)],
  shape: quantity,
});

/**
 * The blocks in which the wallets signed something, as CoinReader.activity says. A cursor from before the window counts too: halving makes a long
 * gap cheap.
 */
export async function evmActivity(node: EvmNode, { window, wallets, cursor }: CoinSearch): Promise<CoinActivity> {
  const { from, to, time } = window;
  // After a reorg the endpoint may be behind its own cursor.
  const last = cursor && cursor.block <= to && time - cursor.time <= LONGEST_GAP_SECONDS ? cursor : null;
  const nonces = await node.rpc.batch(wallets.map((wallet) => nonceCall(wallet, to)));
  const blocks = new Set<number>();
  for (const [at, wallet] of wallets.entries()) {
    const end = { number: to, nonce: nonces[at] as number };
    const nonce = last?.states.get(wallet);
    const known =
      last && nonce !== undefined && end.nonce - nonce <= MOST_SIGNED ? { number: last.block, nonce } : null;
    for (const number of await blocksBetween(node, wallet, { known, from, end })) blocks.add(number);
  }
  const states = new Map(wallets.map((wallet, at) => [wallet, nonces[at] as number]));
  const next = { block: to, time, states };
  return { blocks: [...blocks].toSorted((one, other) => one - other), hashes: [], cursor: next };
}

/** The nonce after a block, or after a later one if the endpoint has deleted that state. */
async function oldestNonce(node: EvmNode, wallet: string, wanted: { number: number; end: Place }): Promise<Place> {
  for (let { number } = wanted; number < wanted.end.number; number = Math.ceil((number + wanted.end.number) / 2)) {
    try {
      return { number, nonce: await node.rpc.call(nonceCall(wallet, number)) };
    } catch (error) {
      if (!lacksState(error)) throw error;
    }
  }
  return wanted.end;
}

/** Providers name a deleted state in many ways. */
const lacksState = (error: unknown): boolean => error instanceof RpcError && !error.throttled && !error.methodMissing;

/** `known`: from where the nonce is searched; null: from the window's first block on. */
type Search = { readonly known: Place | null; readonly from: number; readonly end: Place };

/** The blocks up to `end` in which the nonce changed. */
async function blocksBetween(node: EvmNode, wallet: string, { known, from, end }: Search): Promise<readonly number[]> {
  const start = known ?? (await oldestNonce(node, wallet, { number: Math.max(0, from - 1), end }));
  try {
    return await searchBlocks(node, wallet, start, end);
  } catch (error) {
    if (!lacksState(error)) throw error;
    if (start.number < from - 1) return blocksBetween(node, wallet, { known: null, from, end });
    const first = Math.max(start.number, end.number - MOST_UNSEARCHED) + 1;
    return Array.from({ length: end.number - first + 1 }, (_, n) => first + n);
  }
}

/** Halves each span whose ends have different nonces, all spans in one batch. */
async function searchBlocks(node: EvmNode, wallet: string, start: Place, end: Place): Promise<readonly number[]> {
  const found: number[] = [];
  let spans: (readonly [Place, Place])[] = [[start, end]];
  for (;;) {
    spans = spans.filter(([left, right]) => left.nonce !== right.nonce && left.number < right.number);
    found.push(...spans.filter(isOneBlock).map(([, { number }]) => number));
    const wide = spans.filter((span) => !isOneBlock(span));
    if (wide.length === 0) return found;
    const middles = wide.map(([left, right]) => Math.floor((left.number + right.number) / 2));
    const nonces = await node.rpc.batch(middles.map((number) => nonceCall(wallet, number)));
    spans = wide.flatMap(([left, right], at) => {
      const middle = { number: middles[at] as number, nonce: nonces[at] as number };
      return [[left, middle] as const, [middle, right] as const];
    });
  }
}

const isOneBlock = ([left, right]: readonly [Place, Place]): boolean => right.number - left.number === 1;

/** What the wallets send in these blocks, as CoinReader.sent says. */
export async function evmSent(
  node: EvmNode,
  spec: NetworkSpec,
  blocks: readonly number[],
  wallets: readonly string[],
): Promise<readonly FoundTransfer[]> {
  const found: FoundTransfer[] = [];
  for (let at = 0; at < blocks.length; at += BLOCKS_AT_ONCE) {
    const numbers = blocks.slice(at, at + BLOCKS_AT_ONCE);
    const calls = numbers.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [hex(number), true],
      shape: fullBlock,
    }));
    for (const [n, read] of (await node.rpc.batch(calls)).entries()) {
      if (!read) throw new ChainError('unavailable', `${node.name} does not have block ${numbers[n]}`);
      if (read.block.number !== numbers[n])
        throw new ChainError('contradiction', `${node.name} gave block ${read.block.number} for block ${numbers[n]}`);
      for (const one of read.transactions) if (one) found.push(...sentIn(spec, read.block, one, new Set(wallets)));
    }
  }
  return found;
}

function sentIn(
  spec: NetworkSpec,
  block: BlockRef,
  { hash: transactionHash, from, to, value, authorizationList }: SentTransaction,
  wallets: ReadonlySet<string>,
): readonly FoundTransfer[] {
  const transfer = (ordinal: number, payer: string, recipient: string, amount: bigint): FoundTransfer => ({
    ...{ transactionHash, ordinal, payer, recipient, amount, currency: spec.coin.symbol, contract: '', isPlain: true },
    ...{ blockNumber: block.number, blockHash: block.hash, blockTime: block.time },
  });
  const coin = wallets.has(from) && value > 0n ? [transfer(0, from, to ?? NO_ADDRESS, value)] : [];
  const given = authorizationList.flatMap((one, at) => {
    const authority = one && givesPower(spec, one) ? authorityOf(one) : null;
    return one && authority !== null && wallets.has(authority) ? [transfer(at + 1, authority, one.address, 0n)] : [];
  });
  return [...coin, ...given];
}

const NO_CODE = `0x${'0'.repeat(40)}`;

/** An authorization for chain 0 is for every chain. One for address 0 removes the code. */
const givesPower = ({ chainId }: NetworkSpec, { chainId: chain, address: delegate }: SignedAuthorization): boolean =>
  delegate !== NO_CODE && (chain === 0n || chain === BigInt(chainId ?? 0));

/** In lower case; null if the signature is not valid. */
function authorityOf({ chainId, address: delegate, nonce, yParity, v = 0n, r, s }: SignedAuthorization): string | null {
  const recovery = yParity ?? (v >= LEGACY ? v - LEGACY : v);
  const signature = { yParity: Number(recovery) as 0 | 1, r: padded(r), s: padded(s) };
  try {
    return verifyAuthorization({ chainId, address: delegate, nonce }, signature).toLowerCase();
  } catch {
    return null;
  }
}

/** Some nodes write the recovery as transactions did before EIP-155. */
const LEGACY = 27n;
const padded = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
