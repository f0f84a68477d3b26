// Sets what payouts cost, for all stores or for one. Each decision is a row of its own; payouts that were requested before keep their costs.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Actor } from '@/lib/merchants/stores/actor';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isDearer, type RateTerms } from './rate';
import { plannedStarts, readVersion } from './read';

const HOUR_MILLISECONDS = 3_600_000;

export type NewRate = {
  /** Null: for every store without a rate of its own. */
  readonly storeId: string | null;
  /** Null: the store goes back to the rate of all stores. */
  readonly terms: RateTerms | null;
  /** Null: as soon as possible. That is also what an earlier time counts as. */
  readonly startsAt: Date | null;
};

/**
 * Returns when it starts: PAYOUT_RATE_NOTICE_HOURS from now at the earliest if some part of it is higher than what counts now, because the
 * worker mails it to the owners first (mails.ts). A store that goes back to the rate of all stores also comes under those that are planned.
 * While the worker is down it requests no scheduled payouts either, and who requests one by hand sees what it costs. Throws STORE_NOT_FOUND,
 * and INVALID_PARAMETER for all stores without terms.
 */
export async function setRate(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  { storeId, terms, startsAt }: NewRate,
  actor: Actor,
): Promise<Date> {
  if (storeId === null && terms === null) throw new ServiceError('INVALID_PARAMETER', { param: 'terms' });
  const now = clock.now();
  const networkCosts = terms && inNumbers(terms.networkCosts);
  const atCost = inNumbers(terms?.atCost ?? {});
  return transaction(pool, async (tx) => {
    const before = await readVersion(tx, { storeId, at: now });
    const noticed = new Date(now.getTime() + config.PAYOUT_RATE_NOTICE_HOURS * HOUR_MILLISECONDS);
    const next = terms ? [terms] : await ofAllStores(tx, now, noticed);
    const earliest = next.some((after) => isDearer(before, after)) ? noticed : now;
    const starts = startsAt && startsAt > earliest ? startsAt : earliest;
    const { rowCount } = await tx.query({
      name: 'payout-rate-set',
      text: `INSERT INTO payout_rates (store_id, basis_points, fixed, minimum, network_costs, starts_at, created_at, created_by, at_cost)
             SELECT $1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9::jsonb WHERE $1::text IS NULL OR EXISTS (SELECT FROM stores WHERE id = $1)`,
      values: [
        ...[storeId, terms?.basisPoints ?? null, terms?.fixed ?? null, terms?.minimum ?? null],
        ...[networkCosts && JSON.stringify(networkCosts), starts, now, actor.by, JSON.stringify(atCost)],
      ],
    });
    if (rowCount === 0) throw new ServiceError('STORE_NOT_FOUND');
    await recordAudit(tx, {
      actor: actor.by,
      address: actor.address,
      storeId,
      action: terms ? 'payout_rate.set' : 'payout_rate.end',
      target: storeId ?? 'all stores',
      details: {
        starts: starts.toISOString(),
        ...(terms && {
          basis_points: Number(terms.basisPoints),
          fixed: Number(terms.fixed),
          minimum: Number(terms.minimum),
          network_costs: JSON.stringify(networkCosts),
          at_cost: JSON.stringify(atCost),
        }),
      },
      now,
    });
    return starts;
  });
}

/** What counts for all stores now, and until a time. */
async function ofAllStores(tx: Tx, now: Date, until: Date): Promise<readonly (RateTerms | null)[]> {
  const planned = (await plannedStarts(tx, { after: now })).filter((starts) => starts < until);
  const versions: (RateTerms | null)[] = [];
  for (const at of [now, ...planned]) versions.push(await readVersion(tx, { storeId: null, at }));
  return versions;
}

const inNumbers = (costs: Readonly<Record<string, bigint>>): Record<string, number> =>
  Object.fromEntries(Object.entries(costs).map(([network, cents]) => [network, Number(cents)]));
