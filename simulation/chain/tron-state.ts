// The state of a simulated TRON chain, and what a block of it holds: every transaction that waits and has not expired.

import type { NetworkSpec } from '@/lib/networks/networks';
import { sha256, type TronBlock, type TronMined } from '@/testing/tron/tron-shapes';
import type { Payment } from './chain';
import type { TokenBook } from './token-book';

/** What the refund wallet has at first, in whole tokens and TRX. */
const FUNDS = 1_000_000n;
const SUN = 1_000_000n;
/** What a token transfer takes, and the sun for a unit of it in quiet times. */
export const ENERGY = 65_000;
export const ENERGY_PRICE = 100n;
/** What `infoOf` reports of every transaction. */
const FEE = 345_000n;

/** What the transaction of a sweep is for. Amounts in sun. */
export type TronOrder =
  | { readonly kind: 'activate'; readonly to: string }
  | { readonly kind: 'coin' | 'delegate' | 'undelegate'; readonly to: string; readonly amount: bigint }
  /** Its movement. */
  | { readonly kind: 'token' };

/** A transaction that waits. `signed` is null for customers, who are not followed, and `order` for all but sweeps. */
export type TronWaiting = {
  readonly id: string;
  /** Addresses as written (T…). */
  readonly owner: string;
  /** Null for a transaction that calls no contract, and so is its movement. */
  readonly contract: string | null;
  readonly movement: Payment | null;
  /** The name of its type; absent for calls of contracts. */
  readonly type?: string;
  readonly order: TronOrder | null;
  /** `expiration` in milliseconds, `feeLimit` in sun. */
  readonly signed: { readonly expiration: number; readonly feeLimit: bigint } | null;
};

/** Where a transaction is. `before` is the time of the block before its own, in milliseconds. */
export type TronPlace = {
  readonly block: TronBlock;
  readonly own: TronMined;
  readonly before: number;
  readonly from: TronWaiting;
};

/** Energy of a stake, or the bandwidth that every account has for free. */
export type Resource = 'ENERGY' | 'FREE';

/** Sun that an account lends to another one, or takes back where it is below zero. */
type Lending = { readonly from: string; readonly to: string; readonly amount: bigint };

/** What the transaction of a sweep did to accounts. */
export type TronEffects = {
  /** Sun that was burned. */
  readonly fee: bigint;
  /** Sun that addresses got; below zero for those that paid. */
  readonly coin: readonly { readonly address: string; readonly amount: bigint }[];
  readonly activated: string | null;
  readonly lent: Lending | null;
  /** Below zero where usage returns to a lender. */
  readonly used: readonly { readonly address: string; readonly what: Resource; readonly amount: number }[];
};

/** A transaction of a sweep in a block. */
type TronSweep = Omit<TronPlace, 'before'> & { readonly effects: TronEffects };

export type TronState = {
  readonly spec: NetworkSpec;
  readonly blocks: TronBlock[];
  readonly book: TokenBook;
  /** By id. */
  readonly mined: Map<string, TronPlace>;
  /** Those of sweeps, in the order of the chain. */
  sweeps: TronSweep[];
  waiting: TronWaiting[];
  /** Coin that addresses got from outside, in sun. Such an account exists from the beginning. */
  readonly gifts: Map<string, bigint>;
  /** Sun that accounts have frozen for energy. */
  readonly stakes: Map<string, bigint>;
  /** Addresses whose coin is elsewhere for a while. */
  readonly penniless: Set<string>;
  readonly wallet: string;
  finalNumber: number;
  /** Multiplies the price of energy. */
  fees: bigint;
  readonly contracts: Set<string>;
  /** What issuers refuse (refusals.ts). */
  readonly refused: Set<string>;
  /** Whether its endpoints list transfers by JSON-RPC. Otherwise the product reads every block. */
  readonly listsTransfers: boolean;
  readonly submit: (bytes: string) => { readonly id: string } | { readonly code: string };
};

export const tip = ({ blocks }: TronState): TronBlock => blocks.at(-1) as TronBlock;

/** A token's balance after a block. Only the refund wallet has one from the beginning. */
export function tronBalance(
  { spec, book, wallet }: TronState,
  place: { readonly token: string; readonly address: string; readonly block: number },
): bigint {
  const decimals = Object.values(spec.tokens).find(({ contract }) => contract === place.token)?.decimals ?? 0;
  const first = place.address === wallet ? FUNDS * 10n ** BigInt(decimals) : 0n;
  return first + book.gainedBy(place);
}

/** An account's transactions up to a block. */
export const ownOf = ({ mined: all }: TronState, address: string, through: number): readonly TronPlace[] =>
  [...all.values()].filter(({ own, block }) => own.owner === address && block.number <= through);

export const walletSun = (state: TronState, through: number): bigint =>
  FUNDS * SUN - FEE * BigInt(ownOf(state, state.wallet, through).length);

/** The payment of strangers that is in every block of the main chain, and what waited and has not expired by the block before. */
export function takeWaiting(state: TronState, seed: string): readonly TronWaiting[] {
  const parentTime = tip(state).time;
  const taken = state.waiting.filter(({ signed }) => signed === null || signed.expiration > parentTime);
  state.waiting = [];
  return [strangersPayment(state.spec, seed), ...taken];
}

/** Two addresses that belong to no party of a history. */
const [ONE, OTHER] = ['TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre', 'TVy95wrbDgQ8NA3XT8qKqwC6YBsFTPHtFF'];

/** By a transfer in a recent block, the adapter proves that an endpoint lists transfers. */
function strangersPayment({ tokens }: NetworkSpec, seed: string): TronWaiting {
  const token = tokens.USDT?.contract ?? '';
  const movement = { token, payer: ONE, recipient: OTHER, amount: 1n };
  return { id: sha256(`strangers ${seed}`), owner: ONE, contract: token, movement, order: null, signed: null };
}

export const isStrangers = ({ owner }: TronWaiting): boolean => owner === ONE;
