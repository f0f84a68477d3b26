// Everything the page offers for paying by the chosen method beyond address and amount: the wallet links, and what a wallet
// in the browser has to be asked for. Derived from the view; no endpoint of the operator's is ever part of it.

import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { Config } from '@/lib/platform/config/config';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { wholeTokens } from '@/lib/networks/payment-uri';
import type { CheckoutView, PayMethod } from '@/lib/payments/checkout/view';
import type { BrowserPayment } from '@/lib/payments/checkout/browser/payment';
import { cheapestByWorth, withWorth, type ShownFee } from './fee-worth';
import { blockSeconds, feeOf, networkFacts } from './network-facts';
import { walletLinks, type WalletLink } from './links';

export type PayWays = {
  readonly links: readonly WalletLink[];
  /** Null on a network that browser wallets cannot be asked to pay on. */
  readonly browser: BrowserPayment | null;
};

type Settings = Pick<Config, 'PUBLIC_URL' | 'TEST_CHAINS'>;

/** The row of each network that can be paid on now, in the order in which they are offered. */
export function offeredSpecs({ facts, methods }: CheckoutView, config: Settings): NetworkSpec[] {
  const networks = [...new Set(methods.map(({ network }) => network))];
  return networks.flatMap((network) => networkSpec(facts.environment, network, config.TEST_CHAINS) ?? []);
}

/** Seconds between blocks of the networks that payments arrived on, where they are known. */
export function pacesOf({ facts, seen }: CheckoutView, config: Settings): ReadonlyMap<string, number> {
  const networks = [...new Set(seen.map(({ network }) => network))];
  return new Map(
    networks.flatMap((network): [string, number][] => {
      const spec = networkSpec(facts.environment, network, config.TEST_CHAINS);
      const seconds = spec && blockSeconds(spec);
      return seconds === null ? [] : [[network, seconds]];
    }),
  );
}

/** What a payment costs on each of these networks, where that is known. */
export function feesOf(
  { facts, serverTime }: Pick<CheckoutView, 'facts' | 'serverTime'>,
  networks: readonly string[],
): ReadonlyMap<string, ShownFee> {
  return new Map(
    networks.flatMap((network): [string, ShownFee][] => {
      const told = facts.chains.find((chain) => chain.network === network);
      const fee = feeOf(network, told, serverTime);
      return fee ? [[network, withWorth(network, fee, facts)]] : [];
    }),
  );
}

/** The cheapest of the networks that can be paid on now; null where none is known to be. */
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
  const coin = networkFacts(spec.network)?.coin;
  return {
    links: walletLinks({ spec, currency, recipient, units, amount, pageUrl }),
    browser: coin
      ? {
          family: spec.family,
          sessionId: facts.id,
          network: spec.network,
          currency,
          chain: chainId(spec),
          token: token.contract,
          decimals: token.decimals,
          recipient,
          units: String(units),
          amount: method.amount,
          coin,
          // Only what the table makes public: the operator's own endpoints may hold keys of providers.
          publicUrls: spec.endpoints,
          explorer: spec.explorer === null ? null : new URL(spec.explorer).origin,
        }
      : null,
  };
}

/** The chain as wallets are asked for it: a hexadecimal number, or on Solana a cluster's name (Wallet Standard). */
function chainId({ family, chainId: id, chain }: NetworkSpec): string {
  if (family !== 'solana') return `0x${(id ?? 0).toString(16)}`;
  return `solana:${{ mainnet: 'mainnet', testnet: 'devnet', local: 'localnet' }[chain]}`;
}
