// Stores the readings of a source: one row per currency, each new price accepted or held back by the sanity band, in one transaction
// with the row of the source. It also deletes old rows.

import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { applySanityBand, type StoredPrice } from './sanity-band';
import { holdsLease, recordResponse, type Lease } from './lease';
import type { Reading } from './providers/provider';

/** Longer than any reference is valid; older rows only show that the currency was once quoted. */
const KEPT_MILLISECONDS = 14 * 86_400_000;

/** A faulty source is usually wrong for all currencies; the log shows only a few. */
const MAX_EXAMPLES = 3;

/** Stores the readings unless another worker has leased the source since. */
export async function storeReadings(
  { pool, clock, config, log }: Context,
  lease: Lease,
  reported: { readings: readonly Reading[]; requestedAt: Date; nextAt: Date },
): Promise<void> {
  const { readings, requestedAt, nextAt } = reported;
  const held = await transaction(pool, async (tx) => {
    if (!(await holdsLease(tx, lease))) return [];
    const former = await readStoredPrices(tx, lease.source);
    const rules = { now: requestedAt, bandPercent: config.RATE_BAND_PERCENT };
    const kept = readings.map((one) => applySanityBand(former.get(one.currency) ?? null, one, rules));
    await writePrices(tx, lease.source, kept);
    await recordResponse(tx, lease, { now: clock.now(), nextAt });
    return kept.filter(({ heldSince }) => heldSince?.getTime() === requestedAt.getTime());
  });
  if (held.length === 0) return;
  const examples = held
    .slice(0, MAX_EXAMPLES)
    .map(({ currency, price, heldPrice }) => ({ currency, price, heldPrice }));
  log.warn({ source: lease.source, currencies: held.length, examples }, 'prices jumped and are held back');
}

/** Deletes prices that no source has reported for a long time. */
export async function clearOldRates(db: Db, now: Date): Promise<void> {
  await db.query({
    name: 'clear-rates',
    text: 'DELETE FROM rate_observations WHERE fetched_at < $1',
    values: [new Date(now.getTime() - KEPT_MILLISECONDS)],
  });
}

type Row = {
  currency: string;
  price: string;
  per: Reading['per'];
  source_time: Date;
  fetched_at: Date;
  held_price: string | null;
  held_since: Date | null;
};

async function readStoredPrices(tx: Tx, source: string): Promise<Map<string, StoredPrice>> {
  const { rows } = await tx.query<Row>({
    name: 'kept-rates',
    text: `SELECT currency, price, per, source_time, fetched_at, held_price, held_since FROM rate_observations WHERE source = $1`,
    values: [source],
  });
  return new Map(
    rows.map((row) => [
      row.currency,
      {
        currency: row.currency,
        price: row.price,
        per: row.per,
        sourceTime: row.source_time,
        fetchedAt: row.fetched_at,
        heldPrice: row.held_price,
        heldSince: row.held_since,
      },
    ]),
  );
}

/** The row of the source is locked. An upsert would lock each row before its update, which doubles what the write-ahead log gets. */
async function writePrices(tx: Tx, source: string, kept: readonly StoredPrice[]): Promise<void> {
  await tx.query({
    name: 'keep-rates',
    text: `WITH kept AS (SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[], $8::timestamptz[])
               AS k (currency, price, per, source_time, fetched_at, held_price, held_since)),
             known AS (UPDATE rate_observations o SET price = k.price, per = k.per, source_time = k.source_time, fetched_at = k.fetched_at,
                 held_price = k.held_price, held_since = k.held_since
               FROM kept k WHERE o.source = $1 AND o.currency = k.currency RETURNING o.currency)
           INSERT INTO rate_observations (source, currency, price, per, source_time, fetched_at, held_price, held_since)
           SELECT $1, * FROM kept WHERE currency NOT IN (SELECT currency FROM known)`,
    values: [
      source,
      kept.map(({ currency }) => currency),
      kept.map(({ price }) => price),
      kept.map(({ per }) => per),
      kept.map(({ sourceTime }) => sourceTime),
      kept.map(({ fetchedAt }) => fetchedAt),
      kept.map(({ heldPrice }) => heldPrice),
      kept.map(({ heldSince }) => heldSince),
    ],
  });
}
