// A simulated EVM chain in memory: blocks with token transfers, account nonces, a mempool with replacement, finality at a
// fixed depth, and reorganisations above it. Hashes are counted, so the same history has the same hashes.

import { createHash } from 'node:crypto';
import { Transaction } from 'ethers/transaction';
import type { NetworkSpec } from '@/lib/networks/networks';
import { DELEGATED } from '@/simulation/parties';
import type { SimulatedChain } from './chain';
import { answerEvm } from './evm-answers';
import { delegationsOf, FACTORY, readCall } from './evm-calls';
import { canPay, fillBlock } from './evm-execution';
import {
  GWEI,
  nonceAt,
  PLENTY,
  transfersThrough,
  type EvmBlock,
  type EvmState,
  type EvmTransaction,
} from './evm-state';
import { sentOn } from './evm-sent';
import { refusalsIn } from './refusals';

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
      contracts: new Set([FACTORY]),
      delegated: new Set([DELEGATED]),
      refused: new Set<string>(),
      gifts: new Map<string, bigint>(),
      penniless: new Set<string>(),
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
      state.waiting.push({ hash, from, to, nonce: null, gasPrice: GWEI, call: { kind: 'tokens', movement } });
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
      const block = {
        ...{ number: parent.number + 1, hash: newHash(), parentHash: parent.hash, transactions: [] },
        time: Math.max(time, parent.time),
      };
      state.blocks.push(block);
      fillBlock(state, block);
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
    transfers: (through) => transfersThrough(state, through),
    setFees: (factor) => void (state.fees = factor),
    sent: () => sentOn(state),
    giveCoin: (address, wei) => void state.gifts.set(address, (state.gifts.get(address) ?? 0n) + wei),
    penniless: state.penniless,
    answer: (view, method, params) => answerEvm(state, view, method, params),
  };
}

/** Takes signed bytes into the mempool, as a node does. */
function submit(state: EvmState, raw: string): { readonly hash: string } | { readonly error: string } {
  const signed = Transaction.from(raw);
  const { hash, from, to, nonce, maxFeePerGas, gasLimit } = signed;
  if (hash === null || from === null || to === null) return { error: 'invalid transaction' };
  const [sender, recipient, last] = [from.toLowerCase(), to.toLowerCase(), state.blocks.length - 1];
  if (nonce < nonceAt(state, sender, last)) return { error: 'nonce too low' };
  const gasPrice = maxFeePerGas ?? signed.gasPrice ?? 0n;
  const rival = state.waiting.find((one) => one.from === sender && one.nonce === nonce);
  if (rival?.hash === hash) return { error: 'already known' };
  if (rival && gasPrice * 10n < rival.gasPrice * 11n) return { error: 'replacement transaction underpriced' };
  const read = readCall(recipient, signed.data, signed.value);
  if (read === null) return { error: 'the simulated chain does not know this call' };
  const needsFunds = sender === state.wallet ? {} : { needsFunds: true as const };
  const call =
    read.kind === 'tokens' ? { ...read, movement: { ...read.movement, payer: sender, ...needsFunds } } : read;
  const common = { hash, from: sender, to: recipient, nonce, gasPrice, call, delegations: delegationsOf(signed) };
  const one: EvmTransaction = { ...common, gasLimit };
  if (!canPay(state, one, last)) return { error: 'insufficient funds for gas * price + value' };
  if (rival) state.replaced.push(rival);
  state.waiting = state.waiting.filter((other) => other !== rival);
  state.waiting.push(one);
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
