// Which tokens refunds are paid out in, and how they count, by the networks table and the operator's settings.

import { networkSpec } from '@/lib/networks/networks';
import { offers } from '@/lib/networks/registry';
import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';
import type { DecimalsOf } from '@/lib/ledger/sources';

/** The tokens that refunds on a network are paid out in: those that exist there, except those that the operator turned off. */
export const tokensOn =
  (config: Config, environment: Environment) =>
  (network: string): readonly string[] => {
    const offered = offers(config).find(({ spec }) => spec.environment === environment && spec.network === network);
    if (offered) return offered.currencies;
    // The settings no longer have endpoints of the network. The refund waits until they do.
    const tokens = Object.entries(networkSpec(environment, network, config.TEST_CHAINS)?.tokens ?? {});
    return tokens.filter(([, { offByDefault }]) => offByDefault === undefined).map(([currency]) => currency);
  };

type Asset = { readonly network: string; readonly currency: string };

/** Decimals of tokens of an environment. Throws for a token that is not in the networks table. */
export const decimalsIn =
  (config: Config, environment: Environment): DecimalsOf =>
  ({ network, currency }) => {
    const token = networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency];
    if (!token) throw new Error(`${currency} on ${network} is not in the networks table`);
    return token.decimals;
  };

/**
 * What may be added up with a refund: all offered tokens, which have the same value, or only its own asset when that is not offered. A
 * worthless token must not cover a refund in another one.
 */
export function countsTowards(
  config: Config,
  { environment, network, currency }: Asset & { readonly environment: Environment },
): (one: Asset) => boolean {
  const offered = tokensOn(config, environment);
  if (!offered(network).includes(currency)) return (one) => one.network === network && one.currency === currency;
  return (one) => offered(one.network).includes(one.currency);
}
