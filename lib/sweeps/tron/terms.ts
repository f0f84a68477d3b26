// The terms of a TRON sweep: the block that it refers to, its times and its fee limit, as rows of sweeps keep them.

import { z } from 'zod';
import type { Sweep } from '@/lib/sweeps/rows';

/** As the signer takes them. `expiration` and `timestamp` in milliseconds, `feeLimit` in sun. */
const terms = z.object({
  refBlockBytes: z.string(),
  refBlockHash: z.string(),
  expiration: z.int(),
  timestamp: z.int(),
  feeLimit: z.string(),
});
export type TronTerms = z.output<typeof terms>;

export const tronTermsOf = (sweep: Pick<Sweep, 'terms'>): TronTerms => terms.parse(sweep.terms);
