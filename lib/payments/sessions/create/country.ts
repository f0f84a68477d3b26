// The country policy: which tokens a new session may offer to a customer of a country, by the installation's rules and those of the store.
// The store can only be stricter, because every rule must allow a token. Pure.

import { isStablecoin, STABLECOINS } from '@/lib/money/amounts';
import { offers } from '@/lib/networks/registry';
import { pairName } from '@/lib/payments/sessions/settle/judge';
import type { Config } from '@/lib/platform/config/config';
import { isTokenAllowed, parseCountryRules } from '@/lib/platform/countries/rules';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isAtPar } from './rules';
import type { SessionStore } from './statement';

/** `country`: in upper case; null where the merchant does not pass it. `currency`: of the price, in upper case. */
export type Customer = { readonly country: string | null; readonly currency: string };

/**
 * The store as it may sell to this customer: only pairs with a token that is allowed. A price that is converted settles in an allowed token.
 * Throws INVALID_CURRENCY when none of the tokens that could pay the price is allowed.
 */
export function storeFor<Store extends SessionStore>(config: Config, store: Store, customer: Customer): Store {
  const { country, currency } = customer;
  const own = parseCountryRules(store.countryRules);
  if (own === null) throw new Error(`the country rules of store ${store.storeId} cannot be read`);
  const rules = [...config.COUNTRY_RULES, ...own];
  const allowed = STABLECOINS.filter((token) => isTokenAllowed(rules, country, token));
  if (allowed.length === STABLECOINS.length) return store;
  const payable = payableTokens(store, currency);
  const pairs = offers(config)
    .filter(({ spec }) => spec.environment === store.environment)
    .flatMap(({ spec, currencies }) =>
      currencies
        .filter((token) => allowed.some((one) => one === token))
        .map((token) => pairName({ network: spec.network, currency: token })),
    )
    .filter((pair) => store.allowedPairs.length === 0 || store.allowedPairs.includes(pair));
  // An empty list of pairs means all.
  if (pairs.length === 0 || !payable.some((token) => allowed.some((one) => one === token)))
    throw notOffered(customer, payable);
  const settlementCurrency = allowed.find((token) => token === store.settlementCurrency) ?? allowed[0] ?? '';
  return { ...store, allowedPairs: pairs, settlementCurrency };
}

const payableTokens = ({ usdCurrencies }: SessionStore, currency: string): readonly string[] => {
  if (isStablecoin(currency)) return [currency];
  return isAtPar(currency) ? usdCurrencies : STABLECOINS;
};

function notOffered({ country }: Customer, tokens: readonly string[]): ServiceError {
  const whom = country === null ? 'a customer whose customer_country is not given' : `a customer in ${country}`;
  const message = `The country rules allow no payment in ${tokens.join(' or ')} by ${whom}.`;
  return new ServiceError('INVALID_CURRENCY', { param: 'currency', message });
}
