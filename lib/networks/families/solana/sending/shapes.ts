// Schemas of the JSON-RPC answers for sending on Solana. Slots and lamports become safe integers.

import { z } from 'zod';
import { key } from '@/lib/networks/families/solana/shapes';

const count = z.number().int().nonnegative();
const context = z.object({ slot: count });

export const sendAccounts = z.object({
  context,
  value: z.array(
    z
      .object({ lamports: count, owner: key, data: z.tuple([z.string(), z.literal('base64')]) })
      .transform(({ lamports, owner, data }) => ({ lamports, owner, data: Buffer.from(data[0], 'base64') }))
      .nullable(),
  ),
});
export type SendAccount = NonNullable<z.output<typeof sendAccounts>['value'][number]>;

export const latestBlockhash = z.object({
  context,
  value: z.object({ blockhash: key, lastValidBlockHeight: count }),
});
export const epochInfo = z.object({ absoluteSlot: count, blockHeight: count });
export const prioritizationFees = z.array(z.object({ slot: count, prioritizationFee: count }));
export const lamports = count;
export const simulation = z.object({
  context,
  // No transaction may use more units than this.
  value: z.object({ err: z.unknown(), unitsConsumed: count.max(1_400_000).nullish() }),
});
