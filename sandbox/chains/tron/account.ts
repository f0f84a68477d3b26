// One account of the local TRON chain: its TRX, its activation, its code, its stakes and its used resources. Values are never
// changed in place.

import type { Message } from './protobuf';

export type Resource = 'BANDWIDTH' | 'ENERGY';

/** Sun staked for a resource: its own, delegated to others, and delegated by others. */
type Stake = { readonly own: bigint; readonly lent: bigint; readonly borrowed: bigint };
/** Sun that is no longer staked and cannot be withdrawn before `until` (Unix milliseconds). */
type Unstaking = { readonly resource: Resource; readonly amount: bigint; readonly until: number };
/** The usage at a moment (Unix milliseconds). It recovers evenly over a day. */
export type Usage = { readonly amount: number; readonly at: number };

export type Permission = {
  readonly id: number;
  readonly name: string;
  readonly threshold: number;
  /** 32 bytes as hex, a bit for each contract's number; null for the owner permission, which allows every contract. */
  readonly operations: string | null;
  readonly keys: readonly { readonly address: string; readonly weight: number }[];
};
export type Permissions = { readonly owner: Permission; readonly actives: readonly Permission[] };

export type Account = {
  /** Sun. */
  readonly balance: bigint;
  /** The EVM's own count, for contracts that create contracts. */
  readonly nonce: bigint;
  readonly codeHash: Uint8Array | null;
  /** Unix milliseconds of the activation, null before. Receiving a token does not activate an account. */
  readonly createdAt: number | null;
  readonly lastOperationAt: number | null;
  /** The description of the contract at its creation; null for an account without code. */
  readonly contract: Message | null;
  /** Null until the account changes them: its key alone may do everything. */
  readonly permissions: Permissions | null;
  readonly stakes: Readonly<Record<Resource, Stake>>;
  readonly unstaking: readonly Unstaking[];
  readonly used: Readonly<Record<Resource | 'FREE', Usage>>;
};

const NO_STAKE: Stake = { own: 0n, lent: 0n, borrowed: 0n };
const NO_USAGE: Usage = { amount: 0, at: 0 };

export const BLANK_ACCOUNT: Account = {
  balance: 0n,
  nonce: 0n,
  codeHash: null,
  createdAt: null,
  lastOperationAt: null,
  contract: null,
  permissions: null,
  stakes: { BANDWIDTH: NO_STAKE, ENERGY: NO_STAKE },
  unstaking: [],
  used: { FREE: NO_USAGE, BANDWIDTH: NO_USAGE, ENERGY: NO_USAGE },
};
