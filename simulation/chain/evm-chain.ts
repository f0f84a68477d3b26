// A simulated EVM chain in memory: blocks with token transfers, account nonces, a mempool with replacement, finality at a
// fixed depth, and reorganisations above it. Hashes are counted, so the same history has the same hashes.

import { createHash } from 'node:crypto';
import { Interface } from 'ethers/abi';
import { Transaction } from 'ethers/transaction';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Movement, SimulatedChain } from './chain';
import { DELEGATED } from '@/simulation/parties';
import { answerEvm } from './evm-answers';
import { isRefused, refusalsIn } from './refusals';
import {
  balanceAt,
  basePrice,
  GWEI,
  nonceAt,
  PLENTY,
  transfersOf,
  type EvmBlock,
  type EvmState,
  type EvmTransaction,
  type MinedTransaction,
} from './evm-state';

const erc20 = new Interface(['function transfer(address to, uint256 amount)']);
type Options = {
  readonly spec: NetworkSpec;
  /** Blocks between the newest and the newest final one. */
  readonly finalDepth: number;
  /** The refund wallet, and what it has of each token at first, in whole tokens. */
  readonly wallet: string;
  readonly funds?: bigint;
  readonly unixSeconds: number;
};

export function openEvmChain({ spec, finalDepth, wallet, funds = PLENTY, unixSeconds }: Options): SimulatedChain & {
  readonly contracts: Set<string>;
} {
  let counted = 0;
  const newHash = (): string => `0x${createHash('sha256').update(`${spec.network} ${counted++}`).digest('hex')}`;
  const genesis = {
    number: 0,
    hash: newHash(),
    parentHash: `0x${'0'.repeat(64)}`,
    time: unixSeconds,
    transactions: [],
  };
  const state: EvmState = {
    ...{
      spec,
      wallet,
      funds,
      blocks: [genesis],
      waiting: [],
      replaced: [],
      finalNumber: 0,
      fees: 1n,
      contracts: new Set<string>(),
      delegated: new Set([DELEGATED]),
      refused: new Set<string>(),
    },
    submit: (raw) => submit(state, raw),
  };
  const height = (): number => state.blocks.length - 1;
  return {
    ...{ network: spec.network, spec, height, contracts: state.contracts, ...refusalsIn(state.refused) },
    pay: (movement) => {
      const from = movement.by ?? movement.payer;
      const to = movement.by === undefined ? movement.token : `0x${'c0'.repeat(20)}`;
      const hash = newHash();
      state.waiting.push({ hash, from, to, nonce: null, gasPrice: GWEI, movement });
      return hash;
    },
    withdraw: (hash) => {
      const { length } = state.waiting;
      state.waiting = state.waiting.filter((one) => one.hash !== hash);
      return state.waiting.length < length;
    },
    restoreReplaced: () => restoreReplaced(state),
    mine: (time) => {
      const parent = state.blocks.at(-1) as EvmBlock;
      const transactions = takeWaiting(state);
      state.blocks.push({
        ...{ number: parent.number + 1, hash: newHash(), parentHash: parent.hash, transactions },
        time: Math.max(time, parent.time),
      });
      state.finalNumber = Math.max(state.finalNumber, height() - finalDepth);
    },
    reorg: (wanted, isDropped) => {
      const depth = Math.min(wanted, height() - state.finalNumber);
      if (depth <= 0) return 0;
      const gone = state.blocks.splice(state.blocks.length - depth, depth);
      const back = gone.flatMap(({ transactions }) => transactions).filter(({ hash }) => !isDropped(hash));
      state.waiting = [...back, ...state.waiting];
      return depth;
    },
    dropWaiting: () => {
      const { length } = state.waiting;
      state.waiting = [];
      return length;
    },
    final: () => state.finalNumber,
    transfers: (through) => transfersOf(state.blocks.slice(0, through + 1)),
    setFees: (factor) => void (state.fees = factor),
    answer: (view, method, params) => answerEvm(state, view, method, params),
  };
}

/** Takes signed bytes into the mempool, as a node does. */
function submit(state: EvmState, raw: string): { readonly hash: string } | { readonly error: string } {
  const signed = Transaction.from(raw);
  const { hash, from, to, nonce, maxFeePerGas } = signed;
  if (hash === null || from === null || to === null) return { error: 'invalid transaction' };
  const [sender, token] = [from.toLowerCase(), to.toLowerCase()];
  if (nonce < nonceAt(state, sender, state.blocks.length - 1)) return { error: 'nonce too low' };
  const gasPrice = maxFeePerGas ?? signed.gasPrice ?? 0n;
  const rival = state.waiting.find((one) => one.from === sender && one.nonce === nonce);
  if (rival?.hash === hash) return { error: 'already known' };
  if (rival && gasPrice * 10n < rival.gasPrice * 11n) return { error: 'replacement transaction underpriced' };
  const [recipient, amount] = erc20.decodeFunctionData('transfer', signed.data) as unknown as [string, bigint];
  const movement = { token, payer: sender, recipient: recipient.toLowerCase(), amount };
  if (rival) state.replaced.push(rival);
  state.waiting = state.waiting.filter((one) => one !== rival);
  state.waiting.push({ hash, from: sender, to: token, nonce, gasPrice, movement });
  return { hash };
}

/** Puts the first variants of waiting transactions in their place. */
function restoreReplaced(state: EvmState): number {
  const firstOf = ({ from, nonce }: EvmTransaction): EvmTransaction | undefined =>
    nonce === null ? undefined : state.replaced.find((one) => one.from === from && one.nonce === nonce);
  const restored = state.waiting.filter((one) => firstOf(one) !== undefined).length;
  state.waiting = state.waiting.map((one) => firstOf(one) ?? one);
  return restored;
}

/** Removes from the mempool what the next block takes: everything with the next nonce of its sender. */
function takeWaiting(state: EvmState): MinedTransaction[] {
  const next = new Map<string, number>();
  const taken: MinedTransaction[] = [];
  const left: EvmTransaction[] = [];
  /** What the wallet can still pay of each token in this block. */
  const funds = new Map<string, bigint>();
  const isCovered = ({ payer, token, amount }: Movement): boolean => {
    if (payer !== state.wallet) return true;
    const held = funds.get(token) ?? balanceAt(state, { token, address: payer, block: state.blocks.length - 1 });
    if (held >= amount) funds.set(token, held - amount);
    return held >= amount;
  };
  const inOrder = state.waiting.toSorted((one, other) => (one.nonce ?? 0) - (other.nonce ?? 0));
  for (const one of inOrder) {
    const { from, nonce } = one;
    const expected = next.get(from) ?? nonceAt(state, from, state.blocks.length - 1);
    if (nonce !== null && nonce < expected) continue;
    if (nonce !== null && (nonce > expected || one.gasPrice < basePrice(state.spec) * state.fees)) {
      left.push(one);
      continue;
    }
    if (nonce !== null) next.set(from, expected + 1);
    const { movement } = one;
    const succeeded = movement.fails !== true && !isRefused(state.refused, movement) && isCovered(movement);
    taken.push({ ...one, succeeded });
  }
  state.waiting = left;
  return taken;
}
