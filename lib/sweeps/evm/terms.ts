// The terms of an EVM sweep: its account nonce, its gas limit and its prices, as rows of sweeps keep them.

import { z } from 'zod';
import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import type { Sweep } from '@/lib/sweeps/rows';

const amount = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform(BigInt);
const terms = z.object({
  nonce: z.int().min(0),
  gasLimit: amount,
  maxFeePerGas: amount,
  maxPriorityFeePerGas: amount,
});

/** Prices in wei per gas. */
export type EvmTerms = z.output<typeof terms>;

export const evmTermsOf = (sweep: Pick<Sweep, 'terms'>): EvmTerms => terms.parse(sweep.terms);

/** As a row keeps them. */
export const storedTerms = ({ nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas }: EvmTerms) => ({
  nonce,
  gasLimit: gasLimit.toString(),
  maxFeePerGas: maxFeePerGas.toString(),
  maxPriorityFeePerGas: maxPriorityFeePerGas.toString(),
});

/** What a unit of gas will cost. The highest price allows for a base fee that doubles, and the half of that is the usual one. */
export const expectedPrice = ({ maxFeePerGas, maxPriorityFeePerGas }: Prices): bigint =>
  (maxFeePerGas + maxPriorityFeePerGas) / 2n;
