// The terms of a sweep on Solana, as rows of sweeps keep them: the blockhash with the last block in which it may land, and the compute
// units with their price.

import { z } from 'zod';
import type { Sweep } from '@/lib/sweeps/rows';

const terms = z.object({
  blockhash: z.string(),
  lastValidBlockHeight: z.int().min(1),
  unitLimit: z.int().min(1),
  /** Micro-lamports per compute unit. */
  unitPrice: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .transform(BigInt),
});
export type SolanaTerms = z.output<typeof terms>;

export const solanaTermsOf = (sweep: Pick<Sweep, 'terms'>): SolanaTerms => terms.parse(sweep.terms);

/** As a row keeps them. */
export const storedTerms = ({ blockhash, lastValidBlockHeight, unitLimit, unitPrice }: SolanaTerms) => ({
  blockhash,
  lastValidBlockHeight,
  unitLimit,
  unitPrice: unitPrice.toString(),
});
