// What payouts cost, as pages show it. Amounts as decimal text.

import { centsToText } from '@/lib/money/amounts';
import { presentedNetworks } from '@/lib/networks/registry';
import { readCosts } from '@/lib/payouts/rates/at-cost';
import type { PayoutRate, PricedFees, RateTerms } from '@/lib/payouts/rates/rate';
import { listRates, readNextRate, readRate } from '@/lib/payouts/rates/read';
import { rateView, type RateView } from '@/lib/payouts/rates/text';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

/** `rate`: for the browser, which computes what a typed amount costs. `startsAt` in Unix seconds. */
export type StoreRate = {
  readonly rate: PayoutRate | null;
  readonly now: RateView | null;
  readonly next: { readonly startsAt: number; readonly costs: RateView | null } | null;
};

export async function storeRateOf(context: Context, { storeId, environment }: StoreScope): Promise<StoreRate> {
  const at = context.clock.now();
  const [rate, next] = await Promise.all([
    readRate(context.pool, { storeId, environment, at }),
    readNextRate(context.pool, { storeId, at }),
  ]);
  return {
    rate,
    now: rate && viewOf(context, rate, rate.prices),
    next: next && { startsAt: unixSeconds(next.startsAt), costs: next.rate && viewOf(context, next.rate) },
  };
}

const MAX_SHOWN = 20;

/** `costs`: null where a store went back to the fees of all stores. Times in Unix seconds. */
export type RateDecisionView = {
  readonly id: string;
  readonly costs: RateView | null;
  readonly startsAt: number;
  readonly createdAt: number;
};

/** The newest decisions about all stores (null) or about one. */
export async function rateDecisionsOf(context: Context, storeId: string | null): Promise<readonly RateDecisionView[]> {
  const found = await listRates(context.pool, { storeId, limit: MAX_SHOWN });
  return found.map(({ id, terms, startsAt, createdAt }) => ({
    id,
    costs: terms && viewOf(context, terms),
    startsAt: unixSeconds(startsAt),
    createdAt: unixSeconds(createdAt),
  }));
}

const viewOf = ({ config }: Pick<Context, 'config'>, terms: RateTerms, prices?: PricedFees['prices']): RateView =>
  rateView(terms, presentedNetworks(config), prices);

/** What the last payouts cost the operator each, by network, as decimal text. A network without a price is left out. */
export async function payoutCostsOf({ pool, config, clock }: Context, environment: Environment) {
  const costs = await readCosts(pool, presentedNetworks(config), { environment, at: clock.now() });
  return Object.fromEntries(costs.map(({ network, cents }) => [network, centsToText(cents)]));
}
