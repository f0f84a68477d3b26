// A transaction's message in one shape for the versions legacy, 0 and 1.

import type { Address } from '@solana/kit';
import type { TransactionConfig } from './priority-fee';

type Version = 'legacy' | 0 | 1;
export type Instruction = {
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
};
export type Lookup = {
  readonly table: Address;
  readonly writable: readonly number[];
  readonly readonly: readonly number[];
};
export type Message = {
  readonly version: Version;
  readonly signers: number;
  readonly readonlySigners: number;
  readonly readonlyOthers: number;
  readonly staticKeys: readonly Address[];
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
  readonly lookups: readonly Lookup[];
  /** Of version 1 only. */
  readonly config: TransactionConfig | null;
};
