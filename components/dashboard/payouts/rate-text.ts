// What a payout costs, in one line.

import { networkName } from '@/lib/dashboard/lists/choices';
import type { RateView } from '@/lib/dashboard/payouts/rates';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

export function rateText({ t, format }: DashboardWords, rate: RateView | null): string {
  const parts = rate
    ? [
        rate.basisPoints > 0 && t('pouCostsShare', { share: format.basisPoints(rate.basisPoints) }),
        rate.fixed !== null && t('pouCostsFixed', { amount: format.amount(rate.fixed) }),
        rate.minimum !== null && t('pouCostsMinimum', { amount: format.amount(rate.minimum) }),
        ...rate.networkCosts.map(({ network, amount }) =>
          t('pouCostsNetwork', { amount: format.amount(amount), network: networkName(t, network) }),
        ),
      ].filter((part) => part !== false)
    : [];
  return parts.length > 0 ? parts.join(' · ') : t('pouCostsNone');
}
