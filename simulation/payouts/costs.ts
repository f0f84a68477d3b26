// What payouts cost in a history: the operator's rates, drawn once, and what a request must cost by the rows of the database, computed
// without the product's own code.

import type { RateTerms } from '@/lib/payouts/rates/rate';
import { setRate } from '@/lib/payouts/rates/set';
import type { Random } from '@/simulation/random';
import type { World } from '@/simulation/world';

const OPERATOR = { by: 'user:11111111-1111-4111-8111-111111111111', address: '192.0.2.3' };
const FREE: RateTerms = { basisPoints: 0n, fixed: 0n, minimum: 0n, networkCosts: {}, atCost: {} };

/** In half of the worlds payouts cost nothing; in some, one store has a rate of its own. */
export async function setDrawnRates({ context, stores, chains }: World, random: Random): Promise<void> {
  if (random.chance(50)) return;
  const terms = (): RateTerms => ({
    basisPoints: BigInt(random.pick([0, 1, 50, 999])),
    fixed: BigInt(random.pick([0, 0, 7, 100])),
    minimum: BigInt(random.pick([0, 25, 100])),
    networkCosts: Object.fromEntries(chains.map(({ network }) => [network, BigInt(random.pick([0, 3, 90]))])),
    atCost: {},
  });
  await setRate(context, { storeId: null, terms: terms(), startsAt: null }, OPERATOR);
  const own = random.pick([null, FREE, terms()]);
  if (own) await setRate(context, { storeId: random.pick(stores).storeId, terms: own, startsAt: null }, OPERATOR);
}

type Row = {
  readonly basis_points: number;
  readonly fixed: string;
  readonly minimum: string;
  readonly network_costs: Readonly<Record<string, number>>;
};

/** Cents that a payout of this amount costs its store now, beside the amount. */
export async function costsNow(
  { harness, clock }: World,
  { storeId, network, amount }: { readonly storeId: string; readonly network: string; readonly amount: bigint },
): Promise<bigint> {
  const { rows } = await harness.database.pool.query<Row>(
    `SELECT basis_points, fixed, minimum, network_costs FROM payout_rates
     WHERE (store_id IS NULL OR store_id = $1) AND starts_at <= $2 ORDER BY store_id NULLS FIRST, id`,
    [storeId, clock.now()],
  );
  const rate = rows.at(-1);
  if (!rate) return 0n;
  const share = amount * BigInt(rate.basis_points);
  const fee = (share - (share % 10_000n)) / 10_000n + BigInt(rate.fixed);
  const least = BigInt(rate.minimum);
  return (fee < least ? least : fee) + BigInt(rate.network_costs[network] ?? 0);
}
