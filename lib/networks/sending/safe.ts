// The interface of Safes, the accounts of EVM networks with several owners: what the chain says about one, a transfer drafted for its
// owners, and what became of it.

import type { AttemptOutcome, ChainSender, PaymentOrder } from './send';
import type { SquadsSender } from './squads';

/** Their SafeTx, its hash and execTransaction are the same. Another version may differ, so it is refused. */
export const SAFE_VERSIONS = ['1.3.0', '1.4.1'] as const;
type SafeVersion = (typeof SAFE_VERSIONS)[number];

/** What an address is by its code. `contract`: it is no Safe, or `version` is not one that is known to work. */
export type SafeState =
  | { readonly kind: 'wallet' }
  | { readonly kind: 'contract'; readonly version: string | null }
  | {
      readonly kind: 'safe';
      readonly version: SafeVersion;
      readonly threshold: number;
      /** In lower case, as the Safe lists them. */
      readonly owners: readonly string[];
      readonly nonce: number;
    };

/** The transaction that executes a SafeTx: its account nonce, and prices in wei per gas with a cap for a busier day. */
export type SafeExecution = {
  readonly executor: string;
  readonly nonce: number;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly gasLimit: bigint;
};

export type SafeDraft = {
  /** The ABI encoding of the ten fields of the SafeTx, hex with 0x. */
  readonly unsigned: string;
  /** The safeTxHash by the Safe's own contract. */
  readonly hash: string;
  /** Null without an executor. */
  readonly execution: SafeExecution | null;
};

export type SafeDrafting = {
  readonly order: PaymentOrder;
  readonly safe: string;
  readonly nonce: number;
  readonly threshold: number;
  readonly executor: string | null;
};

/** One SafeTx to follow. */
export type SafeAttempt = {
  readonly safe: string;
  readonly nonce: number;
  readonly safeTxHash: string;
  readonly order: PaymentOrder;
  /** Of the transaction that executes it, if there is one of ours. */
  readonly hash: string | null;
};

export interface SafeSender {
  /** Throws a ChainError when too few endpoints report the same. */
  state(address: string): Promise<SafeState>;
  /** Tries the transfer out and drafts it. Throws as `ChainSender.draft` does. */
  draft(drafting: SafeDrafting): Promise<SafeDraft>;
  /**
   * What became of a SafeTx, by whatever account it was executed: the Safe uses each nonce once. `lapsed`: another SafeTx has its nonce. Throws as
   * `ChainSender.outcome` does.
   */
  outcome(attempt: SafeAttempt): Promise<AttemptOutcome>;
}

/** A sender that may know accounts of several owners: Safes on EVM networks, Squads multisigs on Solana. */
export type SafeSending = ChainSender & { readonly safes?: SafeSender; readonly squads?: SquadsSender };
