// A simulated EVM chain in memory: blocks with token transfers, account nonces, a mempool with replacement, finality at a
// fixed depth, and reorganisations above it. Hashes are counted, so the same history has the same hashes.

import { createHash } from 'node:crypto';
import { Interface } from 'ethers/abi';
import { Transaction } from 'ethers/transaction';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainTransfer, Payment, SimulatedChain } from './chain';
import { answerEvm } from './evm-answers';

const erc20 = new Interface(['function transfer(address to, uint256 amount)']);
/** What the refund wallet has at first, in whole tokens and coins. */
const FUNDS = 1_000_000n;
export const GAS_USED = 63_000n;
const GWEI = 10n ** 9n;

/** Wei per gas in quiet times. */
export const basePrice = (spec: NetworkSpec): bigint => (spec.family === 'evm' && spec.hasBaseFee ? GWEI : GWEI / 10n);

/** A transaction. `nonce` is null for customers, who are not followed. */
export type EvmTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly nonce: number | null;
  readonly gasPrice: bigint;
  readonly movement: Payment;
};
export type MinedTransaction = EvmTransaction & { readonly succeeded: boolean };
export type EvmBlock = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
  readonly transactions: readonly MinedTransaction[];
};

export type EvmState = {
  readonly spec: NetworkSpec;
  readonly blocks: EvmBlock[];
  waiting: EvmTransaction[];
  readonly wallet: string;
  finalNumber: number;
  fees: bigint;
  /** Addresses with code. */
  readonly contracts: Set<string>;
  readonly submit: (raw: string) => { readonly hash: string } | { readonly error: string };
};

type Options = {
  readonly spec: NetworkSpec;
  /** Blocks between the newest and the newest final one. */
  readonly finalDepth: number;
  /** The refund wallet. */
  readonly wallet: string;
  readonly unixSeconds: number;
};

export function openEvmChain({ spec, finalDepth, wallet, unixSeconds }: Options): SimulatedChain & {
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
    ...{ spec, wallet, blocks: [genesis], waiting: [], finalNumber: 0, fees: 1n, contracts: new Set<string>() },
    submit: (raw) => submit(state, raw),
  };
  const height = (): number => state.blocks.length - 1;
  return {
    ...{ network: spec.network, spec, height, contracts: state.contracts },
    pay: (movement) => {
      const from = movement.by ?? movement.payer;
      const to = movement.by === undefined ? movement.token : `0x${'c0'.repeat(20)}`;
      const hash = newHash();
      state.waiting.push({ hash, from, to, nonce: null, gasPrice: GWEI, movement });
      return hash;
    },
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
    newestTime: () => (state.blocks.at(-1) as EvmBlock).time,
    transfers: (through) => transfersOf(state.blocks.slice(0, through + 1)),
    setFees: (factor) => void (state.fees = factor),
    answer: (view, method, params) => answerEvm(state, view, method, params),
  };
}

export const transfersOf = (blocks: readonly EvmBlock[]): ChainTransfer[] =>
  blocks.flatMap(({ number, time, transactions }) =>
    transactions
      .filter(({ succeeded }) => succeeded)
      .map(({ hash, movement: { token, payer, recipient, amount } }) => ({
        ...{ hash, ordinal: 0, token, payer, recipient, amount, blockNumber: number, blockTime: time },
      })),
  );

/** A token's balance after a block. Only the refund wallet has one from the beginning; customers never run out. */
export function balanceAt(
  state: EvmState,
  { token, address, block }: { token: string; address: string; block: number },
) {
  const decimals = Object.values(state.spec.tokens).find(({ contract }) => contract === token)?.decimals ?? 0;
  let amount = address === state.wallet ? FUNDS * 10n ** BigInt(decimals) : 0n;
  for (const one of transfersOf(state.blocks.slice(0, block + 1))) {
    if (one.token !== token) continue;
    if (one.recipient === address) amount += one.amount;
    if (one.payer === address && (address === state.wallet || amount >= one.amount)) amount -= one.amount;
  }
  return amount;
}

/** Wei of the refund wallet after a block. Everybody else has plenty. */
export const coinAt = (state: EvmState, address: string, block: number): bigint => {
  const paid = state.blocks
    .slice(0, block + 1)
    .flatMap(({ transactions }) => transactions)
    .filter(({ from }) => from === address)
    .reduce((sum, { gasPrice }) => sum + gasPrice * GAS_USED, 0n);
  return FUNDS * 10n ** 18n - paid;
};

/** The next account nonce after a block. */
export const nonceAt = (state: EvmState, address: string, block: number): number =>
  state.blocks
    .slice(0, block + 1)
    .flatMap(({ transactions }) => transactions)
    .filter(({ from, nonce }) => nonce !== null && from === address).length;

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
  state.waiting = state.waiting.filter((one) => one !== rival);
  state.waiting.push({ hash, from: sender, to: token, nonce, gasPrice, movement });
  return { hash };
}

/** Removes from the mempool what the next block takes: everything with the next nonce of its sender. */
function takeWaiting(state: EvmState): MinedTransaction[] {
  const next = new Map<string, number>();
  const taken: MinedTransaction[] = [];
  const left: EvmTransaction[] = [];
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
    taken.push({ ...one, succeeded: one.movement.fails !== true });
  }
  state.waiting = left;
  return taken;
}
