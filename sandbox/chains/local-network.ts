// The interface of a local chain. The control server, the demo shop and sandbox.json use only these methods, so a new kind of
// chain is one folder with a start function that returns this.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { Payment } from './payment';

export interface LocalNetwork {
  /** `ethereum`, `bsc`, `tron` or `solana`. */
  readonly network: string;
  readonly spec: NetworkSpec;
  /** Where the product and a developer reach the chain: sandbox.json's rpc_url and TEST_<NETWORK>_URLS. */
  readonly rpcUrl: string;
  /** Holds both tokens and the coin for fees; in the network's wallet format. */
  readonly payer: { readonly address: string; readonly privateKey: string };
  isAddress(text: string): boolean;
  /**
   * Makes the payment from the payer and resolves to its transaction's hash once it is in a block (of a `split`, the last one's;
   * a `reorged` one is removed three seconds later). Throws PaymentRefused when the payment is not possible.
   */
  pay(payment: Payment): Promise<string>;
  /** Base units of a token that an address holds at the newest block. Throws PaymentRefused for an unknown currency. */
  balance(address: string, currency: string): Promise<bigint>;
  /** A new address that the token's issuer has blocked: payments to it fail. Throws PaymentRefused for an unknown currency. */
  blockedAddress(currency: string): Promise<string>;
  /** Makes blocks and returns the new height. */
  mine(blocks: number): Promise<number>;
  /** Replaces the last blocks with empty ones. Throws PaymentRefused where the engine cannot. */
  reorganise(depth: number): Promise<void>;
  /** What can go wrong here on purpose. */
  readonly faults: Faults;
  stop(): Promise<void>;
}

/** Each can be undone. Throws PaymentRefused for what the network cannot do, and for what another fault prevents. */
export interface Faults {
  /** Whether the token's issuer has blocked an address. */
  setBlocked(account: { readonly currency: string; readonly address: string }, isBlocked: boolean): Promise<void>;
  /** Whether the account that pays for sweeps has no coin. Otherwise it has what it began with. */
  setSponsorEmpty(isEmpty: boolean): Promise<void>;
  /** On TRON: whether that account's energy is used up for the day. */
  setEnergyGone(isGone: boolean): Promise<void>;
  /** Whether no blocks are made. What is sent waits, and payments of the payer are refused. */
  setStopped(isStopped: boolean): Promise<void>;
  /** Whether the refund wallet has no coin for fees. Otherwise it has what it began with. */
  setFeesEmpty(isEmpty: boolean): Promise<void>;
  /** On EVM: whether a thief with the key of the refund wallet has taken tokens out of it. Undone, it has them again. */
  setRobbed(isRobbed: boolean): Promise<void>;
}

/** The product's refund wallet on the local chains, which gets both tokens and coin for fees before the first payment. */
export type RefundWallet = {
  readonly evm: string;
  readonly tron: string;
  readonly solana: string;
  /** By network, the account nonce of its next transaction: the chains restart, but the signer's count continues. */
  readonly nextNonces: Readonly<Record<string, number>>;
  /** By network, the account that pays for sweeps. It gets coin, and a stake on TRON. */
  readonly sponsors?: Readonly<Record<string, string>>;
};

/** The options of a family's start function. */
export type StartOptions = {
  /** Holds the payer's key and the node's files. */
  readonly directory: string;
  readonly refundWallet?: RefundWallet | undefined;
  /** Called when the chain ends or stops working after it has started. */
  readonly onFault: (error: Error) => void;
};

/** The payer's amount of each token at the start, and at each top-up: ten million. */
export const GRANT_CENTS = 1_000_000_000n;
/** The payer never holds less than a million of each token. */
export const RESERVE_CENTS = 100_000_000n;
/** The deepest reorg that can be requested. A chain may have a lower limit. */
export const DEEPEST_REORG = 64;
