// Judges what schedules requested, right after the worker's step: an owner has set the schedule, the amount is its least one or more, and
// what the store keeps is still there. Such a payout is then one that its owner wants.

import { payableOf, readFunds } from '@/simulation/stops/funds';
import type { World } from '@/simulation/world';
import { assetKey } from './schedules';

type Row = {
  readonly id: string;
  readonly store_id: string;
  readonly payout_id: string;
  readonly cents: string;
  readonly network: string;
  readonly currency: string;
};

const MADE = `SELECT id, store_id, payout_id, amount::text AS cents, network, currency FROM payouts
  WHERE starts_with(payout_id, 'scheduled_') ORDER BY created_at, id`;

export async function noteScheduled(world: World): Promise<void> {
  const { harness, records } = world;
  const { rules, requested } = records.payouts;
  const { rows } = await harness.database.pool.query<Row>(MADE);
  // A restored database may request another amount under the name of a payout that it has forgotten.
  const made = rows.filter((row) => !requested.some(({ id, cents }) => id === row.id && cents === BigInt(row.cents)));
  if (made.length === 0) return;
  const funds = await readFunds(world);
  for (const { id, store_id: storeId, payout_id: payoutId, cents, network, currency } of made) {
    const key = assetKey({ storeId, network, currency });
    const schedule = rules.schedules.get(key);
    requested.push({ id, storeId, payoutId, network, currency, cents: BigInt(cents) });
    records.stops.broken.push(
      ...(schedule ? [] : [`a payout of ${key} was scheduled, and its owner has set no schedule`]),
      ...(schedule && BigInt(cents) < schedule.least
        ? [`a schedule of ${key} paid ${cents} cents, less than its least amount`]
        : []),
      ...(payableOf(funds.get(key), reserveOf(world, { storeId, network, currency })).most < 0n
        ? [`a schedule of ${key} paid ${cents} cents of what the store keeps`]
        : []),
    );
  }
}

/** The reserve of a store in base units. */
export function reserveOf(
  { chains, records }: Pick<World, 'chains' | 'records'>,
  of: { readonly storeId: string; readonly network: string; readonly currency: string },
): bigint {
  const token = chains.find(({ network }) => network === of.network)?.spec.tokens[of.currency];
  const cents = records.payouts.rules.reserves.get(assetKey(of)) ?? 0n;
  return token ? cents * 10n ** BigInt(token.decimals - 2) : 0n;
}
