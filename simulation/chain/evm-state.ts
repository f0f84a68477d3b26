// The state of a simulated EVM chain, and what can be computed from its blocks: balances, coins, nonces and code after a block.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainTransfer, Movement, Payment } from './chain';
import type { Instance, SignedCall, SignedDelegation } from './evm-calls';

/** What a refund wallet with plenty of each token has at first, in whole tokens. */
export const PLENTY = 1_000_000n;
/** Coins that the refund wallet has at first. */
const COINS = 1_000_000n;
const GAS_OF_TRANSFER = 63_000n;
export const GWEI = 10n ** 9n;

/** Wei per gas in quiet times. */
export const basePrice = (spec: NetworkSpec): bigint => (spec.family === 'evm' && spec.hasBaseFee ? GWEI : GWEI / 10n);

/** A transaction. `nonce` is null for customers, who are not followed. */
export type EvmTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly nonce: number | null;
  readonly gasPrice: bigint;
  readonly call: { readonly kind: 'tokens'; readonly movement: Payment } | SignedCall;
  /** Absent for transactions that cost nothing. */
  readonly gasLimit?: bigint;
  readonly delegations?: readonly SignedDelegation[];
};
/** What a transaction did in its block. After a reorganisation it may do something else. */
type Effects = {
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly moved: readonly Movement[];
  /** The places of the payouts of a batch that it left out. */
  readonly skipped: readonly number[];
  /** Those that took effect, also when the call failed. */
  readonly delegated: readonly SignedDelegation[];
  readonly created: Instance | null;
  /** Wei for the recipient. */
  readonly value: bigint;
};
export type MinedTransaction = EvmTransaction & Effects;
export const NO_EFFECT: Effects = {
  ...{ succeeded: false, gasUsed: GAS_OF_TRANSFER, moved: [], skipped: [], delegated: [], created: null, value: 0n },
};
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
  /** What the mempool replaced by a transaction with the same nonce. A node that missed the newer one still has it. */
  replaced: EvmTransaction[];
  readonly wallet: string;
  /** What the wallet has of each token at first, in whole tokens. */
  readonly funds: bigint;
  finalNumber: number;
  fees: bigint;
  /** What issuers refuse (refusals.ts). */
  readonly refused: Set<string>;
  /** Addresses with code. */
  readonly contracts: Set<string>;
  /** Wallets that delegate to a contract (EIP-7702). */
  readonly delegated: Set<string>;
  /** Coin that addresses got from outside, in wei. */
  readonly gifts: Map<string, bigint>;
  /** Addresses whose coin is elsewhere for a while. */
  readonly penniless: Set<string>;
  readonly submit: (raw: string) => { readonly hash: string } | { readonly error: string };
};

/** What was read of a chain through a block. A block and all below it never change: a reorganisation makes new ones. */
const known = new WeakMap<EvmBlock, readonly ChainTransfer[]>();

/** The transfers up to a block, which the checks read hundreds of times after each step. */
export function transfersThrough({ blocks }: EvmState, through: number): readonly ChainTransfer[] {
  const last = blocks[Math.min(through, blocks.length - 1)];
  if (!last) return [];
  const transfers = known.get(last) ?? transfersOf(blocks.slice(0, through + 1));
  known.set(last, transfers);
  return transfers;
}

const transfersOf = (blocks: readonly EvmBlock[]): ChainTransfer[] =>
  blocks.flatMap(({ number, time, transactions }) =>
    transactions.flatMap(({ hash, moved }) =>
      moved.map(({ token, payer, recipient, amount }, ordinal) => ({
        ...{ hash, ordinal, token, payer, recipient, amount, blockNumber: number, blockTime: time },
      })),
    ),
  );

/** A token's balance after a block. Only the refund wallet has one from the beginning; customers never run out. */
export function balanceAt(
  state: EvmState,
  { token, address, block }: { token: string; address: string; block: number },
) {
  const decimals = Object.values(state.spec.tokens).find(({ contract }) => contract === token)?.decimals ?? 0;
  let amount = address === state.wallet ? state.funds * 10n ** BigInt(decimals) : 0n;
  for (const { moved } of minedUntil(state, block)) {
    for (const one of moved) {
      if (one.token !== token) continue;
      if (one.recipient === address) amount += one.amount;
      if (one.payer === address && (address === state.wallet || amount >= one.amount)) amount -= one.amount;
    }
  }
  return amount;
}

/** Most blocks are empty, and this is asked often. */
export function minedUntil({ blocks }: EvmState, block: number): MinedTransaction[] {
  const mined: MinedTransaction[] = [];
  for (let number = 0; number <= block && number < blocks.length; number++)
    for (const one of blocks[number]?.transactions ?? []) mined.push(one);
  return mined;
}

/** Customers and the operator's own tools are not followed, so their fees are not either. */
export const feeOf = ({ gasPrice, gasUsed, gasLimit }: MinedTransaction): bigint =>
  gasLimit === undefined ? 0n : gasPrice * gasUsed;

/** Wei of an address after a block. Only the refund wallet has some from the beginning. */
export function coinAt(state: EvmState, address: string, block: number): bigint {
  if (state.penniless.has(address)) return 0n;
  const first = address === state.wallet ? COINS * 10n ** 18n : 0n;
  return minedUntil(state, block).reduce(
    (sum, one) => sum - (one.from === address ? feeOf(one) + one.value : 0n) + (one.to === address ? one.value : 0n),
    first + (state.gifts.get(address) ?? 0n),
  );
}

/** Whether a transaction counts in the nonce of its sender: customers are not followed, deposit addresses are. */
const isCounted = ({ nonce, call }: EvmTransaction): boolean =>
  nonce !== null || (call.kind === 'tokens' && call.movement.needsFunds === true);

/** The next account nonce after a block. */
export const nonceAt = (state: EvmState, address: string, block: number): number =>
  minedUntil(state, block).reduce(
    (count, one) =>
      count +
      Number(one.from === address && isCounted(one)) +
      one.delegated.filter(({ authority }) => authority === address).length,
    0,
  );

/** The contract of this address after a block, if it is one of those that deposit addresses delegate to. */
export const instanceAt = (state: EvmState, address: string, block: number): Instance | null =>
  minedUntil(state, block).find(({ created }) => created?.address === address)?.created ?? null;

/** The contract that an address delegates to after a block. */
export const delegateAt = (state: EvmState, address: string, block: number): string | null =>
  minedUntil(state, block)
    .flatMap(({ delegated }) => delegated)
    .findLast(({ authority }) => authority === address)?.delegate ??
  (state.delegated.has(address) ? `0x${'de'.repeat(20)}` : null);
