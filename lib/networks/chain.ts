// What the rest of the service knows of a blockchain: the interface that every network family implements, and the facts it
// returns. Every transfer that an adapter returns is proven. That none is missing, the endpoint alone cannot prove where it answers
// for many blocks at once: lib/ledger/reconciliation/balances proves it before a session ends.

/** A block, as far as cursors need it. `time` is Unix seconds. */
export type BlockRef = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
};

/** The newest block, and the newest that the network will not take back. `final.number` ≤ `tip.number`. */
export type Head = { readonly tip: BlockRef; readonly final: BlockRef };

/** A transfer of an allow-listed token in a successful transaction. */
export type FoundTransfer = {
  readonly transactionHash: string;
  /** Position inside the transaction, the same on every node and after every reorganisation (chains.md section 2). */
  readonly ordinal: number;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Unix seconds. */
  readonly blockTime: number;
  /** USDT or USDC. */
  readonly currency: string;
  /** Contract or mint, as the networks table writes it. */
  readonly contract: string;
  readonly payer: string;
  readonly recipient: string;
  /** Base units that the recipient gained, greater than zero. */
  readonly amount: bigint;
  /**
   * Whether the payer themselves ordered the transfer: they signed the transaction, and it is a call of the token and nothing
   * else. False for relayers, bridges, swaps, batches and minting, where the payer on chain need not be the customer.
   */
  readonly isPlain: boolean;
};

/** Blocks `from` to `to`, both included. */
export type BlockSpan = { readonly from: number; readonly to: number };

/**
 * The blocks of one scan. `parentHash` is the hash of the block before `from`, or null when not known. With `final`, what is
 * found will be credited: the endpoint that answers must itself hold every block of the window for final. `again`: earlier
 * blocks, read once more where that costs one request; their transfers are found a second time.
 */
export type BlockWindow = BlockSpan & {
  readonly again?: BlockSpan | null;
  readonly parentHash: string | null;
  readonly final: boolean;
  readonly second?: boolean;
  /** A block of the window that several endpoints agree on; an endpoint that holds another one there is not believed. */
  readonly agreed?: { readonly number: number; readonly hash: string } | null;
  /** Set when the balance of an address differs from what earlier scans of these blocks found. */
  readonly rescan?: { readonly method: RescanMethod; readonly recipient: string };
};

/** The most blocks that one request of the scan spans: above one, a smaller window helps where that is too much. */
export const blocksAtOnce = ({ from, to, again }: BlockWindow): number =>
  Math.max(to - from, again ? again.to - again.from : 0) + 1;

/** `recipient`: all transfers to the address, of many blocks at once. `blocks`: everything, of every block by itself. */
export type RescanMethod = 'recipient' | 'blocks';

/**
 * What is known of one token account of a watched owner: the balance and the newest transaction up to which every change
 * was found. Kept by the database and moved together with the final cursor; only on networks that are read by account.
 */
export type AccountMark = {
  readonly account: string;
  readonly owner: string;
  /** USDT or USDC. */
  readonly currency: string;
  /** Base units at finality. */
  readonly amount: bigint;
  /** The newest final transaction that touched the account; null when none was found yet. */
  readonly signature: string | null;
};

/** A receiving address with what is known of its token accounts; no marks when nothing was found there yet. */
export type WatchedOwner = {
  readonly owner: string;
  readonly marks: readonly AccountMark[];
  /**
   * Gains since the marks that together are less than this need not be read, in the units of COMMON_DECIMALS. Absent: everything is
   * read.
   */
  readonly unreadBelow?: bigint;
};

/** What a scan found up to and including `through`, the block at the end of the window. Each transfer is proven. */
export type Scan = {
  readonly transfers: readonly FoundTransfer[];
  readonly through: BlockRef;
  /** The marks that changed; empty on networks that are read block by block. */
  readonly marks: readonly AccountMark[];
  /**
   * Watched owners with an account that has more new transactions than a scan reads (only where a network is read by account).
   * Cursors may move, but more payments to these owners may be found later. Absent: there are none.
   */
  readonly flooded?: readonly string[];
  /** Absent: the window was read whole. */
  readonly unfinished?: Unfinished;
};

/**
 * Why a window could not be read whole (only where a network is read by account). Transfers and marks are each proven and to
 * be stored, but no cursor may move. `fault`: what the endpoint did wrong; null when there simply is more than fits a scan.
 * `throttle`: the endpoint asked for a pause meanwhile.
 */
export type Unfinished = {
  readonly fault: ChainFault | null;
  readonly message: string;
  /** The watched owners whose accounts could not be proven. */
  readonly owners?: readonly string[];
  readonly throttle?: ChainError;
};

/** Whom a scan looks for. Each is asked at most once per endpoint that the scan is tried on. */
export type Watch = {
  /** Which of these recipients are receiving addresses of ours (same writing as in FoundTransfer). */
  among(recipients: readonly string[]): Promise<ReadonlySet<string>>;
  /** The receiving addresses that are due for a look, where a network is read by account and not by block. */
  owners(): Promise<readonly WatchedOwner[]>;
  /** What was credited before to these addresses that `among` or `owners` named. Absent: nothing was. */
  credited?(transfers: readonly FoundTransfer[]): Promise<Credited>;
};

/** Cents credited before. */
export type Credited = {
  /** To the session of each address, on all networks. */
  readonly byRecipient: ReadonlyMap<string, bigint>;
  /** On this network within the last hour, `transfers` that were asked about excepted. */
  readonly withinHour: bigint;
};

/** One movement of any token in a transaction, genuine or not. */
export type TokenMovement = {
  readonly contract: string;
  /** USDT or USDC when the contract is the allow-listed one, else null. */
  readonly currency: string | null;
  readonly payer: string;
  readonly recipient: string;
  /** Base units of that token. */
  readonly amount: bigint;
};

/** What the chain itself says of one transaction. */
export type TransactionReport = {
  readonly transactionHash: string;
  readonly succeeded: boolean;
  /** Null while it is in no block. */
  readonly block: BlockRef | null;
  /** Blocks on top of its own, itself included; 0 while it is in no block. */
  readonly confirmations: number;
  /** Blocks that must still follow before it is final: 0 when it is, null when the network cannot tell. */
  readonly missing: number | null;
  /** What the network took for it: wei or sun. Left out where the endpoint does not tell. */
  readonly fee?: bigint;
  /** At most a hundred. Empty when it failed. */
  readonly movements: readonly TokenMovement[];
};

export type NetworkFamily = 'evm' | 'tron' | 'solana';

/** One followed network of one environment. */
export interface ChainAdapter {
  /**
   * Whether a scan's cost follows the number of blocks. If not (Solana is read by account), a scan is given the whole span
   * at once, and a chain that is taken up starts at its final block whatever happened before.
   */
  readonly readsBlocks: boolean;
  /** Identity of the chain behind the endpoints: its genesis block's hash. Throws when it is not the configured network. */
  genesis(): Promise<string>;
  head(): Promise<Head>;
  /** The canonical block at a height, or null when there is none yet. */
  block(number: number): Promise<BlockRef | null>;
  /**
   * The block at a height as enough endpoints report it, or an earlier one when some of them are behind. Null where the operator
   * wants no agreement or too few endpoints can answer.
   */
  agreed(number: number): Promise<{ readonly number: number; readonly hash: string } | null>;
  /**
   * The transfers of allow-listed tokens to watched addresses in the window, every one proven by its receipt.
   * Throws `reorganised` when the window does not continue from `parentHash`, `too_large` when it must be cut smaller.
   */
  scan(window: BlockWindow, watch: Watch): Promise<Scan>;
  /** One transaction by its hash, or null when no endpoint knows it. */
  lookup(transactionHash: string): Promise<TransactionReport | null>;
}

/**
 * Why a chain could not answer. `unavailable`: no endpoint gave a usable answer, try again later. `too_large`: ask for fewer
 * blocks. `reorganised`: the chain no longer continues from what was given. `wrong_chain`: the endpoint serves another
 * network than configured. `contradiction`: answers that cannot all be true; nothing may be concluded from them.
 */
export type ChainFault = 'unavailable' | 'too_large' | 'reorganised' | 'wrong_chain' | 'contradiction';

/**
 * `retryAfterSeconds`: what the endpoint asked for. `demotes`: the endpoint is asked after the others for a while.
 * `throttled`: it is well, but we asked too often. `behind`: it is well, but does not hold the window's end for final yet.
 * `owners`: the watched owners whose accounts could not be proven, where everything else could be read. `agreed`: as many
 * endpoints report it as the operator wants to agree.
 */
export type ChainErrorDetails = {
  readonly retryAfterSeconds?: number;
  readonly demotes?: boolean;
  readonly throttled?: boolean;
  readonly behind?: boolean;
  readonly owners?: readonly string[];
  readonly agreed?: boolean;
};

export class ChainError extends Error {
  readonly fault: ChainFault;
  readonly retryAfterSeconds: number | null;
  readonly demotes: boolean;
  readonly throttled: boolean;
  readonly behind: boolean;
  readonly owners: readonly string[];
  readonly agreed: boolean;
  constructor(fault: ChainFault, message: string, details: ChainErrorDetails = {}) {
    super(message);
    this.name = 'ChainError';
    this.fault = fault;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.demotes = details.demotes ?? (fault !== 'too_large' && fault !== 'reorganised' && !details.behind);
    this.throttled = details.throttled ?? details.retryAfterSeconds !== undefined;
    this.behind = details.behind ?? false;
    this.owners = details.owners ?? [];
    this.agreed = details.agreed ?? false;
  }
}
