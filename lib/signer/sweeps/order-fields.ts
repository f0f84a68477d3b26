// Fields that the sweep calls of every family of networks share.

import { z } from 'zod';
import { INDEX_LIMIT } from '@/lib/treasury/wallets/derivation';

/** A whole number as decimal text of at most this many digits. */
export const decimal = (digits: number) =>
  z
    .string()
    .max(digits)
    .regex(/^(0|[1-9][0-9]*)$/);

/** The derivation index of a deposit address. */
export const index = z
  .int()
  .min(0)
  .max(INDEX_LIMIT - 1);

export const chain = { environment: z.enum(['live', 'test']), network: z.string().regex(/^[a-z0-9]{1,32}$/) };
