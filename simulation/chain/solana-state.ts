// The state of a simulated Solana chain: slots, token accounts over time, and transactions with the lamports that they moved.

import type { NetworkSpec } from '@/lib/networks/networks';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import type { MinedTransaction, SolanaLedger } from '@/testing/solana/solana-ledger';
import type { Payment } from './chain';
import type { TokenBook } from './token-book';

/** What the refund wallet has at first, in whole tokens and SOL. */
export const FUNDS = 1_000_000n;
const LAMPORTS = 1_000_000_000n;
/** What customers hold, in base units, and in lamports. A customer who pays more holds what they pay. */
export const PLENTY = 10n ** 18n;
const CUSTOMERS_LAMPORTS = 10_000_000_000;
export const RENT = 2_039_280;
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

/** A transaction that waits. `signed` is null for customers, who are not followed. */
export type SolanaWaiting = {
  readonly signature: string;
  readonly feePayer: string;
  /** The token account that is paid. */
  readonly destination: string;
  readonly movement: Payment;
  readonly signed: { readonly blockhash: string; readonly unitPrice: bigint; readonly fee: number } | null;
};

/** `before`, `after`: lamports in the order of the keys. */
export type SolanaTransaction = MinedTransaction & {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly from: SolanaWaiting;
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
  if (address !== state.wallet) return CUSTOMERS_LAMPORTS;
  const spent = state.mined
    .filter(({ keys, slot: at }) => keys[0] === address && at <= slot)
    .reduce((sum, { before, after }) => sum + (before[0] ?? 0) - (after[0] ?? 0), 0);
  return Number(FUNDS * LAMPORTS) - spent;
}
