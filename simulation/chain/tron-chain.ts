// A simulated TRON chain in memory: blocks three seconds apart, finality eighteen blocks behind as the product requires it,
// reorganisations above it, and signed transactions with their expiry, reference block and fee limit.

import { createHash } from 'node:crypto';
import type { NetworkSpec } from '@/lib/networks/networks';
import { fromEvm, readAddress, toBase58 } from '@/sandbox/chains/tron/address';
import { MalformedMessage } from '@/sandbox/chains/tron/protobuf';
import { readTransactionBytes, signerOf, type Transaction } from '@/sandbox/chains/tron/transaction';
import { blockId, type TronBlock } from '@/testing/tron/tron-shapes';
import { movementsOf, type ChainTransfer, type SimulatedChain } from './chain';
import { refusalsIn } from './refusals';
import { openTokenBook } from './token-book';
import { answerTron } from './tron-answers';
import { isStrangers, takeWaiting, tip, type TronState, type TronWaiting } from './tron-state';

/** One call of `mine` makes so many, so that finality takes about as long as on the real network. */
const BLOCKS_AT_ONCE = 4;
const BLOCK_MS = 3000;
/** The contract through which relayers pay. */
const RELAY = toBase58(`41${'c0'.repeat(20)}`);
const TRANSFER = /^a9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;

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
    ...{ mined: new Map(), waiting: [], finalNumber: 0, fees: 1n, contracts: new Set<string>() },
    refused: new Set<string>(),
    submit: (bytes) => submit(state, bytes),
  };
  const height = (): number => state.blocks.length - 1;
  const append = (time: number, taken: ReturnType<typeof takeWaiting>): void =>
    appendBlock(state, { time, taken, seed: next() });
  return {
    ...{ network: spec.network, spec, height, contracts: state.contracts, ...refusalsIn(state.refused) },
    pay: (movement) => {
      const id = createHash('sha256').update(next()).digest('hex');
      const owner = movement.by ?? movement.payer;
      const contract = movement.by === undefined ? movement.token : RELAY;
      state.waiting.push({ id, owner, contract, movement, signed: null });
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
    setFees: (factor) => void (state.fees = factor),
    answer: (view, method, params) => answerTron(state, view, method, params),
  };
}

type Appended = { readonly time: number; readonly taken: ReturnType<typeof takeWaiting>; readonly seed: string };

function appendBlock(state: TronState, { time: wanted, taken, seed }: Appended): void {
  const parent = tip(state);
  const number = parent.number + 1;
  const time = Math.max(wanted, parent.time + 1);
  const transactions = taken.map(({ own }) => own);
  const block: TronBlock = { number, id: blockId(number, seed), parentHash: parent.id, time, transactions };
  state.blocks.push(block);
  for (const { from, own } of taken) {
    if (isStrangers(from)) continue;
    state.mined.set(own.id, { block, own, before: parent.time, from });
    if (own.result === 'SUCCESS') for (const transfer of transfersOf(block, from)) state.book.add(transfer);
  }
}

const transfersOf = ({ number, time }: TronBlock, { id, movement }: TronWaiting): ChainTransfer[] =>
  movementsOf(movement).map(({ token, payer, recipient, amount }, ordinal) => ({
    ...{ hash: id, ordinal, token, payer, recipient, amount },
    ...{ blockNumber: number, blockTime: Math.floor(time / 1000) },
  }));

/** Takes signed bytes into the pool, as java-tron does. */
function submit(state: TronState, bytes: string): { readonly id: string } | { readonly code: string } {
  const transaction = read(bytes);
  if (transaction === null) return { code: 'OTHER_ERROR' };
  const { id, owner, expiration, feeLimit, signatures, value } = transaction;
  if (state.mined.has(id) || state.waiting.some((one) => one.id === id)) return { code: 'DUP_TRANSACTION_ERROR' };
  if (signerOf(id, signatures[0] ?? '') !== owner) return { code: 'SIGERROR' };
  if (!isOnThisChain(state, transaction)) return { code: 'TAPOS_ERROR' };
  if (expiration <= tip(state).time) return { code: 'TRANSACTION_EXPIRATION_ERROR' };
  const [, to, amount] = TRANSFER.exec(String(value.data)) ?? [];
  const contract = readAddress(value.contract_address);
  if (to === undefined || contract === null) return { code: 'CONTRACT_VALIDATE_ERROR' };
  const [token, payer] = [toBase58(contract), toBase58(owner)];
  const movement = { token, payer, recipient: toBase58(fromEvm(`0x${to}`)), amount: BigInt(`0x${amount}`) };
  const signed = { expiration, feeLimit: BigInt(feeLimit) };
  state.waiting.push({ id, owner: payer, contract: token, movement, signed });
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
