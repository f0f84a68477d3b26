// The ways to pay by the chosen method besides address and amount: the wallet links, and the request for a browser wallet. Derived
// from the view; it never includes an endpoint of the operator.

import { FAMILIES } from '@/lib/networks/families/family';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { Config } from '@/lib/platform/config/config';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { wholeTokens } from '@/lib/networks/payment-uri';
import type { CheckoutView, PayMethod } from '@/lib/payments/checkout/view';
import type { BrowserPayment } from '@/lib/payments/checkout/browser/payment';
import { cheapestByWorth, withWorth, type ShownFee } from './fee-worth';
import { blockSeconds, feeOf } from './network-facts';
import { walletLinks, type WalletLink } from './links';

export type PayWays = {
  readonly links: readonly WalletLink[];
  /** Null for a method that the networks table does not have. */
  readonly browser: BrowserPayment | null;
};

type Settings = Pick<Config, 'PUBLIC_URL' | 'TEST_CHAINS'>;

/** The networks that accept payments now, in the offered order. */
export function offeredSpecs({ facts, methods }: CheckoutView, config: Settings): NetworkSpec[] {
  const networks = [...new Set(methods.map(({ network }) => network))];
  return networks.flatMap((network) => networkSpec(facts.environment, network, config.TEST_CHAINS) ?? []);
}

/** Known block intervals, in seconds, of the networks that payments arrived on. */
export function blockIntervalsOf({ facts, seen }: CheckoutView, config: Settings): ReadonlyMap<string, number> {
  const networks = [...new Set(seen.map(({ network }) => network))];
  return new Map(
    networks.flatMap((network): [string, number][] => {
      const spec = networkSpec(facts.environment, network, config.TEST_CHAINS);
      return spec ? [[network, blockSeconds(spec)]] : [];
    }),
  );
}

/** The known fee of a payment on each of these networks. */
export function feesOf(
  { facts, serverTime }: Pick<CheckoutView, 'facts' | 'serverTime'>,
  networks: readonly string[],
): ReadonlyMap<string, ShownFee> {
  return new Map(
    networks.flatMap((network): [string, ShownFee][] => {
      const reported = facts.chains.find((chain) => chain.network === network);
      const fee = feeOf(network, reported, serverTime);
      return fee ? [[network, withWorth(network, fee, facts)]] : [];
    }),
  );
}

/** The cheapest network that accepts payments now; null when unknown. */
export function cheapestOffered(view: CheckoutView): string | null {
  const networks = [...new Set(view.methods.map(({ network }) => network))];
  return cheapestByWorth(networks, feesOf(view, networks));
}

/** The ways to pay by this method. `method` is one of the view's. */
export function payWays({ facts }: CheckoutView, method: PayMethod, config: Settings): PayWays {
  const spec = networkSpec(facts.environment, method.network, config.TEST_CHAINS);
  const token = spec?.tokens[method.currency];
  if (!spec || !token) return { links: [], browser: null };
  const { currency, address: recipient } = method;
  const units = centsToBaseUnits(BigInt(method.amount.replace('.', '')), token.decimals);
  const pageUrl = `${config.PUBLIC_URL}/pay/${facts.id}?method=${method.network}-${currency}`;
  const amount = wholeTokens(units, token.decimals);
  return {
    links: walletLinks({ spec, currency, recipient, units, amount, pageUrl }),
    browser: {
      family: spec.family,
      sessionId: facts.id,
      network: spec.network,
      currency,
      chain: FAMILIES[spec.family].walletChain(spec),
      chainName: spec.name,
      token: token.contract,
      decimals: token.decimals,
      recipient,
      units: String(units),
      amount: method.amount,
      coin: spec.coin,
      // Only public endpoints: the operator's endpoint URLs may contain provider keys.
      publicUrls: spec.endpoints,
      explorer: spec.explorer === null ? null : new URL(spec.explorer).origin,
    },
  };
}
