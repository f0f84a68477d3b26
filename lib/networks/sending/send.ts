// The sending side of a chain as the rest of the service knows it: the payment that was decided, the transaction that was
// drafted for it, and what became of the transaction. Types and errors only; who signs is not its business.

import type { BlockRef } from '@/lib/networks/chain';

/** A payment out of the refund wallet, fixed when it is decided and never changed. */
export type PaymentOrder = {
  /** Unique: no two orders of one intent exist. Printable ASCII, at most 100 characters. */
  readonly intentId: string;
  /** USDT or USDC. */
  readonly currency: string;
  /** Contract or mint, as the networks table writes it. */
  readonly contract: string;
  /** As the network writes addresses; on EVM in any case. */
  readonly to: string;
  /** Base units of the token, greater than zero. */
  readonly amount: bigint;
};

type DraftFields = {
  readonly intentId: string;
  /** Address that pays; what it signs must be checked against the key that signs. */
  readonly from: string;
  /** All that is signed. The facts of a draft are read from here and from nowhere else (readDraft). */
  readonly unsigned: string;
};
/** `unsigned` is hex with 0x of an unsigned EIP-1559 transaction. `from` is not in its bytes. */
export type EvmDraft = DraftFields & { readonly family: 'evm' };
/** `unsigned` is hex, without 0x, of the protobuf raw_data. */
export type TronDraft = DraftFields & { readonly family: 'tron' };
/** `unsigned` is base64 of a legacy message. `lastValidBlockHeight` is not in its bytes. */
export type SolanaDraft = DraftFields & { readonly family: 'solana'; readonly lastValidBlockHeight: number };

/** A draft. `rent`: the lamports that its payer pays for the token account that it opens at the payee. */
export type Drafted = Draft & { readonly rent?: bigint };

/** Everything the transaction contains but its signature, JSON-safe, enough for a signer to CHECK it against the order. */
export type Draft = EvmDraft | TronDraft | SolanaDraft;

/** Until when a transaction may land: never decided by a clock of ours (chains.md 3.1 to 3.3). */
export type Validity =
  | { readonly kind: 'nonce'; readonly nonce: number }
  /** Unix seconds of chain time. */
  | { readonly kind: 'time'; readonly expiresAt: number }
  | { readonly kind: 'height'; readonly lastValidBlockHeight: number };

/** What a draft pays, read from the bytes that are signed. */
export type DraftFacts = {
  /** Addresses as the networks table and this service write them (EVM in lower case). */
  readonly contract: string;
  readonly to: string;
  readonly from: string;
  /** Base units of the token. */
  readonly amount: bigint;
  /** The most that the network can take for it: wei, sun or lamports. The rent of an account that it creates comes on top. */
  readonly feeCap: bigint;
  readonly validity: Validity;
  /** EIP-155 id where the bytes say it; null where they are bound to a chain by a block of it. */
  readonly chainId: number | null;
  /** Solana's memo; null where the bytes name no intent. */
  readonly intentId: string | null;
};

/** A transaction with its signature: hex with 0x (EVM), hex (TRON) or base64 (Solana), and the hash it is known by. */
export type SignedTransaction = { readonly bytes: string; readonly hash: string };

/** One signed transaction to follow. */
export type SentAttempt = {
  readonly hash: string;
  readonly validity: Validity;
  readonly from: string;
  readonly order: PaymentOrder;
  /** Hashes of the other signed transactions with the same nonce; any of them may land. */
  readonly others?: readonly string[];
  /** Unix seconds by our clock at which its signature was stored: no block from long before it holds the attempt. */
  readonly signedAt?: number;
};

/** What the network took, with the rent of an account that was opened: wei, sun or lamports. Left out where no endpoint tells. */
type Cost = { readonly fee?: bigint };

/**
 * What became of an attempt. `seen`, `landed`, `reverted` and `unclear` name the variant. `landed`: final, and the transfer
 * of exactly this amount is proven. `reverted`: final and moved nothing. `lapsed`: provably neither it nor a variant can
 * ever land. `unclear`: final and successful, but what moved is not what was ordered; only a person can decide. `pruned`: the
 * attempt can enter no further block, and the endpoints no longer have the blocks that could hold it, so they cannot tell.
 */
export type AttemptOutcome =
  | { readonly kind: 'waiting' }
  /** `alone`: fewer endpoints than are needed have it in a block, which may be of a fork; the others answer, and have not. */
  | { readonly kind: 'seen'; readonly hash: string; readonly confirmations: number; readonly alone?: true }
  | ({ readonly kind: 'landed'; readonly hash: string; readonly block: BlockRef } & Cost)
  | ({ readonly kind: 'reverted'; readonly hash: string; readonly reason: string } & Cost)
  | { readonly kind: 'unclear'; readonly hash: string; readonly reason: string }
  | { readonly kind: 'pruned'; readonly reason: string }
  /** `finalized`: the finalized block time (TRON, Unix seconds) or height (Solana) that proves it. */
  | { readonly kind: 'lapsed'; readonly reason: string; readonly finalized?: number };

/**
 * `wallet`: somebody has a key to it, as far as can be told. `contract`: code decides what becomes of what arrives there, or
 * nobody has a key. `unknown`: too few endpoints tell, or as many contradict them.
 */
export type AddressKind = 'wallet' | 'contract' | 'unknown';

/** The time of the newest block at an endpoint, in Unix seconds. `endpoint`: "endpoint 2", safe to show. */
export type NewestTime = { readonly endpoint: string; readonly time: number };

/** Signed payments of the wallet that no block is known to hold yet. `tokens`: base units of the order's token, of all of them. */
export type Unmined = { readonly payments: number; readonly tokens: bigint };
export const NOTHING_UNMINED: Unmined = { payments: 0, tokens: 0n };

/**
 * A transaction that the wallet signed. `time`: of its block, in Unix seconds. `hash` is null for the newest transaction on TRON when it
 * is later than any known one could be; its time is then that of the block before it.
 */
export type OwnTransaction = { readonly hash: string | null; readonly time: number };

/** What one endpoint reports about the wallet, complete from `from` to `through`. Unix seconds of block time. */
export type OwnTransactions = {
  /** "endpoint 2": safe to show. */
  readonly endpoint: string;
  /** Those that the wallet signed and whose hashes are not known. */
  readonly unknown: readonly OwnTransaction[];
  /** When the query begins, or later if the endpoint no longer keeps transactions from then. */
  readonly from: number;
  /** Of a block that was final before the endpoint was asked for the transactions. */
  readonly through: number;
};

export type OwnTransactionQuery = {
  /** Unix seconds. Earlier transactions do not matter. */
  readonly since: number;
  /** Which of these hashes are known now. */
  readonly known: (hashes: readonly string[]) => Promise<ReadonlySet<string>>;
  /** When the last transaction that is known now expires, in Unix seconds; null when none is known. TRON only. */
  readonly knownExpiry: () => Promise<number | null>;
  /**
   * Transactions that an endpoint showed to be signed by others. They outlast the process and changes of the settings, so `source` is
   * of the endpoint's address (endpoint-source.ts). Solana only.
   */
  readonly mentions: {
    readonly among: (source: string, hashes: readonly string[]) => Promise<ReadonlySet<string>>;
    readonly add: (source: string, found: readonly { readonly hash: string; readonly time: number }[]) => Promise<void>;
  };
};

export type DraftOptions = { readonly nonce?: number; readonly replaces?: EvmDraft; readonly unmined?: Unmined };

export interface ChainSender {
  /**
   * Builds and simulates the transaction. Throws SendHold (try again later), SendRefused (will never work) or a ChainError
   * when no endpoint could answer. `nonce` and `replaces` are for EVM: a replacement has the nonce of what it replaces.
   * `unmined` is left to other payments: what the wallet holds must suffice for them too.
   */
  draft(order: PaymentOrder, from: string, options?: DraftOptions): Promise<Drafted>;
  /**
   * The first nonce that no transaction uses which enough endpoints know, as many as are needed for final answers. EVM only; the
   * others throw an Error.
   */
  nextNonce(from: string): Promise<number>;
  /**
   * How many transactions of the wallet are final, as at least as many endpoints say as are needed for final answers. EVM
   * only; the others have none. Throws a ChainError when too few answer.
   */
  finalNonce?(from: string): Promise<number>;
  /**
   * The transactions that the wallet signed and that are not known, as each endpoint that answered reports them. `needed`: how many
   * have to agree for final answers. Only where accounts have no nonces: elsewhere the final nonce tells. Throws a ChainError when
   * fewer than `needed` answer.
   */
  unknownTransactions?(
    from: string,
    query: OwnTransactionQuery,
  ): Promise<{ readonly votes: readonly OwnTransactions[]; readonly needed: number }>;
  /**
   * The latest newest block that an endpoint reports. Only where accounts have no nonces. Throws a ChainError when fewer endpoints
   * answer than are needed for final answers.
   */
  newestTime?(): Promise<NewestTime>;
  /**
   * Hands signed bytes to every endpoint. `known`: it is there already, or its nonce is used. The same bytes may be sent
   * again for ever. Throws SendHold or ChainError; an error never proves that nothing was sent.
   */
  broadcast(bytes: string): Promise<'accepted' | 'known'>;
  /**
   * What became of an attempt. Final answers need as many endpoints as were asked for when the sender was opened, and no
   * contradiction. Throws a ChainError when nobody answers (`unavailable`) or answers exclude each other (`contradiction`).
   */
  outcome(attempt: SentAttempt): Promise<AttemptOutcome>;
  /**
   * What is at an address, which must be one of the network. Asks every endpoint. Throws a ChainError when nobody answers.
   */
  kindOf(address: string): Promise<AddressKind>;
}

export type HoldReason =
  'no_tokens' | 'no_fee_coin' | 'fee_too_high' | 'fee_too_low' | 'token_fee' | 'token_paused' | 'wallet_blocked';
export type RefusalReason = 'bad_recipient' | 'recipient_blocked' | 'wrong_token' | 'reverts';

/** The payment waits and goes on by itself once the cause is gone. The message is for operator and merchant. */
export class SendHold extends Error {
  readonly reason: HoldReason;
  constructor(reason: HoldReason, message: string) {
    super(message);
    this.name = 'SendHold';
    this.reason = reason;
  }
}

/** The payment will never work as ordered. The message says why to a person. */
export class SendRefused extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.name = 'SendRefused';
    this.reason = reason;
  }
}

/** Bytes that are not what this version drafts: nothing about them may be believed, and nothing of them signed. */
export class BadDraft extends Error {
  constructor(what: string) {
    super(`this draft cannot be signed: ${what}`);
    this.name = 'BadDraft';
  }
}
