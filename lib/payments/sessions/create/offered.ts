// The networks and tokens that a new session offers, from the settings of the installation and of the store. Whether a network can be
// read at the moment is decided when the session is written (statement.ts).

import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { pairName } from '@/lib/payments/sessions/settle/judge';
import { storeFor } from './country';
import { isAtPar, tokensAtPar } from './rules';
import type { NewSession, SessionStore } from './statement';
import { storeOffers, type StoreOffer } from './store-offers';

/** The offered networks and the pairs that count there, including the other token if the store accepts it. */
export function offeredFor(
  config: Context['config'],
  store: SessionStore,
  currencies: readonly string[],
  network: string | undefined,
): Pick<NewSession, 'networks' | 'pairs'> {
  const all = networksFor(config, store, currencies);
  const networks = all.filter((offered) => network === undefined || offered === network);
  // The country rules left no token of the requested network.
  if (all.length > 0 && networks.length === 0) {
    const message = `${network} does not offer ${currencies.join(' or ')} to this customer.`;
    throw new ServiceError('INVALID_CURRENCY', { param: 'currency', message });
  }
  const pairs = storeOffers(config, store)
    .filter(({ spec }) => networks.includes(spec.network))
    .flatMap(({ spec, currencies: there }) =>
      there
        .filter((currency) => store.acceptsOtherToken || currencies.includes(currency))
        .map((currency) => pairName({ network: spec.network, currency })),
    );
  return { networks, pairs };
}

/**
 * The networks of the store on which at least one of the tokens is offered. Throws INVALID_CURRENCY when such networks
 * exist but the store accepts payments on none of them: a retry cannot help.
 */
function networksFor(config: Context['config'], store: SessionStore, currencies: readonly string[]): string[] {
  const hasToken = (offer: StoreOffer): boolean => currencies.some((currency) => offer.currencies.includes(currency));
  const own = storeOffers(config, store).filter(hasToken);
  const isAnywhere = offers(config).some((offer) => offer.spec.environment === store.environment && hasToken(offer));
  if (own.length > 0 || !isAnywhere) return own.map(({ spec }) => spec.network);
  const message = `None of the networks that the store is set to offers ${currencies.join(' or ')}.`;
  throw new ServiceError('INVALID_CURRENCY', { param: 'currency', message });
}

/** What a customer can choose from, before a session exists. Both are empty when the store can take no payment in the currency. */
export type Offered = { readonly networks: readonly string[]; readonly tokens: readonly string[] };

/** The networks and tokens of a session with a price in this currency, in upper case, for a customer of an unknown country. */
export function offeredIn(config: Context['config'], given: SessionStore, currency: string): Offered {
  let store: SessionStore;
  try {
    store = storeFor(config, given, { country: null, currency });
  } catch (error) {
    if (error instanceof ServiceError) return { networks: [], tokens: [] };
    throw error;
  }
  const tokens = isAtPar(currency) ? tokensAtPar(currency, store) : [store.settlementCurrency];
  const there = storeOffers(config, store)
    .map(({ spec, currencies }) => ({
      network: spec.network,
      tokens: currencies.filter((one) => tokens.includes(one)),
    }))
    .filter((one) => one.tokens.length > 0);
  return {
    networks: there.map(({ network }) => network),
    tokens: tokens.filter((token) => there.some((one) => one.tokens.includes(token))),
  };
}
