// The parameters of calls: addresses, signatures, slots and the options object, checked as nodes check them, and the block that
// the options' commitment and minContextSlot select.

import { isAddress, type Address } from '@solana/kit';
import { base58 } from '@scure/base';
import { z } from 'zod';
import type { Block, Blocks, Commitment } from './blocks';
import { invalidParams, minContextSlotNotReached, RpcError } from './rpc-error';

const whole = z.number().int().nonnegative();
const options = z.object({
  commitment: z
    .enum(['processed', 'confirmed', 'finalized', 'recent', 'single', 'singleGossip', 'root', 'max'])
    .nullish()
    .transform((given) => COMMITMENTS[given ?? 'finalized']),
  preflightCommitment: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
  minContextSlot: whole.nullish(),
  encoding: z.enum(['base58', 'base64', 'base64+zstd', 'json', 'jsonParsed']).nullish(),
  dataSlice: z.object({ offset: whole, length: whole }).nullish(),
  limit: whole.nullish(),
  before: z.string().nullish(),
  until: z.string().nullish(),
  maxSupportedTransactionVersion: whole.max(255).nullish(),
  transactionDetails: z.enum(['full', 'accounts', 'signatures', 'none']).nullish(),
  rewards: z.boolean().nullish(),
  searchTransactionHistory: z.boolean().nullish(),
  skipPreflight: z.boolean().nullish(),
  sigVerify: z.boolean().nullish(),
  replaceRecentBlockhash: z.boolean().nullish(),
  innerInstructions: z.boolean().nullish(),
  withContext: z.boolean().nullish(),
  accounts: z.object({ addresses: z.array(z.string()), encoding: z.string().nullish() }).nullish(),
  filters: z
    .array(
      z.union([
        z.object({ dataSize: whole }),
        z.object({ memcmp: z.object({ offset: whole, bytes: z.string(), encoding: z.string().nullish() }) }),
      ]),
    )
    .nullish(),
});

export type Options = z.output<typeof options>;

/** The names that older clients use still work. */
const COMMITMENTS: Readonly<Record<string, Commitment>> = {
  processed: 'processed',
  confirmed: 'confirmed',
  finalized: 'finalized',
  recent: 'processed',
  single: 'confirmed',
  singleGossip: 'confirmed',
  root: 'finalized',
  max: 'finalized',
} satisfies Record<string, Commitment>;

/** The options object; all defaults without one. A text is an encoding, as in some old calls. */
export function optionsOf(value: unknown): Options & { readonly commitment: Commitment } {
  const given = typeof value === 'string' ? { encoding: value } : (value ?? {});
  const { commitment, ...rest } = checked(options, given);
  return { ...rest, commitment: commitment ?? 'finalized' };
}

export function addressOf(value: unknown): Address {
  if (typeof value !== 'string' || !isAddress(value)) throw invalidParams('Invalid param: Invalid');
  return value;
}

/** A transaction's signature or a blockhash: base58 of the given number of bytes. */
export function base58Of(value: unknown, bytes: 32 | 64): string {
  const { length } = decodedBase58(textOf(value));
  if (length !== bytes) throw invalidParams('Invalid param: WrongSize');
  return value as string;
}

/** The bytes of base58 text. */
export function decodedBase58(text: string): Uint8Array {
  try {
    return base58.decode(text);
  } catch {
    throw invalidParams('Invalid param: Invalid');
  }
}

export const slotOf = (value: unknown): number => checked(whole, value);
export const textOf = (value: unknown): string => checked(z.string(), value);

/** A list no longer than a node accepts. */
export function listOf(value: unknown, most: number): unknown[] {
  const list = checked(z.array(z.unknown()), value);
  if (list.length > most) throw invalidParams(`Too many inputs provided; max ${most}`);
  return list;
}

/** The block that the response is true for. Throws when it is older than the caller requires. */
export function contextOf(blocks: Blocks, { commitment, minContextSlot }: ReturnType<typeof optionsOf>): Block {
  const block = blocks.at(commitment);
  if (block.slot < (minContextSlot ?? 0)) throw minContextSlotNotReached(block.slot);
  return block;
}

/** Blocks and their transactions are served from `confirmed` on. */
export function refuseProcessed({ commitment }: { readonly commitment: Commitment }): void {
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new RpcError(-32602, `Invalid params: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}
