// What payouts cost, as pages show it. Amounts as decimal text.

import { centsToText } from '@/lib/money/amounts';
import { presentedNetworks } from '@/lib/networks/registry';
import type { PayoutRate, RateTerms } from '@/lib/payouts/rates/rate';
import { listRates, readNextRate, readRate } from '@/lib/payouts/rates/read';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';

export type RateView = {
  readonly basisPoints: number;
  /** Null where it is 0. */
  readonly fixed: string | null;
  readonly minimum: string | null;
  readonly networkCosts: readonly { readonly network: string; readonly amount: string }[];
};

/** `rate`: for the browser, which computes what a typed amount costs. `startsAt` in Unix seconds. */
export type StoreRate = {
  readonly rate: PayoutRate | null;
  readonly now: RateView | null;
  readonly next: { readonly startsAt: number; readonly costs: RateView | null } | null;
};

export async function storeRateOf(context: Context, storeId: string): Promise<StoreRate> {
  const at = context.clock.now();
  const [rate, next] = await Promise.all([
    readRate(context.pool, { storeId, at }),
    readNextRate(context.pool, { storeId, at }),
  ]);
  return {
    rate,
    now: rate && viewOf(context, rate),
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

const nonZero = (cents: bigint): string | null => (cents === 0n ? null : centsToText(cents));

/** The network costs of the networks that this installation offers. */
function viewOf({ config }: Pick<Context, 'config'>, terms: RateTerms): RateView {
  const { basisPoints, fixed, minimum, networkCosts } = terms;
  return {
    basisPoints: Number(basisPoints),
    fixed: nonZero(fixed),
    minimum: nonZero(minimum),
    networkCosts: presentedNetworks(config).flatMap((network) => {
      const amount = nonZero(networkCosts[network] ?? 0n);
      return amount === null ? [] : [{ network, amount }];
    }),
  };
}
