// Rows of rented energy: at most one order of an address has no outcome. A row exists before its order is placed.

import type { Db } from '@/lib/platform/database/db';

/** `energy` in units. `placedAt`: when the market confirmed the order; null until then. */
export type Rental = {
  readonly id: string;
  readonly energy: bigint;
  readonly orderedAt: Date;
  readonly placedAt: Date | null;
};

/** `missing`: the energy did not arrive in time. `refused`: the market took no order and no money. */
export type RentalOutcome = 'arrived' | 'missing' | 'refused';

export type RentalState = {
  readonly open: Rental | null;
  /** Orders of the address within a day that were not refused. */
  readonly day: number;
  /** Sun of all orders of the chain within an hour that were not refused, and how many of them are missing. */
  readonly hour: { readonly cost: bigint; readonly missing: number };
};

type Of = { readonly chainId: number; readonly address: string; readonly now: Date };

export async function readRentals(db: Db, { chainId, address, now }: Of): Promise<RentalState> {
  const { rows } = await db.query<{
    id: string | null;
    energy: string | null;
    orderedAt: Date | null;
    placedAt: Date | null;
    day: number;
    hourCost: string;
    hourMissing: number;
  }>({
    name: 'energy-rentals-of',
    text: `SELECT o.id, o.energy::text AS energy, o.ordered_at AS "orderedAt", o.placed_at AS "placedAt",
             (SELECT count(*)::int FROM energy_rentals r WHERE r.chain_id = $1 AND r.address = $2
               AND r.ordered_at > $3::timestamptz - interval '1 day' AND r.outcome IS DISTINCT FROM 'refused') AS day,
             coalesce(h.cost, 0)::text AS "hourCost", h.missing AS "hourMissing"
           FROM (SELECT sum(r.cost) FILTER (WHERE r.outcome IS DISTINCT FROM 'refused') AS cost,
                   count(*) FILTER (WHERE r.outcome = 'missing')::int AS missing
                 FROM energy_rentals r WHERE r.chain_id = $1 AND r.ordered_at > $3::timestamptz - interval '1 hour') AS h
             LEFT JOIN energy_rentals o ON o.chain_id = $1 AND o.address = $2 AND o.ended_at IS NULL`,
    values: [chainId, address, now],
  });
  const [row] = rows;
  if (!row) throw new Error('an aggregate returned no row');
  const { id, energy, orderedAt, placedAt } = row;
  const open =
    id === null || energy === null || orderedAt === null ? null : { id, energy: BigInt(energy), orderedAt, placedAt };
  return { open, day: row.day, hour: { cost: BigInt(row.hourCost), missing: row.hourMissing } };
}

/** Null when another worker has just ordered for the address. */
export async function insertRental(
  db: Db,
  { chainId, address, energy, cost, now }: Of & { readonly energy: bigint; readonly cost: bigint },
): Promise<string | null> {
  const { rows } = await db.query<{ rentalId: string }>({
    name: 'energy-rental-insert',
    text: `INSERT INTO energy_rentals (chain_id, address, energy, cost, ordered_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (chain_id, address) WHERE ended_at IS NULL DO NOTHING RETURNING id AS "rentalId"`,
    values: [chainId, address, energy, cost, now],
  });
  return rows[0]?.rentalId ?? null;
}

export async function markPlaced(
  db: Db,
  { id, cost, now }: { readonly id: string; readonly cost: bigint; readonly now: Date },
): Promise<void> {
  await db.query({
    name: 'energy-rental-placed',
    text: 'UPDATE energy_rentals SET placed_at = $2, cost = $3 WHERE id = $1 AND placed_at IS NULL AND ended_at IS NULL',
    values: [id, now, cost],
  });
}

export async function endRental(
  db: Db,
  { chainId, address, now, outcome }: Of & { readonly outcome: RentalOutcome },
): Promise<void> {
  await db.query({
    name: 'energy-rental-end',
    text: `UPDATE energy_rentals SET ended_at = $3, outcome = $4
           WHERE chain_id = $1 AND address = $2 AND ended_at IS NULL`,
    values: [chainId, address, now, outcome],
  });
}
