// The interface of Squads multisigs on Solana, whose vaults hold money that several members move together: what the chain says about one, and
// a transfer drafted for its members. What became of the transfer is known by its transaction, as with a plain wallet.

import type { PaymentOrder } from './send';

/** With more signatures the transaction is longer than Solana's 1232 bytes. */
export const MAX_MEMBERS = 4;

export type SquadsMember = {
  readonly address: string;
  readonly proposes: boolean;
  readonly votes: boolean;
  readonly executes: boolean;
};

export type SquadsState = {
  /** As many members must approve. */
  readonly threshold: number;
  /** Seconds between the approval and the execution. */
  readonly timeLock: number;
  /** Of its newest transaction. The next one has the next index. */
  readonly lastIndex: number;
  readonly members: readonly SquadsMember[];
};

/** One transfer out of a vault, and everything else that its transaction contains. */
export type SquadsTransfer = {
  readonly multisig: string;
  readonly vaultIndex: number;
  /** Of the transaction in the multisig. Nothing else can have it. */
  readonly index: number;
  /** Those who sign and approve. The first one also proposes, executes, and pays the fee and the rent. */
  readonly members: readonly string[];
  /** The wallet whose associated account is paid. */
  readonly to: string;
  readonly mint: string;
  readonly decimals: number;
  readonly amount: bigint;
  /** Its authority is the first member. */
  readonly nonceAccount: string;
  readonly nonceValue: string;
  readonly unitLimit: number;
  /** Micro-lamports per compute unit. */
  readonly unitPrice: bigint;
};

export type SquadsDrafting = {
  readonly order: PaymentOrder;
  /** The vault's address. */
  readonly vault: string;
} & Pick<SquadsTransfer, 'multisig' | 'vaultIndex' | 'index' | 'members' | 'nonceAccount'>;

export interface SquadsSender {
  /** Null: the address is no multisig of Squads. Throws a ChainError when too few endpoints report the same. */
  state(multisig: string): Promise<SquadsState | null>;
  /** Tries the transfer out and drafts it: the base64 of the message that the members sign. Throws as `ChainSender.draft` does. */
  draft(drafting: SquadsDrafting): Promise<string>;
}
