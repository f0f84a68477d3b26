// The state of a simulated Solana chain: slots, token accounts over time, and transactions with the lamports that they moved.

import type { NetworkSpec } from '@/lib/networks/networks';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import type { MinedTransaction, SolanaLedger } from '@/testing/solana/solana-ledger';
import type { Movement, Payment } from './chain';
import type { TokenBook } from './token-book';

/** What the refund wallet has at first, in whole tokens and SOL. */
export const FUNDS = 1_000_000n;
const LAMPORTS = 1_000_000_000n;
/** What customers hold, in base units, and in lamports. A customer who pays more holds what they pay. */
export const PLENTY = 10n ** 18n;
const CUSTOMERS_LAMPORTS = 10_000_000_000;
/** Lamports of a token account. */
export const RENT = 1_488_440;
/** Blocks for which a transaction may name a blockhash. */
export const BLOCKHASH_LIFETIME = 150;
/** Micro-lamports for a compute unit in quiet times. */
export const UNIT_PRICE = 1000n;

export type SolanaBlock = {
  readonly slot: number;
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly parentSlot: number;
  /** Unix seconds. */
  readonly time: number;
};

/** `nonceAccount`: the blockhash is the value of this durable nonce account. */
type Signed = {
  readonly blockhash: string;
  readonly unitPrice: bigint;
  readonly fee: number;
  readonly nonceAccount?: string;
};
/** A transaction that moves tokens of one owner. `signed` is null for customers, who are not followed. */
export type SolanaPayment = {
  readonly signature: string;
  readonly feePayer: string;
  /** The token account that is paid. */
  readonly destination: string;
  readonly movement: Payment;
  readonly signed: Signed | null;
};

/** What a transaction of a sweep does, in order. */
export type SweepInstruction =
  | { readonly kind: 'open'; readonly account: string; readonly owner: string; readonly mint: string }
  | {
      readonly kind: 'move';
      readonly source: string;
      readonly destination: string;
      readonly owner: string;
      readonly mint: string;
      readonly amount: bigint;
    }
  | { readonly kind: 'close'; readonly account: string; readonly owner: string };

/** `signers`: beside the fee payer. */
export type SolanaSweep = {
  readonly signature: string;
  readonly feePayer: string;
  readonly signers: readonly string[];
  readonly instructions: readonly SweepInstruction[];
  readonly signed: Signed;
};

/** A transaction that waits. */
export type SolanaWaiting = SolanaPayment | SolanaSweep;
export const isSweep = (one: SolanaWaiting): one is SolanaSweep => 'instructions' in one;

/** `before`, `after`: lamports in the order of the keys. */
export type SolanaTransaction = MinedTransaction & {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly from: SolanaWaiting;
  /** Who signed beside the fee payer, and what moved; of sweeps. */
  readonly signers?: readonly string[];
  readonly moved?: readonly Movement[];
};

export type SolanaState = {
  readonly spec: NetworkSpec;
  /** By slot. Null: it was skipped. */
  readonly slots: (SolanaBlock | null)[];
  readonly heights: Map<string, number>;
  readonly ledger: SolanaLedger;
  readonly book: TokenBook;
  /** In the order of the chain. */
  mined: SolanaTransaction[];
  waiting: SolanaWaiting[];
  readonly wallet: string;
  /** Lamports that the accounts of sweeps got from outside. */
  readonly gifts: Map<string, bigint>;
  /** Addresses whose coin is elsewhere for a while. */
  readonly penniless: Set<string>;
  /** Durable nonce accounts with their authorities. Each exists from the beginning. */
  readonly nonces: Map<string, string>;
  finalSlot: number;
  /** Multiplies the price of compute units. */
  fees: bigint;
  readonly contracts: Set<string>;
  /** What issuers refuse (refusals.ts). */
  readonly refused: Set<string>;
  readonly submit: (bytes: string) => { readonly signature: string } | { readonly error: string };
};

/** Deriving an account takes a quarter of a millisecond, and every history has the same owners. */
const accounts = new Map<string, string>();
export function accountOf(owner: string, mint: string): string {
  const key = `${owner} ${mint}`;
  const account = accounts.get(key) ?? associatedAccount(owner, mint);
  accounts.set(key, account);
  return account;
}

/** The newest block up to a slot. */
export function blockUpTo({ slots }: SolanaState, slot: number): SolanaBlock {
  for (let at = Math.min(slot, slots.length - 1); at > 0; at--) {
    const block = slots[at];
    if (block) return block;
  }
  return slots[0] as SolanaBlock;
}

/** The lamports of an address that pays fees. */
export function lamportsOf(state: SolanaState, address: string, slot: number): number {
  if (state.penniless.has(address)) return 0;
  const given = state.gifts.get(address);
  if (address !== state.wallet && given === undefined) return CUSTOMERS_LAMPORTS;
  const spent = state.mined
    .filter(({ keys, slot: at }) => keys[0] === address && at <= slot)
    .reduce((sum, { before, after }) => sum + (before[0] ?? 0) - (after[0] ?? 0), 0);
  return Number(given ?? FUNDS * LAMPORTS) - spent;
}
