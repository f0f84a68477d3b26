// The sending interface of a chain: the payment that was decided, the transaction drafted for it, and the outcome of that
// transaction. Types and errors only; signing happens elsewhere.

import type { BlockRef } from '@/lib/networks/chain';
import type { AllowanceSender, BatchPlace, DraftedBatch } from './batch';
import type { Lasting, LastingValidity, TronPermission } from './lasting';

/** A payment out of the refund wallet. It is fixed when it is decided and never changes. */
export type PaymentOrder = {
  /** Unique: an intent has at most one order. Printable ASCII, at most 100 characters. */
  readonly intentId: string;
  /** USDT or USDC. */
  readonly currency: string;
  /** Contract or mint, as the networks table writes it. */
  readonly contract: string;
  /** In the network's address format; on EVM in any case. */
  readonly to: string;
  /** Base units of the token, greater than zero. */
  readonly amount: bigint;
};

type DraftFields = {
  readonly intentId: string;
  /** The paying address. The signer must check that the draft pays from the address of its key. */
  readonly from: string;
  /** Everything that is signed. The facts of a draft are read from these bytes and from nothing else (readDraft). */
  readonly unsigned: string;
};
/** `unsigned` is the 0x-prefixed hex of an EIP-1559 transaction, without `from`. `item`: its place in a batch, all of which has these bytes. */
export type EvmDraft = DraftFields & { readonly family: 'evm'; readonly item?: number | undefined };
/** `unsigned` is the hex of the protobuf raw_data, without 0x. */
export type TronDraft = DraftFields & { readonly family: 'tron' };
/** `unsigned` is the base64 of a legacy message. The bytes do not contain `lastValidBlockHeight`. */
export type SolanaDraft = DraftFields & { readonly family: 'solana'; readonly lastValidBlockHeight: number };

/** A draft. `rent`: the lamports that the payer spends to open the payee's token account. */
export type Drafted = Draft & { readonly rent?: bigint };

/** Everything in the transaction except its signature. JSON-safe, and enough for a signer to CHECK the draft against the order. */
export type Draft = EvmDraft | TronDraft | SolanaDraft;

/** Until when a transaction may land. The chain decides this; our clock never does. */
export type Validity =
  | { readonly kind: 'nonce'; readonly nonce: number }
  /** Unix seconds of chain time. */
  | { readonly kind: 'time'; readonly expiresAt: number }
  | { readonly kind: 'height'; readonly lastValidBlockHeight: number };

/** What a draft pays, read from the bytes that will be signed. */
export type DraftFacts = {
  /** Addresses in this service's form, which is also that of the networks table (EVM in lower case). */
  readonly contract: string;
  readonly to: string;
  readonly from: string;
  /** Base units of the token. */
  readonly amount: bigint;
  /** The highest fee the network can take: wei, sun or lamports. The rent of a newly created account is added to it. */
  readonly feeCap: bigint;
  readonly validity: Validity;
  /** The EIP-155 id if the bytes contain it; null if they are bound to a chain by one of its blocks. */
  readonly chainId: number | null;
  /** Solana's memo; null if the bytes contain no intent. */
  readonly intentId: string | null;
};

/** A transaction with its signature: 0x-prefixed hex (EVM), hex (TRON) or base64 (Solana), and its transaction hash. */
export type SignedTransaction = { readonly bytes: string; readonly hash: string };

/** One signed transaction to follow. */
export type SentAttempt = {
  readonly hash: string;
  readonly validity: Validity | LastingValidity;
  readonly from: string;
  readonly order: PaymentOrder;
  /** Hashes of the other signed transactions with the same nonce; any of them may land. */
  readonly others?: readonly string[];
  /** Unix seconds by our clock when the signature was stored. Blocks from well before this time cannot hold the attempt. */
  readonly signedAt?: number;
  /** Only for an item of a batch. */
  readonly batch?: BatchPlace;
};

/** The network fee plus the rent of a newly opened account: wei, sun or lamports. Absent if no endpoint reports it. */
type Cost = { readonly fee?: bigint };

/**
 * The outcome of an attempt. `seen`, `landed`, `reverted` and `unclear` name the variant. `landed`: final, and the transfer of
 * exactly this amount is proven. `reverted`: final, and nothing moved for this payment. `lapsed`: proven that neither it nor a variant can ever
 * land. `unclear`: final and successful, but the transfer differs from the order; an operator must decide. `pruned`: no further
 * block can hold the attempt, and the endpoints no longer have the blocks that could, so the outcome is unknown.
 */
export type AttemptOutcome =
  | { readonly kind: 'waiting' }
  /** `alone`: fewer endpoints than needed have it in a block, possibly on a fork; the other endpoints answer but do not have it. */
  | { readonly kind: 'seen'; readonly hash: string; readonly confirmations: number; readonly alone?: true }
  /** `rent`: lamports of rent for the account that it opened. */
  | ({ readonly kind: 'landed'; readonly hash: string; readonly block: BlockRef; readonly rent?: bigint } & Cost)
  | ({ readonly kind: 'reverted'; readonly hash: string; readonly reason: string } & Cost)
  | { readonly kind: 'unclear'; readonly hash: string; readonly reason: string }
  | { readonly kind: 'pruned'; readonly reason: string }
  /** `finalized`: the finalized block time (TRON, Unix seconds) or height (Solana) that proves the lapse. */
  | { readonly kind: 'lapsed'; readonly reason: string; readonly finalized?: number };

/**
 * `wallet`: as far as the chain shows, someone holds the key. `contract`: code controls incoming funds, or no key exists.
 * `unknown`: too few endpoints report, or too many contradict each other.
 */
export type AddressKind = 'wallet' | 'contract' | 'unknown';

/** Time of the newest block at an endpoint, in Unix seconds. `endpoint`: "endpoint 2", safe to show. */
export type NewestTime = { readonly endpoint: string; readonly time: number };

/** Signed payments of the wallet that are in no known block yet. `tokens`: their total in base units of the order's token. */
export type Unmined = { readonly payments: number; readonly tokens: bigint };
export const NOTHING_UNMINED: Unmined = { payments: 0, tokens: 0n };

/**
 * A transaction that the wallet signed. `time`: its block time in Unix seconds. On TRON, `hash` is null if the newest transaction
 * is later than any known one could be; `time` is then that of the preceding block.
 */
export type OwnTransaction = { readonly hash: string | null; readonly time: number };

/** One endpoint's report about the wallet, complete from `from` to `through`. Both are block times in Unix seconds. */
export type OwnTransactions = {
  /** "endpoint 2": safe to show. */
  readonly endpoint: string;
  /** Transactions that the wallet signed and whose hashes are unknown here. */
  readonly unknown: readonly OwnTransaction[];
  /** Start of the query, or later if the endpoint no longer keeps transactions from then. */
  readonly from: number;
  /** Time of a block that was final before the endpoint was queried. */
  readonly through: number;
};

export type OwnTransactionQuery = {
  /** Unix seconds. Earlier transactions are ignored. */
  readonly since: number;
  /** Returns those of these hashes that are known now. */
  readonly known: (hashes: readonly string[]) => Promise<ReadonlySet<string>>;
  /** When the last currently known transaction expires, in Unix seconds; null if none is known. TRON only. */
  readonly knownExpiry: () => Promise<number | null>;
  /**
   * Transactions that an endpoint proved to be signed by others. They outlast the process and changes of the settings, so
   * `source` identifies the endpoint's URL (endpoints/source.ts). Solana only.
   */
  readonly mentions: {
    readonly among: (source: string, hashes: readonly string[]) => Promise<ReadonlySet<string>>;
    readonly add: (source: string, found: readonly { readonly hash: string; readonly time: number }[]) => Promise<void>;
  };
};

type DraftOptions = {
  readonly nonce?: number;
  readonly replaces?: EvmDraft;
  readonly unmined?: Unmined;
  readonly lasting?: Lasting;
};
type BatchOptions = Required<Pick<DraftOptions, 'nonce' | 'unmined'>> & Pick<DraftOptions, 'replaces'>;

export interface ChainSender {
  readonly allowance?: AllowanceSender;
  /**
   * Builds and simulates the transaction. Throws SendHold (try again later), SendRefused (it will never work), or a ChainError
   * when no endpoint could answer. `nonce` and `replaces` are for EVM: a replacement has the account nonce of the transaction it
   * replaces. `unmined` is committed to other payments: the wallet's balance must cover them too.
   */
  draft(order: PaymentOrder, from: string, options?: DraftOptions): Promise<Drafted>;
  /** One simulated transaction for several orders of one token, or for the items of the batch that it replaces. Throws as `draft`. EVM only. */
  draftBatch?(orders: readonly PaymentOrder[], from: string, options: BatchOptions): Promise<DraftedBatch>;
  /**
   * The first account nonce that no transaction uses, as reported by the number of endpoints that a final outcome needs. EVM
   * only; other families throw an Error.
   */
  nextNonce(from: string): Promise<number>;
  /**
   * How many of the wallet's transactions are final, as reported by at least the number of endpoints that a final outcome needs.
   * EVM only. Throws a ChainError when too few endpoints answer.
   */
  finalNonce?(from: string): Promise<number>;
  /** The same in the newest block, which a reorg may still replace. */
  minedNonce?(from: string): Promise<number>;
  /**
   * The final value of a durable nonce account of this authority, as reported by the number of endpoints that a final outcome needs;
   * null if it is no such account. Solana only. Throws a ChainError when too few endpoints report the same.
   */
  durableNonce?(account: string, authority: string): Promise<string | null>;
  /**
   * The permissions of an account, the owner permission first, as the number of endpoints that a final outcome needs report them of the
   * final state, or of the newest one; none if it was never activated. TRON only. Throws a ChainError when too few endpoints report the same.
   */
  permissions?(address: string, state?: 'final' | 'newest'): Promise<readonly TronPermission[]>;
  /**
   * Transactions that the wallet signed and that are unknown here, one report per answering endpoint. `needed`: how many
   * endpoints must agree on a final outcome. Only for accounts without nonces; elsewhere the final nonce shows this. Throws a
   * ChainError when fewer than `needed` answer.
   */
  unknownTransactions?(
    from: string,
    query: OwnTransactionQuery,
  ): Promise<{ readonly votes: readonly OwnTransactions[]; readonly needed: number }>;
  /**
   * The latest newest block that an endpoint reports. Only for accounts without nonces. Throws a ChainError when fewer endpoints
   * answer than a final outcome needs.
   */
  newestTime?(): Promise<NewestTime>;
  /**
   * Broadcasts signed bytes to every endpoint. `known`: the network has them already, or their nonce is used. Sending the same
   * bytes again is always safe. Throws SendHold or a ChainError; an error never proves that nothing was sent.
   */
  broadcast(bytes: string): Promise<'accepted' | 'known'>;
  /**
   * The outcome of an attempt. A final outcome needs agreement from as many endpoints as the sender was opened with, and no
   * contradiction. Throws a ChainError when no endpoint answers (`unavailable`) or reports exclude each other (`contradiction`).
   */
  outcome(attempt: SentAttempt): Promise<AttemptOutcome>;
  /** The kind of an address, which must be one of this network. Queries every endpoint. Throws a ChainError when none answers. */
  kindOf(address: string): Promise<AddressKind>;
}

export type HoldReason =
  'no_tokens' | 'no_fee_coin' | 'fee_too_high' | 'fee_too_low' | 'token_fee' | 'token_paused' | 'wallet_blocked';
export type RefusalReason = 'bad_recipient' | 'recipient_blocked' | 'wrong_token' | 'reverts';

/** The payment waits and continues automatically once the cause has ended. Operators and merchants read the message. */
export class SendHold extends Error {
  readonly reason: HoldReason;
  constructor(reason: HoldReason, message: string) {
    super(message);
    this.name = 'SendHold';
    this.reason = reason;
  }
}

/** The payment will never work as ordered, or, with `reverts`, not while the simulation fails. The message explains why. */
export class SendRefused extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.name = 'SendRefused';
    this.reason = reason;
  }
}

/** The bytes are not a draft of this version: do not trust or sign any part of them. */
export class BadDraft extends Error {
  constructor(what: string) {
    super(`this draft cannot be signed: ${what}`);
    this.name = 'BadDraft';
  }
}
