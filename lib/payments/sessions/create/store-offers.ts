// What a store may offer: the tokens of the installation on the networks that the store has chosen, as far as the operator allows them.
// Pure.

import { offers, type Offer } from '@/lib/networks/registry';
import { pairName } from '@/lib/payments/sessions/settle/judge';
import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';

export type OfferingStore = {
  readonly environment: Environment;
  /** An empty list means all. */
  readonly networks: readonly string[];
  /** Pairs of network and token that the operator allows; an empty list means all. */
  readonly allowedPairs: readonly string[];
};

export type StoreOffer = Pick<Offer, 'spec' | 'currencies'>;

/** Networks without a token that the store may offer are left out. */
export function storeOffers(config: Config, { environment, networks, allowedPairs }: OfferingStore): StoreOffer[] {
  const isAllowed = (network: string, currency: string): boolean =>
    allowedPairs.length === 0 || allowedPairs.includes(pairName({ network, currency }));
  return offers(config)
    .filter(({ spec }) => spec.environment === environment && isNetworkOf({ networks }, spec.network))
    .map(({ spec, currencies }) => ({
      spec,
      currencies: currencies.filter((currency) => isAllowed(spec.network, currency)),
    }))
    .filter(({ currencies }) => currencies.length > 0);
}

/** Whether a store accepts payments on a network. A store without a selection accepts all networks. */
const isNetworkOf = ({ networks }: Pick<OfferingStore, 'networks'>, network: string): boolean =>
  networks.length === 0 || networks.includes(network);
