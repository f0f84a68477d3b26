// The state of a simulated TRON chain, and what a block of it holds: every transaction that waits and has not expired.

import type { NetworkSpec } from '@/lib/networks/networks';
import { mined, sha256, transferLog, type TronBlock, type TronMined } from '@/testing/tron/tron-shapes';
import { movementsOf, type Payment } from './chain';
import { isRefused } from './refusals';
import type { TokenBook } from './token-book';

/** What the refund wallet has at first, in whole tokens and TRX. */
const FUNDS = 1_000_000n;
const SUN = 1_000_000n;
/** What a token transfer takes, and the sun for a unit of it in quiet times. */
export const ENERGY = 65_000;
export const ENERGY_PRICE = 100n;
/** What `infoOf` reports of every transaction. */
const FEE = 345_000n;

/** A transaction that waits. `signed` is null for customers, who are not followed. */
export type TronWaiting = {
  readonly id: string;
  /** Addresses as written (T…). */
  readonly owner: string;
  readonly contract: string;
  readonly movement: Payment;
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

export type TronState = {
  readonly spec: NetworkSpec;
  readonly blocks: TronBlock[];
  readonly book: TokenBook;
  /** By id. */
  readonly mined: Map<string, TronPlace>;
  waiting: TronWaiting[];
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

/** The refund wallet's transactions up to a block. */
export const ownOf = ({ mined: all, wallet }: TronState, through: number): readonly TronPlace[] =>
  [...all.values()].filter(({ own, block }) => own.owner === wallet && block.number <= through);

export const walletSun = (state: TronState, through: number): bigint =>
  FUNDS * SUN - FEE * BigInt(ownOf(state, through).length);

/** A block's transactions: those of the queue, and one of strangers, as in every block of the main chain. */
export function takeWaiting(state: TronState, seed: string): { readonly from: TronWaiting; readonly own: TronMined }[] {
  const parentTime = tip(state).time;
  const taken = state.waiting.filter(({ signed }) => signed === null || signed.expiration > parentTime);
  state.waiting = [];
  const strangers = strangersPayment(state.spec, seed);
  return [strangers, ...taken].map((from) => ({ from, own: minedOf(state, from) }));
}

function minedOf(state: TronState, { id, owner, contract, movement, signed }: TronWaiting): TronMined {
  const { fails } = movement;
  const logs = movementsOf(movement).map(({ token, payer, recipient, amount }) =>
    transferLog(token, payer, recipient, amount),
  );
  const isOverLimit = signed !== null && BigInt(ENERGY) * ENERGY_PRICE * state.fees > signed.feeLimit;
  const isReverted = fails || isRefused(state.refused, movement);
  const result = isReverted ? 'REVERT' : isOverLimit ? 'OUT_OF_ENERGY' : 'SUCCESS';
  return mined({ owner, contract, result, logs }, id);
}

/** Two addresses that belong to no party of a history. */
const [ONE, OTHER] = ['TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre', 'TVy95wrbDgQ8NA3XT8qKqwC6YBsFTPHtFF'];

/** By a transfer in a recent block, the adapter proves that an endpoint lists transfers. */
function strangersPayment({ tokens }: NetworkSpec, seed: string): TronWaiting {
  const token = tokens.USDT?.contract ?? '';
  const movement = { token, payer: ONE, recipient: OTHER, amount: 1n };
  return { id: sha256(`strangers ${seed}`), owner: ONE, contract: token, movement, signed: null };
}

export const isStrangers = ({ owner }: TronWaiting): boolean => owner === ONE;
