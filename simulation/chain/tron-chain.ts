// A simulated TRON chain in memory: blocks three seconds apart, finality eighteen blocks behind as the product requires it,
// reorganisations above it, and signed transactions with their expiry, reference block and fee limit.

import { createHash } from 'node:crypto';
import type { NetworkSpec } from '@/lib/networks/networks';
import { toBase58 } from '@/sandbox/chains/tron/address';
import { MalformedMessage } from '@/sandbox/chains/tron/protobuf';
import { readTransactionBytes, signerOf, type Transaction } from '@/sandbox/chains/tron/transaction';
import { blockId, type TronBlock } from '@/testing/tron/tron-shapes';
import { movementsOf, type ChainTransfer, type SentTransaction, type SimulatedChain } from './chain';
import { refusalsIn } from './refusals';
import { openTokenBook } from './token-book';
import { accountsAt } from './tron-accounts';
import { answerTron } from './tron-answers';
import { executeSweep, minedOf } from './tron-execution';
import { isStrangers, takeWaiting, tip, type TronState, type TronWaiting } from './tron-state';
import { waitingOf } from './tron-orders';

/** One call of `mine` makes so many, so that finality takes about as long as on the real network. */
const BLOCKS_AT_ONCE = 4;
const BLOCK_MS = 3000;
/** The contract through which relayers pay. */
const RELAY = toBase58(`41${'c0'.repeat(20)}`);

type Options = {
  readonly spec: NetworkSpec;
  /** The refund wallet. */
  readonly wallet: string;
  readonly unixSeconds: number;
  readonly listsTransfers: boolean;
};

export function openTronChain({ spec, wallet, unixSeconds, listsTransfers }: Options): SimulatedChain & {
  readonly contracts: Set<string>;
} {
  const finalDepth = spec.confirmations - 1;
  let counted = 0;
  const next = (): string => `${spec.network} ${counted++}`;
  const genesis = { number: 0, id: blockId(0, next()), parentHash: '0'.repeat(64), time: unixSeconds * 1000 };
  const state: TronState = {
    ...{ spec, wallet, listsTransfers, blocks: [{ ...genesis, transactions: [] }], book: openTokenBook() },
    ...{ mined: new Map(), sweeps: [], waiting: [], finalNumber: 0, fees: 1n, contracts: new Set<string>() },
    ...{ gifts: new Map<string, bigint>(), stakes: new Map<string, bigint>(), penniless: new Set<string>() },
    refused: new Set<string>(),
    submit: (bytes) => submit(state, bytes),
  };
  const height = (): number => state.blocks.length - 1;
  const append = (time: number, taken: readonly TronWaiting[]): void =>
    appendBlock(state, { time, taken, seed: next() });
  return {
    ...{ network: spec.network, spec, height, contracts: state.contracts, ...refusalsIn(state.refused) },
    pay: (movement) => {
      const id = createHash('sha256').update(next()).digest('hex');
      const owner = movement.by ?? movement.payer;
      const contract = movement.by === undefined ? movement.token : RELAY;
      state.waiting.push({ id, owner, contract, movement, order: null, signed: null });
      return id;
    },
    mine: (time) => {
      // What waits lands in the newest block, so that the shortest reorganisation removes it.
      for (let left = BLOCKS_AT_ONCE - 1; left >= 0; left--) {
        append(time * 1000 - left * BLOCK_MS, left === 0 ? takeWaiting(state, next()) : []);
      }
      state.finalNumber = Math.max(state.finalNumber, height() - finalDepth);
    },
    reorg: (wanted, isDropped) => {
      const depth = Math.min(wanted, height() - state.finalNumber);
      if (depth <= 0) return 0;
      const gone = state.blocks.splice(-depth);
      const removed = [...state.mined.values()].filter(({ block }) => block.number > height());
      for (const { own } of removed) state.mined.delete(own.id);
      state.sweeps = state.sweeps.filter(({ block }) => block.number <= height());
      state.book.removeAbove(height());
      state.waiting = [...removed.map(({ from }) => from).filter(({ id }) => !isDropped(id)), ...state.waiting];
      for (const { time } of gone) append(time, []);
      return depth;
    },
    dropWaiting: () => {
      const { length } = state.waiting;
      state.waiting = [];
      return length;
    },
    final: () => state.finalNumber,
    transfers: (through) => state.book.through(through),
    sent: () => sentOn(state),
    penniless: state.penniless,
    giveCoin: (address, amount) => void state.gifts.set(address, (state.gifts.get(address) ?? 0n) + amount),
    stake: (address, amount) => void state.stakes.set(address, amount),
    lent: (address) => accountsAt(state, state.finalNumber).borrowers(address),
    setFees: (factor) => void (state.fees = factor),
    answer: (view, method, params) => answerTron(state, view, method, params),
  };
}

type Appended = { readonly time: number; readonly taken: readonly TronWaiting[]; readonly seed: string };

function appendBlock(state: TronState, { time: wanted, taken, seed }: Appended): void {
  const parent = tip(state);
  const number = parent.number + 1;
  const time = Math.max(wanted, parent.time + 1);
  const block: TronBlock = { number, id: blockId(number, seed), parentHash: parent.id, time, transactions: [] };
  state.blocks.push(block);
  for (const from of taken) {
    const found = minedOf(state, from);
    if (!found) continue;
    const { own, effects } = found;
    block.transactions.push(own);
    if (isStrangers(from)) continue;
    state.mined.set(own.id, { block, own, before: parent.time, from });
    if (effects) state.sweeps.push({ block, own, from, effects });
    if (own.result === 'SUCCESS') for (const transfer of transfersOf(block, from)) state.book.add(transfer);
  }
}

const transfersOf = ({ number, time }: TronBlock, { id, movement }: TronWaiting): ChainTransfer[] =>
  (movement ? movementsOf(movement) : []).map(({ token, payer, recipient, amount }, ordinal) => ({
    ...{ hash: id, ordinal, token, payer, recipient, amount },
    ...{ blockNumber: number, blockTime: Math.floor(time / 1000) },
  }));

/** The transactions of sweeps, for the checks. */
function sentOn({ sweeps, waiting }: TronState): readonly SentTransaction[] {
  const mined = sweeps.map(({ own: { id, result }, block, from, effects: { fee } }) => ({
    ...{ hash: id, from: from.owner, nonce: 0, blockNumber: block.number },
    cost: fee + (from.order?.kind === 'coin' ? from.order.amount : 0n),
    moved: result === 'SUCCESS' && from.movement ? movementsOf(from.movement) : [],
  }));
  const left = waiting
    .filter(({ order }) => order !== null)
    .map(({ id, owner }) => ({ hash: id, from: owner, nonce: 0, blockNumber: null, cost: 0n, moved: [] }));
  return [...mined, ...left];
}

/** Takes signed bytes into the pool, as java-tron does. */
function submit(state: TronState, bytes: string): { readonly id: string } | { readonly code: string } {
  const transaction = read(bytes);
  if (transaction === null) return { code: 'OTHER_ERROR' };
  const { id, owner, expiration, signatures } = transaction;
  if (state.mined.has(id) || state.waiting.some((one) => one.id === id)) return { code: 'DUP_TRANSACTION_ERROR' };
  if (signerOf(id, signatures[0] ?? '') !== owner) return { code: 'SIGERROR' };
  if (!isOnThisChain(state, transaction)) return { code: 'TAPOS_ERROR' };
  if (expiration <= tip(state).time) return { code: 'TRANSACTION_EXPIRATION_ERROR' };
  const from = waitingOf(state, transaction);
  if (from === null) return { code: 'CONTRACT_VALIDATE_ERROR' };
  if (from.order !== null && executeSweep(state, from, tip(state).number) === null)
    return { code: from.order.kind === 'token' ? 'BANDWITH_ERROR' : 'CONTRACT_VALIDATE_ERROR' };
  state.waiting.push(from);
  return { id };
}

/** Null for bytes that are no transaction. */
function read(bytes: string): Transaction | null {
  try {
    return readTransactionBytes(Buffer.from(bytes, 'hex'));
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}

/** A transaction names a block by the end of its number and a part of its id. */
function isOnThisChain(state: TronState, { refBlockBytes, refBlockHash }: Transaction): boolean {
  const newest = tip(state).number;
  const referred = state.blocks[newest - ((newest - Number.parseInt(refBlockBytes, 16)) & 0xffff)];
  return referred?.id.slice(16, 32) === refBlockHash;
}
