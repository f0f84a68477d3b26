// Reads the amounts credited before. They decide whether one endpoint is enough for the next payments (lib/networks/endpoints/agreement).
// They come from the stored transfers, so the bound holds over all windows, workers and restarts. They include amounts that several
// endpoints agreed on: the bound then requires agreement too early, never too late.

import type { Credited, FoundTransfer } from '@/lib/networks/chain';
import type { Db } from '@/lib/platform/database/db';

const HOUR = `interval '1 hour'`;
const CENTS = `ceil(sum(t.amount / power(10::numeric, t.decimals - 2)))`;
/** A window that is read again contains transfers that are stored already. They must not count as earlier ones. */
const IS_EARLIER = `NOT (t.chain_id = $1 AND (t.transaction_hash, t.ordinal) IN (SELECT * FROM unnest($2::text[], $3::int[])))`;

/** `sessionOf`: the session of a transfer's recipient. */
export async function creditedBefore(
  db: Db,
  transfers: readonly FoundTransfer[],
  { chainId, now, sessionOf }: { chainId: number; now: Date; sessionOf: (recipient: string) => string },
): Promise<Credited> {
  const found = [transfers.map((one) => one.transactionHash), transfers.map((one) => one.ordinal)];
  const sessions = new Map(transfers.map(({ recipient }) => [recipient, sessionOf(recipient)]));
  const own = await db.query<{ session_id: string; cents: string }>({
    name: 'credited_to_sessions',
    text: `SELECT t.session_id, ${CENTS} AS cents FROM transfers t WHERE t.session_id = ANY($4) AND ${IS_EARLIER} GROUP BY 1`,
    values: [chainId, ...found, [...new Set(sessions.values())]],
  });
  const hour = await db.query<{ cents: string | null }>({
    name: 'credited_within_hour',
    text: `SELECT ${CENTS} AS cents FROM transfers t
      WHERE t.chain_id = $1 AND t.created_at > $4::timestamptz - ${HOUR} AND ${IS_EARLIER}`,
    values: [chainId, ...found, now],
  });
  const bySession = new Map(own.rows.map(({ session_id, cents }) => [session_id, BigInt(cents)]));
  return {
    byRecipient: new Map([...sessions].map(([recipient, id]) => [recipient, bySession.get(id) ?? 0n])),
    withinHour: BigInt(hour.rows[0]?.cents ?? 0),
  };
}
