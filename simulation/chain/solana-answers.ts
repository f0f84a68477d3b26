// Answers the JSON-RPC calls of the product's Solana adapter, balance reader and sender from a simulated chain, as one
// endpoint sees it: up to its own slot, and with its own fork.

import { accountData, mintData, TOKEN_PROGRAM, type TokenState } from '@/testing/solana/solana-ledger';
import type { View } from './chain';
import { isBlocked, isPaused } from './refusals';
import {
  BLOCKHASH_LIFETIME,
  blockUpTo,
  isSweep,
  lamportsOf,
  RENT,
  UNIT_PRICE,
  type SolanaBlock,
  type SolanaState,
  type SolanaTransaction,
} from './solana-state';
import { nonceData } from './solana-nonces';
import { readWire, runSweep, sweepOf } from './solana-sweeps';

const refusal = (code: number, message: string) => ({ error: { code, message } });
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** Owns the accounts of contracts. */
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const UNITS = 30_000;
/** Lamports for each byte of an account and of its header. */
const [RENT_PER_BYTE, HEADER_BYTES] = [6960, 128];

type Options = {
  readonly commitment?: 'confirmed' | 'finalized';
  readonly minContextSlot?: number;
  readonly dataSlice?: { readonly offset: number; readonly length: number };
  readonly limit?: number;
  readonly searchTransactionHistory?: boolean;
  readonly before?: string;
  readonly until?: string;
};

/** `newest`: the newest slot of the request's commitment. `shared`: the newest one that is not on the endpoint's own fork. */
type Seen = { readonly state: SolanaState; readonly view: View; readonly newest: number; readonly shared: number };

export function answerSolana(state: SolanaState, view: View, method: string, params: readonly unknown[]): unknown {
  const options = optionsIn(params);
  const newest = options.commitment === 'confirmed' ? view.height : Math.min(view.height, state.finalSlot);
  const seen = { state, view, newest, shared: Math.min(newest, view.forkedAbove ?? newest) };
  const result =
    (options.minContextSlot ?? 0) > newest
      ? refusal(-32016, 'Minimum context slot has not been reached')
      : (chainResult(seen, method, params, options) ??
        stateResult(seen, method, params, options) ??
        refusal(-32601, 'Method not found'));
  const given = result === NOTHING ? null : result;
  const tampered = view.tamper?.(method, params, given);
  return tampered === undefined ? given : tampered;
}

/** The last parameter that is an object. */
const optionsIn = (params: readonly unknown[]): Options =>
  params.findLast((one) => typeof one === 'object' && one !== null && !Array.isArray(one)) ?? {};

/** A result of null; `null` itself stands for a method of another kind. */
const NOTHING = Symbol('nothing');

/** Blocks and transactions. */
function chainResult(seen: Seen, method: string, [first]: readonly unknown[], options: Options): unknown {
  const { state, view, newest } = seen;
  switch (method) {
    case 'getGenesisHash':
      return state.slots[0]?.hash;
    case 'getSlot':
      return newest;
    case 'getBlockHeight':
      return blockUpTo(state, newest).height;
    case 'getEpochInfo':
      return { absoluteSlot: newest, blockHeight: blockUpTo(state, newest).height };
    case 'getFirstAvailableBlock':
      return view.keepsFrom ?? 0;
    case 'getBlock':
      return blockResult(seen, first as number);
    case 'getLatestBlockhash': {
      const { hash, height } = asSeen(seen, blockUpTo(state, newest));
      return {
        context: { slot: newest },
        value: { blockhash: hash, lastValidBlockHeight: height + BLOCKHASH_LIFETIME },
      };
    }
    case 'getSignaturesForAddress':
      return signaturesOf(seen, first as string, options);
    case 'getTransaction': {
      const found = transactionsIn(seen).find(({ signature }) => signature === first);
      return found ? transactionResult(state, found) : NOTHING;
    }
    case 'getSignatureStatuses':
      return statusesOf(seen, first as string[], options.searchTransactionHistory === true);
    default:
      return null;
  }
}

/** On the endpoint's own fork, blocks have other hashes. */
function asSeen({ view: { forkedAbove } }: Seen, block: SolanaBlock): SolanaBlock {
  if (forkedAbove === undefined || block.slot <= forkedAbove) return block;
  const other = (hash: string): string => (hash.startsWith('F') ? `G${hash.slice(1)}` : `F${hash.slice(1)}`);
  return {
    ...block,
    hash: other(block.hash),
    parentHash: block.parentSlot > forkedAbove ? other(block.parentHash) : block.parentHash,
  };
}

function blockResult(seen: Seen, slot: number): unknown {
  const { state, view, newest } = seen;
  if (slot > newest) return refusal(-32004, `Block not available for slot ${slot}`);
  if (slot < (view.keepsFrom ?? 0)) return refusal(-32001, `Block ${slot} cleaned up, does not exist on node.`);
  const block = state.slots[slot];
  if (!block) return refusal(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
  const { hash: blockhash, parentHash: previousBlockhash, parentSlot, time: blockTime, height } = asSeen(seen, block);
  return { blockhash, previousBlockhash, parentSlot, blockTime, blockHeight: height };
}

const transactionsIn = ({ state, view, shared }: Seen): readonly SolanaTransaction[] =>
  state.mined.filter(({ slot }) => slot <= shared && slot >= (view.keepsFrom ?? 0));

function signaturesOf(seen: Seen, key: string, { limit = 1000, before, until }: Options): unknown {
  const all = transactionsIn(seen)
    .filter(({ keys }) => keys.includes(key))
    .toReversed();
  const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
  const end = until === undefined ? -1 : all.findIndex(({ signature }) => signature === until);
  const part = all.slice(from, Math.min(from + limit, end === -1 ? all.length : end));
  return part.map(({ signature, slot, err, memo }) => ({
    ...{ signature, slot, err, memo, blockTime: blockUpTo(seen.state, slot).time },
    confirmationStatus: slot <= seen.state.finalSlot ? 'finalized' : 'confirmed',
  }));
}

function transactionResult(state: SolanaState, found: SolanaTransaction): object {
  const { slot, version, err, pre, post, before, after, keys, signature, from, signers = [] } = found;
  const fee = isSweep(from) ? from.signed.fee : 5000;
  const { time, parentHash } = blockUpTo(state, slot);
  return {
    ...{ slot, blockTime: time, version },
    meta: {
      ...{ err, fee, preBalances: before, postBalances: after, preTokenBalances: pre, postTokenBalances: post },
      loadedAddresses: { writable: [], readonly: [] },
    },
    transaction: {
      signatures: [signature],
      message: {
        header: {
          numRequiredSignatures: 1 + signers.length,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: 0,
        },
        ...{ accountKeys: keys, recentBlockhash: parentHash, instructions: [] },
      },
    },
  };
}

/** Without the history, a node knows only the transactions whose blockhash may still be named. */
function statusesOf({ state, view }: Seen, signatures: readonly string[], hasHistory: boolean): object {
  const shared = Math.min(view.height, view.forkedAbove ?? view.height);
  const known = transactionsIn({ state, view, newest: view.height, shared });
  const value = signatures.map((one) => {
    const found = known.find(({ signature }) => signature === one);
    const oldest = blockUpTo(state, view.height).height - BLOCKHASH_LIFETIME;
    if (!found || (!hasHistory && blockUpTo(state, found.slot).height < oldest)) return null;
    const isFinal = found.slot <= state.finalSlot;
    const confirmations = isFinal ? null : view.height - found.slot;
    const status = isFinal ? 'finalized' : 'confirmed';
    return { slot: found.slot, confirmations, err: found.err, confirmationStatus: status };
  });
  return { context: { slot: view.height }, value };
}

/** Accounts and sending. */
function stateResult(seen: Seen, method: string, [first, second]: readonly unknown[], options: Options): unknown {
  const { state, newest } = seen;
  const context = { slot: newest };
  switch (method) {
    case 'getMultipleAccounts':
      return { context, value: (first as string[]).map((key) => accountResult(seen, key, options)) };
    case 'getTokenAccountsByOwner': {
      const wanted = (second as { readonly programId: string }).programId === TOKEN_PROGRAM;
      const held = wanted
        ? state.ledger.accounts().filter((key) => state.ledger.at(key, seen.shared)?.owner === first)
        : [];
      return { context, value: held.map((pubkey) => ({ pubkey, account: accountResult(seen, pubkey, options) })) };
    }
    case 'getBalance':
      return { context, value: lamportsOf(state, first as string, seen.shared) };
    case 'getMinimumBalanceForRentExemption':
      return ((first as number) + HEADER_BYTES) * RENT_PER_BYTE;
    case 'getRecentPrioritizationFees':
      return [{ slot: newest, prioritizationFee: Number(UNIT_PRICE * state.fees) }];
    case 'simulateTransaction':
      return { context, value: { err: tried(seen, first as string), unitsConsumed: UNITS } };
    case 'sendTransaction': {
      const taken = state.submit(first as string);
      return 'signature' in taken ? taken.signature : refusal(-32003, taken.error);
    }
    default:
      return null;
  }
}

/** The error with which a sweep would fail, or null. Payments of the refund wallet are not tried. */
function tried({ state, shared }: Seen, bytes: string): object | string | null {
  const wire = readWire(bytes);
  const sweep = wire && wire.message.staticKeys[0] !== state.wallet ? sweepOf(wire) : null;
  if (!sweep) return null;
  const coin = lamportsOf(state, sweep.feePayer, shared) - sweep.signed.fee;
  return coin < 0 ? 'InsufficientFundsForFee' : runSweep(state, sweep, { slot: shared, coin }).error;
}

function accountResult({ state, shared }: Seen, key: string, { dataSlice }: Options): object | null {
  const account = (owner: string, lamports: number, whole: Buffer): object => {
    const data = dataSlice ? whole.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length) : whole;
    return {
      lamports,
      owner,
      executable: false,
      rentEpoch: 0,
      space: whole.length,
      data: [data.toString('base64'), 'base64'],
    };
  };
  if (key === state.wallet || state.gifts.has(key))
    return account(SYSTEM_PROGRAM, lamportsOf(state, key, shared), Buffer.alloc(0));
  if (state.nonces.has(key)) return account(SYSTEM_PROGRAM, RENT, nonceData(state, key, shared) ?? Buffer.alloc(0));
  if (state.contracts.has(key)) return account(LOADER, RENT, Buffer.alloc(1));
  const mint = Object.values(state.spec.tokens).find(({ contract }) => contract === key);
  if (mint) return account(TOKEN_PROGRAM, RENT, mintData(mint.decimals));
  const held = state.ledger.at(key, shared);
  return held ? account(TOKEN_PROGRAM, RENT, accountData({ ...held, frozen: isFrozen(state, held) })) : null;
}

/** A token is paused by freezing the refund wallet's account. */
const isFrozen = ({ refused, wallet }: SolanaState, { mint, owner }: TokenState): boolean =>
  owner === wallet ? isPaused(refused, mint) : isBlocked(refused, mint, owner);
