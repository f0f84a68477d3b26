// Reads the rate of a store's payouts: its own, or else that of all stores. The newest one that has started counts, so that a later decision
// also replaces one that has not started.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { pricesOf } from './at-cost';
import type { PayoutRate, RateTerms } from './rate';

/** A row that ends a store's own rate has no terms. */
type Terms = {
  readonly basis_points: number;
  readonly fixed: string;
  readonly minimum: string;
  readonly network_costs: Readonly<Record<string, number>>;
  readonly at_cost: Readonly<Record<string, number>>;
};

/** What `rateOfStore` returns: as JSON, in a column of the statement around it. Null when no rate counts. */
export type RateColumn = (Terms & { readonly id: string }) | null;

/**
 * An SQL expression: the rate that counts for a store at a time, both as parameters such as `$1`; for the store NULL that of all stores.
 * `below`: only decisions before this one count, unless it is NULL.
 */
export const rateOfStore = (storeId: string, at: string, below = 'NULL'): string => `
  (SELECT json_build_object('id', r.id::text, 'basis_points', r.basis_points, 'fixed', r.fixed::text, 'minimum', r.minimum::text,
     'network_costs', r.network_costs, 'at_cost', r.at_cost) FROM payout_rates r WHERE r.id = coalesce(
       (SELECT CASE WHEN own.basis_points IS NULL THEN NULL ELSE own.id END FROM payout_rates own
        WHERE own.store_id = ${storeId} AND own.starts_at <= ${at} AND (${below}::bigint IS NULL OR own.id < ${below}::bigint)
        ORDER BY own.id DESC LIMIT 1),
       (SELECT every.id FROM payout_rates every WHERE every.store_id IS NULL AND every.starts_at <= ${at}
          AND (${below}::bigint IS NULL OR every.id < ${below}::bigint) ORDER BY every.id DESC LIMIT 1)))`;

/** The rate without prices; null when payouts of the store cost nothing. */
export const versionOf = (column: RateColumn): RateVersion | null => column && { id: column.id, ...termsOf(column) };

export type RateVersion = RateTerms & { readonly id: string };

const termsOf = ({ basis_points, fixed, minimum, network_costs, at_cost }: Terms): RateTerms => ({
  basisPoints: BigInt(basis_points),
  fixed: BigInt(fixed),
  minimum: BigInt(minimum),
  networkCosts: inCents(network_costs),
  atCost: inCents(at_cost),
});

const inCents = (costs: Readonly<Record<string, number>>): Record<string, bigint> =>
  Object.fromEntries(Object.entries(costs).map(([network, cents]) => [network, BigInt(cents)]));

type At = { readonly storeId: string; readonly at: Date };

/** The rate of the store with the prices of its networks now; null when its payouts cost nothing. */
export async function readRate(
  db: Db,
  { environment, ...of }: At & { readonly environment: Environment },
): Promise<PayoutRate | null> {
  return priced(db, await readVersion(db, of), { environment, at: of.at });
}

export async function priced(
  db: Db,
  version: RateVersion | null,
  when: { readonly environment: Environment; readonly at: Date },
): Promise<PayoutRate | null> {
  return version && { ...version, prices: await pricesOf(db, version, when) };
}

/** `storeId`: null for all stores without a rate of their own. `below`: only decisions before this one count, unless it is null. */
export async function readVersion(
  db: Db,
  { storeId, at, below = null }: { readonly storeId: string | null; readonly at: Date; readonly below?: bigint | null },
): Promise<RateVersion | null> {
  const { rows } = await db.query<{ rate: RateColumn }>({
    name: 'payout-rate',
    text: `SELECT ${rateOfStore('$1', '$2::timestamptz', '$3')} AS rate`,
    values: [storeId, at, below],
  });
  return versionOf(rows[0]?.rate ?? null);
}

/** More than operators plan at a time. */
const MAX_PLANNED = 20;

/** When planned rates of all stores start to count after a time, the first one first. `below`: as for `readVersion`. */
export async function plannedStarts(
  db: Db,
  { after, below = null }: { readonly after: Date; readonly below?: bigint | null },
): Promise<readonly Date[]> {
  const { rows } = await db.query<{ startsAt: Date }>({
    name: 'payout-rates-planned',
    text: `SELECT r.starts_at AS "startsAt" FROM payout_rates r
           WHERE r.store_id IS NULL AND r.starts_at > $1 AND ($2::bigint IS NULL OR r.id < $2::bigint)
             AND NOT EXISTS (SELECT FROM payout_rates later WHERE later.store_id IS NULL AND later.id > r.id
               AND later.starts_at <= r.starts_at AND ($2::bigint IS NULL OR later.id < $2::bigint))
           ORDER BY r.starts_at LIMIT ${MAX_PLANNED}`,
    values: [after, below],
  });
  return rows.map(({ startsAt }) => startsAt);
}

/** `terms`: null where a store goes back to the rate of all stores. */
export type RateDecision = {
  readonly id: string;
  readonly terms: RateTerms | null;
  readonly startsAt: Date;
  readonly createdAt: Date;
  readonly createdBy: string;
};

type Row = {
  readonly id: string;
  readonly basis_points: number | null;
  readonly fixed: string | null;
  readonly minimum: string | null;
  readonly network_costs: Readonly<Record<string, number>> | null;
  readonly at_cost: Readonly<Record<string, number>>;
  readonly starts_at: Date;
  readonly created_at: Date;
  readonly created_by: string;
};

/** What operators decided about all stores (null) or about one, the newest first; at most `limit`. */
export async function listRates(
  db: Db,
  { storeId, limit }: { readonly storeId: string | null; readonly limit: number },
): Promise<RateDecision[]> {
  const { rows } = await db.query<Row>({
    name: 'payout-rates-decided',
    text: `SELECT id, basis_points, fixed, minimum, network_costs, at_cost, starts_at, created_at, created_by FROM payout_rates
           WHERE store_id IS NOT DISTINCT FROM $1 ORDER BY id DESC LIMIT $2`,
    values: [storeId, limit],
  });
  return rows.map(({ id, basis_points, fixed, minimum, network_costs, at_cost, ...row }) => ({
    id,
    terms:
      basis_points === null || fixed === null || minimum === null || network_costs === null
        ? null
        : termsOf({ basis_points, fixed, minimum, network_costs, at_cost }),
    startsAt: row.starts_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }));
}

/** The next change of a store's rate that is planned. While the store has a rate of its own, that of all stores does not change it. */
export async function readNextRate(
  db: Db,
  { storeId, at }: At,
): Promise<{ readonly startsAt: Date; readonly rate: RateVersion | null } | null> {
  const { rows } = await db.query<{ starts_at: Date | null }>({
    name: 'payout-rate-next',
    text: `SELECT min(r.starts_at) AS starts_at FROM payout_rates r
           WHERE r.starts_at > $2 AND (r.store_id = $1 OR r.store_id IS NULL AND (SELECT own.basis_points FROM payout_rates own
               WHERE own.store_id = $1 AND own.starts_at <= $2 ORDER BY own.id DESC LIMIT 1) IS NULL)
             AND NOT EXISTS (SELECT FROM payout_rates later WHERE later.store_id IS NOT DISTINCT FROM r.store_id
               AND later.id > r.id AND later.starts_at <= r.starts_at)`,
    values: [storeId, at],
  });
  const startsAt = rows[0]?.starts_at;
  return startsAt ? { startsAt, rate: await readVersion(db, { storeId, at: startsAt }) } : null;
}
