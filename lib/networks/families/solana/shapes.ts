// Schemas of the JSON-RPC answers for the Solana adapter. They check only the fields that are used, because new transaction
// versions differ in the rest. Slots and times become safe integers, amounts bigint. `rentEpoch` is above 2^53 and is never read.

import { base58 } from '@scure/base';
import { z } from 'zod';

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
export const key = z.string().regex(BASE58).min(32).max(44);
const SIGNATURE_LENGTH = 64;
export const signature = z.string().regex(BASE58).min(64).max(88);
const count = z.number().int().nonnegative();

/** Whether the text is a transaction signature: base58 of 64 bytes. */
export const isSignature = (text: string): boolean =>
  signature.safeParse(text).success && base58.decode(text).length === SIGNATURE_LENGTH;

export const slot = count;

/** A block without its transactions; null if the node has none. */
export const block = z
  .object({ blockhash: key, previousBlockhash: key, parentSlot: count, blockTime: count.nullable() })
  .nullable();

/** The time and the height of a block. */
export const oldBlock = z.object({ blockTime: count.nullable(), blockHeight: count.nullish() }).nullable();

/** An account's owner program and the start of its data in base64. */
const accountFields = z.object({
  owner: key,
  data: z.tuple([z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/), z.literal('base64')]),
});
export type AccountData = z.output<typeof accountFields>;

export const accounts = z.object({
  context: z.object({ slot: count }),
  value: z.array(accountFields.nullable()),
});

export const ownedAccounts = z.object({
  context: z.object({ slot: count }),
  value: z.array(z.object({ pubkey: key, account: accountFields })),
});

/** A transaction that mentions an address, newest first; `err` of a failed one is an object or a text. */
export const signatures = z.array(
  z.object({ signature, slot: count, err: z.unknown(), blockTime: z.number().int().nullish() }),
);
export type ListedSignature = { readonly signature: string; readonly slot: number; readonly failed: boolean };

const tokenBalance = z.object({
  accountIndex: count.max(255),
  mint: key,
  // Absent in records from before 2022; such a balance has no known owner.
  owner: key.optional(),
  programId: key.optional(),
  uiTokenAmount: z.object({
    amount: z
      .string()
      .regex(/^\d{1,20}$/)
      .transform(BigInt),
    decimals: count.max(255),
  }),
});
export type TokenBalance = z.output<typeof tokenBalance>;

/** Null, or left out by old nodes: there are none. */
const balances = z
  .array(tokenBalance)
  .nullish()
  .transform((list) => list ?? []);

/**
 * The SOL balances of all accounts of a transaction, in order. Above 2^53 a balance may be rounded: such balances are compared
 * but not used as amounts.
 */
const lamports = z
  .array(z.number().nonnegative())
  .nullish()
  .transform((list) => list ?? []);

/** A transaction at a commitment; null if the node does not know it there. */
export const transaction = z
  .object({
    slot: count,
    transaction: z.object({
      signatures: z.array(signature).min(1),
      message: z.object({
        accountKeys: z.array(key).min(1),
        // Without it the signers are unknown, and no payer is refunded automatically.
        header: z.object({ numRequiredSignatures: count }).nullish(),
      }),
    }),
    meta: z.object({
      err: z.unknown(),
      preBalances: lamports,
      postBalances: lamports,
      preTokenBalances: balances,
      postTokenBalances: balances,
      loadedAddresses: z.object({ writable: z.array(key), readonly: z.array(key) }).nullish(),
    }),
  })
  .nullable();
export type Transaction = NonNullable<z.output<typeof transaction>>;

/** The status of a transaction; `confirmations` is null once it is final. */
export const statuses = z.object({
  context: z.object({ slot: count }),
  value: z.array(
    z
      .object({
        slot: count,
        confirmations: count.nullable(),
        err: z.unknown(),
        confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
      })
      .nullable(),
  ),
});
