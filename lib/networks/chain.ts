// The interface that every network family implements, and the facts it returns. Every transfer that an adapter returns is proven.
// An endpoint that answers for many blocks at once cannot prove that none is missing; lib/ledger/reconciliation/balances proves
// that before a session ends.

import type { CoinReader } from './coin-reader';
import type { BlockSpan, FoundTransfer } from './found-transfer';

/** A block, reduced to what cursors need. `time` is Unix seconds. */
export type BlockRef = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
};

/** The newest block, and the newest irreversible block. `final.number` ≤ `tip.number`. */
export type Head = { readonly tip: BlockRef; readonly final: BlockRef };

export type { BlockSpan, FoundTransfer };

/**
 * The blocks of one scan. `parentHash` is the hash of the block before `from`, or null if unknown. `final`: the found transfers
 * will be credited, so the answering endpoint itself must report every block of the window as final. `again`: earlier blocks to
 * re-scan where that costs one request; their transfers are found a second time.
 */
export type BlockWindow = BlockSpan & {
  readonly again?: BlockSpan | null;
  readonly parentHash: string | null;
  readonly final: boolean;
  readonly second?: boolean;
  /** A block of the window that several endpoints agree on. An endpoint that has a different block there is not trusted. */
  readonly agreed?: { readonly number: number; readonly hash: string } | null;
  /** Set when the balance of an address differs from the transfers that earlier scans of these blocks found. */
  readonly rescan?: { readonly method: RescanMethod; readonly address: string };
  /** Only senders are looked up: payments to addresses that send nothing are not found. By account: only accounts below their cursor are read. */
  readonly onlyOutgoing?: boolean;
};

/** The number of blocks that one request of the scan spans. If it is above one, a smaller window helps against "too large". */
export const blocksAtOnce = ({ from, to, again }: BlockWindow): number =>
  Math.max(to - from, again ? again.to - again.from : 0) + 1;

/** `address`: all transfers to and from the address, many blocks per request. `blocks`: all transfers, block by block. */
export type RescanMethod = 'address' | 'blocks';

/**
 * The cursor of one token account of a watched owner: its balance, and the newest transaction up to which every change was found.
 * Stored in the database and moved together with the final cursor. Only on networks that are read by account.
 */
export type AccountCursor = {
  readonly account: string;
  readonly owner: string;
  /** USDT or USDC. */
  readonly currency: string;
  /** Base units at finality. */
  readonly amount: bigint;
  /** The newest final transaction that touched the account; null if none was found yet. */
  readonly signature: string | null;
};

/** A deposit address with the cursors of its token accounts; without cursors if nothing was found there yet. */
export type DueAddress = {
  readonly owner: string;
  readonly accountCursors: readonly AccountCursor[];
  /** Gains since the cursors need not be read while their sum stays below this, in units of COMMON_DECIMALS. Absent: every gain is read. */
  readonly readThreshold?: bigint;
};

/** The result of a scan through `through`, the last block of the window. Each transfer is proven. */
export type Scan = {
  /** Transfers to watched addresses. */
  readonly transfers: readonly FoundTransfer[];
  /**
   * Transfers out of watched addresses: `payer` is the address and `amount` what it lost. A re-scan by recipient reports none on
   * networks that are read block by block. Absent: there are none.
   */
  readonly outgoing?: readonly FoundTransfer[];
  readonly through: BlockRef;
  /** The account cursors that changed; empty on networks that are read block by block. */
  readonly accountCursors: readonly AccountCursor[];
  /**
   * Watched owners with an account that has more new transactions than a scan reads (only where a network is read by account).
   * Cursors may move, but later scans may find more payments to these owners. Absent: there are none.
   */
  readonly flooded?: readonly string[];
  /** Absent: the scan read the whole window. */
  readonly unfinished?: Unfinished;
};

/**
 * Why a scan could not read the whole window (only where a network is read by account). Its transfers and account cursors are
 * proven and must be stored, but the block cursor must not move. `fault`: the endpoint's fault; null if there was simply more
 * than one scan reads. `throttle`: the endpoint asked for a pause meanwhile.
 */
export type Unfinished = {
  readonly fault: ChainFault | null;
  readonly message: string;
  /** The watched owners whose accounts could not be proven. */
  readonly unprovenOwners?: readonly string[];
  readonly throttle?: ChainError;
};

/** The addresses that a scan watches. Each method is called at most once per endpoint that the scan tries. */
export type Watch = {
  /** Returns those of the addresses that are our deposit addresses (written as in FoundTransfer). */
  among(addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /** The deposit addresses that are due for a read, on networks that are read by account. */
  dueAddresses(): Promise<readonly DueAddress[]>;
  /** Amounts credited earlier to these addresses, which `among` or `dueAddresses` returned. Absent: nothing was credited. */
  credited?(transfers: readonly FoundTransfer[]): Promise<Credited>;
};

/** Cents credited earlier. */
export type Credited = {
  /** To the session of each address, on all networks. */
  readonly byRecipient: ReadonlyMap<string, bigint>;
  /** On this network within the last hour, without the given `transfers`. */
  readonly withinHour: bigint;
};

/** One movement of any token in a transaction, allow-listed or not. */
export type TokenMovement = {
  readonly contract: string;
  /** USDT or USDC if the contract is the allow-listed one, otherwise null. */
  readonly currency: string | null;
  readonly payer: string;
  readonly recipient: string;
  /** Base units of that token. */
  readonly amount: bigint;
};

/** What the chain reports about one transaction. */
export type TransactionReport = {
  readonly transactionHash: string;
  readonly succeeded: boolean;
  /** Null while no block contains it. */
  readonly block: BlockRef | null;
  /** Its own block and those on top of it; 0 while no block contains it. */
  readonly confirmations: number;
  /** Blocks that must still follow before it is final: 0 if it is final, null if the network cannot say. */
  readonly missing: number | null;
  /**
   * The network fee in wei or sun. On Solana the lamports that the fee payer spent in all: negative if it gained. Absent if the endpoint
   * does not report it.
   */
  readonly fee?: bigint;
  /** At most a hundred. Empty if the transaction failed. */
  readonly movements: readonly TokenMovement[];
};

export type NetworkFamily = 'evm' | 'tron' | 'solana';

/** One followed network of one environment. */
export interface ChainAdapter {
  /**
   * Whether the cost of a scan grows with the number of blocks. If not (Solana is read by account), a scan covers the whole span
   * at once, and a newly followed chain starts at its final block.
   */
  readonly readsBlocks: boolean;
  /** Hash of the genesis block, which identifies the chain behind the endpoints. Throws if it is not the configured network. */
  genesis(): Promise<string>;
  head(): Promise<Head>;
  /** The canonical block at a height, or null if there is none yet. */
  block(number: number): Promise<BlockRef | null>;
  /**
   * The block at a height that enough endpoints report, or an earlier one if some of them lag. Null if the operator requires no
   * agreement or too few endpoints can answer.
   */
  agreed(number: number): Promise<{ readonly number: number; readonly hash: string } | null>;
  /**
   * The transfers of allow-listed tokens to watched addresses in the window, each proven by its receipt. Throws `reorganised` if
   * the window does not continue from `parentHash`, and `too_large` if the window must be smaller.
   */
  scan(window: BlockWindow, watch: Watch): Promise<Scan>;
  /** One transaction by its hash, or null if no endpoint knows it. */
  lookup(transactionHash: string): Promise<TransactionReport | null>;
  readonly coin?: CoinReader;
}

/**
 * Why a chain could not answer. `unavailable`: no endpoint gave a usable answer; try again later. `too_large`: request fewer
 * blocks. `reorganised`: the chain no longer continues from the given block. `wrong_chain`: the endpoint serves another network
 * than configured. `contradiction`: the answers cannot all be true, so conclude nothing from them.
 */
export type ChainFault = 'unavailable' | 'too_large' | 'reorganised' | 'wrong_chain' | 'contradiction';

/**
 * `retryAfterSeconds`: the pause that the endpoint requested. `demotes`: the endpoint moves behind the others for a while.
 * `throttled`: the endpoint is healthy but rate-limits us. `behind`: it is healthy, but has not finalized the window's end yet.
 * `unprovenOwners`: the watched owners whose accounts could not be proven, while everything else could be read. `agreed`: as many
 * endpoints report the error as the operator requires for agreement. `differs`: too few endpoints report the same.
 */
export type ChainErrorDetails = {
  readonly differs?: boolean;
  readonly retryAfterSeconds?: number;
  readonly demotes?: boolean;
  readonly throttled?: boolean;
  readonly behind?: boolean;
  readonly unprovenOwners?: readonly string[];
  readonly agreed?: boolean;
};

export class ChainError extends Error {
  readonly fault: ChainFault;
  readonly retryAfterSeconds: number | null;
  readonly demotes: boolean;
  readonly throttled: boolean;
  readonly behind: boolean;
  readonly unprovenOwners: readonly string[];
  readonly agreed: boolean;
  readonly differs: boolean;
  constructor(fault: ChainFault, message: string, details: ChainErrorDetails = {}) {
    super(message);
    this.name = 'ChainError';
    this.fault = fault;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.demotes = details.demotes ?? (fault !== 'too_large' && fault !== 'reorganised' && !details.behind);
    this.throttled = details.throttled ?? details.retryAfterSeconds !== undefined;
    this.behind = details.behind ?? false;
    this.unprovenOwners = details.unprovenOwners ?? [];
    this.agreed = details.agreed ?? false;
    this.differs = details.differs ?? false;
  }
}
