// Amounts of the simulated tokens in cents, whatever their decimals.

import type { SimulatedChain } from './chain';

/** The base units of one cent. */
export const centOf = ({ spec }: SimulatedChain, currency: string): bigint =>
  10n ** BigInt((spec.tokens[currency]?.decimals ?? 2) - 2);

/** The name of a token by its contract. */
export const currencyOf = ({ spec }: SimulatedChain, token: string): string =>
  Object.entries(spec.tokens).find(([, { contract }]) => contract === token)?.[0] ?? token;

/** Parts of a cent. Every amount of every token is a whole number of them. */
export const FINE = 10n ** 16n;
export const fineAmount = (chain: SimulatedChain, currency: string, amount: bigint): bigint =>
  (amount * FINE) / centOf(chain, currency);
