// What a network costs a store "at cost": what the last paid payouts of the network cost the operator on average, at today's price of
// the coin, rounded down, and at most the operator's bound. The facts are in the database (refund_attempts.fee, coin_prices), so the web
// process prices a request without a call to an endpoint. A live estimate would not know the operator's own energy on TRON. The rent of
// token accounts on Solana is left out: a store's address needs its account once. Without a paid payout or a fresh price of the coin there
// is no price: the operator pays.

import { coinOf } from '@/lib/networks/networks';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { RateTerms } from './rate';

/** Few, so that a price follows the fees of the network. */
const PAYOUTS = 10;
const LONGEST_DAYS = 30;
/** Coin prices are refreshed every minute. An older one is not today's. */
const PRICE_HOURS = 24;
const CENTS = 100n;

type At = { readonly environment: Environment; readonly at: Date };

/** The price of each network: the fixed ones, and those at cost that are known now. */
export async function pricesOf(db: Db, { networkCosts, atCost }: RateTerms, when: At): Promise<Record<string, bigint>> {
  const costs = await readCosts(db, Object.keys(atCost), when);
  const capped = costs.map(({ network, cents }): [string, bigint] => {
    const most = atCost[network] ?? 0n;
    return [network, cents < most ? cents : most];
  });
  return { ...Object.fromEntries(capped), ...networkCosts };
}

/** Cents that a payout costs the operator now, by network. Networks without a price are left out. */
export async function readCosts(
  db: Db,
  networks: readonly string[],
  { environment, at }: At,
): Promise<{ readonly network: string; readonly cents: bigint }[]> {
  const priced = networks.flatMap((network) => {
    const coin = coinOf(network);
    return coin ? [{ network, coin: coin.symbol, units: 10n ** BigInt(coin.decimals) }] : [];
  });
  if (priced.length === 0) return [];
  // A payout costs all of its attempts. `div` rounds down.
  const { rows } = await db.query<{ network: string; cents: string }>({
    name: 'payout-network-costs',
    text: `SELECT w.network, div(paid.total * c.price * ${CENTS}, paid.payouts * w.units)::text AS cents
           FROM unnest($2::text[], $3::text[], $4::numeric[]) AS w (network, coin, units)
           JOIN coin_prices c ON c.coin = w.coin AND c.agreed_at > $5::timestamptz - interval '${PRICE_HOURS} hours'
           CROSS JOIN LATERAL (SELECT sum(last.cost) AS total, count(last.cost) AS payouts FROM (
             SELECT (SELECT sum(a.fee) - coalesce(sum(a.rent) FILTER (WHERE a.status = 'landed'), 0) FROM refund_attempts a
                 WHERE a.intent_id = p.id AND a.fee IS NOT NULL) AS cost
             FROM payouts p WHERE p.environment = $1::"Environment" AND p.network = w.network AND p.status = 'completed'
               AND p.processed_at > $5::timestamptz - interval '${LONGEST_DAYS} days'
             ORDER BY p.processed_at DESC LIMIT ${PAYOUTS}) AS last) AS paid
           WHERE paid.payouts > 0 AND paid.total >= 0`,
    values: [
      environment,
      priced.map(({ network }) => network),
      priced.map(({ coin }) => coin),
      priced.map(({ units }) => units.toString()),
      at,
    ],
  });
  return rows.map(({ network, cents }) => ({ network, cents: BigInt(cents) }));
}
