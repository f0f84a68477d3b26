// What a payout costs, in one line of the reader's language: on pages, and in the mail about a new rate. Pure.

import type { DashboardFormat } from '@/lib/i18n/dashboard';
import { dashboardNetwork } from '@/lib/i18n/dashboard-network';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { centsToText } from '@/lib/money/amounts';
import type { PricedFees, RateTerms } from './rate';

/** Amounts as decimal text. */
export type RateView = {
  readonly basisPoints: number;
  /** Null where it is 0. */
  readonly fixed: string | null;
  readonly minimum: string | null;
  readonly networkCosts: readonly { readonly network: string; readonly amount: string }[];
  readonly atCost: readonly AtCost[];
};

/** `most`: of the operator. `now`: null when no price is known, so that the operator pays; undefined for terms that do not count now. */
type AtCost = { readonly network: string; readonly most: string; readonly now: string | null | undefined };

/** The network costs of these networks. `prices`: what they cost now. */
export function rateView(terms: RateTerms, networks: readonly string[], prices?: PricedFees['prices']): RateView {
  const { basisPoints, fixed, minimum, networkCosts, atCost } = terms;
  return {
    basisPoints: Number(basisPoints),
    fixed: nonZero(fixed),
    minimum: nonZero(minimum),
    networkCosts: networks.flatMap((network) => {
      const amount = nonZero(networkCosts[network] ?? 0n);
      return amount === null ? [] : [{ network, amount }];
    }),
    atCost: networks.flatMap((network) => {
      const most = nonZero(atCost[network] ?? 0n);
      if (most === null) return [];
      const price = prices?.[network];
      return [{ network, most, now: prices && (price === undefined ? null : centsToText(price)) }];
    }),
  };
}

const nonZero = (cents: bigint): string | null => (cents === 0n ? null : centsToText(cents));

type Words = { readonly t: DashboardWords['t']; readonly format: Pick<DashboardFormat, 'amount' | 'basisPoints'> };

/** `rate`: null when payouts cost nothing. */
export function rateText(words: Words, rate: RateView | null): string {
  const { t, format } = words;
  const parts = rate
    ? [
        rate.basisPoints > 0 && t('pouCostsShare', { share: format.basisPoints(rate.basisPoints) }),
        rate.fixed !== null && t('pouCostsFixed', { amount: format.amount(rate.fixed) }),
        rate.minimum !== null && t('pouCostsMinimum', { amount: format.amount(rate.minimum) }),
        ...rate.networkCosts.map(({ network, amount }) =>
          t('pouCostsNetwork', { amount: format.amount(amount), network: dashboardNetwork(t, network) }),
        ),
        ...rate.atCost.map((one) => atCostText(words, one)),
      ].filter((part) => part !== false)
    : [];
  return parts.length > 0 ? parts.join(' · ') : t('pouCostsNone');
}

function atCostText({ t, format }: Words, { network, most, now }: AtCost): string {
  const about = { network: dashboardNetwork(t, network), most: format.amount(most) };
  if (now === undefined) return t('pouCostsAtCost', about);
  return now === null
    ? t('pouCostsAtCostUnknown', about)
    : t('pouCostsAtCostNow', { ...about, amount: format.amount(now) });
}
