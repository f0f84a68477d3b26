// The part of a fee that a sender adds freely: a price per compute unit in the versions legacy and 0, a total in version 1.

import type { Address } from '@solana/kit';

/** The fields of version 1 that replace compute budget instructions; null for an omitted one. */
export type TransactionConfig = {
  readonly priorityFee: number | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
};

type Priced = {
  readonly config: TransactionConfig | null;
  readonly staticKeys: readonly Address[];
  readonly instructions: readonly { readonly program: number; readonly data: Uint8Array }[];
};

const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111' as Address;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const DEFAULT_UNITS = 200_000n;
const MAX_UNITS = 1_400_000n;
const MICRO = 1_000_000n;
/** Bits of the mask, in the order in which the values follow it; the fee takes two. */
const MASKS = { priorityFee: 0b11, computeUnitLimit: 0b100, loadedAccountsDataSizeLimit: 0b1000, heapSize: 0b10000 };

/** Reads the values that the mask declares. */
export function configOf(mask: number, values: readonly { readonly value: number | bigint }[]): TransactionConfig {
  let taken = 0;
  const next = (bits: number) => ((mask & bits) === 0 ? null : Number(values[taken++]?.value));
  return {
    priorityFee: next(MASKS.priorityFee),
    computeUnitLimit: next(MASKS.computeUnitLimit),
    loadedAccountsDataSizeLimit: next(MASKS.loadedAccountsDataSizeLimit),
    heapSize: next(MASKS.heapSize),
  };
}

/** Lamports, rounded up. */
export function priorityFee({ config, staticKeys, instructions }: Priced): bigint {
  if (config) return BigInt(config.priorityFee ?? 0);
  let limit: bigint | null = null;
  let price = 0n;
  let others = 0n;
  for (const { program, data } of instructions) {
    if (staticKeys[program] !== COMPUTE_BUDGET_PROGRAM) others++;
    else if (data[0] === SET_COMPUTE_UNIT_LIMIT) limit = BigInt(Buffer.from(data).readUInt32LE(1));
    else if (data[0] === SET_COMPUTE_UNIT_PRICE) price = Buffer.from(data).readBigUInt64LE(1);
  }
  const units = limit ?? DEFAULT_UNITS * others;
  return (price * (units > MAX_UNITS ? MAX_UNITS : units) + MICRO - 1n) / MICRO;
}
