// What every simulated chain offers to a history, whatever its family: payments, blocks, reorganisations, and the facts
// by which the checks judge the product. The checks read these facts and never what an endpoint answers.

import type { NetworkSpec } from '@/lib/networks/networks';

/** Some of a token from one address to another one. */
export type Movement = {
  readonly token: string;
  readonly payer: string;
  readonly recipient: string;
  readonly amount: bigint;
};

/** A payment that somebody sends. `by`: who orders it when that is not the payer, such as a relayer. */
export type Payment = Movement & {
  /** What else the same transaction moves. Solana's chain takes none. */
  readonly more?: readonly Movement[];
  readonly by?: string;
  /** It is mined and moves nothing. */
  readonly fails?: boolean;
  /** It moves nothing if a payer has less, as deposit addresses may. */
  readonly needsFunds?: true;
};

/** A transaction that an account other than the refund wallet has signed. */
export type SentTransaction = {
  readonly hash: string;
  readonly from: string;
  /** 0 where accounts have none. */
  readonly nonce: number;
  /** Null while no block has it. */
  readonly blockNumber: number | null;
  /** What it cost its sender, in the coin's smallest unit, with the coin that it sent. */
  readonly cost: bigint;
  readonly moved: readonly Movement[];
};

/** A token transfer in a block. */
export type ChainTransfer = {
  readonly hash: string;
  readonly ordinal: number;
  readonly token: string;
  readonly payer: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly blockNumber: number;
  /** Unix seconds. */
  readonly blockTime: number;
};

/** What one request to an endpoint of the chain sees. */
export type View = {
  /** The newest visible block. */
  readonly height: number;
  /** Changes results, such as an endpoint that lies. Undefined keeps the true one; `{ error }` is a refusal. */
  readonly tamper?: (method: string, params: readonly unknown[], result: unknown) => unknown;
  /** It takes no transaction that delegates (EIP-7702). */
  readonly refusesDelegations?: boolean;
  /** Blocks above this number are those of a fork that only this endpoint knows. */
  readonly forkedAbove?: number;
  /** The endpoint has deleted all blocks below this number but the first one. */
  readonly keepsFrom?: number;
};

/** Everything that a payment moves, in order. */
export const movementsOf = ({ more = [], ...first }: Payment): readonly Movement[] => [first, ...more];

export type SimulatedChain = {
  readonly network: string;
  readonly spec: NetworkSpec;
  /** Hands a payment to the network. Returns its transaction's hash. It lands with the next block. */
  readonly pay: (payment: Payment) => string;
  /** Takes a customer's payment back while it waits, as a replacement of it does. False when it waits no more. */
  readonly withdraw?: (hash: string) => boolean;
  /** The miner of the next block knows replaced transactions and not their replacements. Returns how many. */
  readonly restoreReplaced?: () => number;
  /** Makes a block of what waits. */
  readonly mine: (unixSeconds: number) => void;
  /** Replaces the newest blocks above finality by others. Their transactions wait again, without the dropped ones. */
  readonly reorg: (depth: number, isDropped: (hash: string) => boolean) => number;
  /** Removes what waits and was not mined. Returns how many transactions that were. */
  readonly dropWaiting: () => number;
  readonly height: () => number;
  /** The newest final block. It never goes back. */
  readonly final: () => number;
  /** Transfers in the canonical chain up to a block, in the order of the chain. */
  readonly transfers: (through: number) => readonly ChainTransfer[];
  /**
   * The issuer of a token refuses transfers to an address, or all of them for `*`, from the next block on. Returns false
   * when it did so before.
   */
  readonly refuse: (token: string, recipient: string) => boolean;
  /** How many refusals there are. */
  readonly refusals: () => number;
  readonly allowAll: () => void;
  /** The transactions of sweeps in blocks and in the mempool. Absent where the product sends none. */
  readonly sent?: () => readonly SentTransaction[];
  /** Freezes sun of an account for energy. TRON only. */
  readonly stake?: (address: string, amount: bigint) => void;
  /** The addresses that an account lends energy to in final blocks. TRON only. */
  readonly lent?: (address: string) => readonly string[];
  /** Somebody sends coin to an address, in the coin's smallest unit. */
  readonly giveCoin?: (address: string, amount: bigint) => void;
  /** Opens a durable nonce account. Solana only. */
  readonly openNonce?: (account: string, authority: string) => void;
  /** Addresses whose coin is elsewhere for a while. */
  readonly penniless?: Set<string>;
  /** Multiplies the price of a transaction. */
  readonly setFees: (factor: bigint) => void;
  /** The result of one request of the family's protocol. `{ error }` is a refusal. */
  readonly answer: (view: View, method: string, params: readonly unknown[]) => unknown;
};
