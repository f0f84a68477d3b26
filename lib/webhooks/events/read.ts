// The deliveries of an event for the pages that show it, oldest first, each with every attempt.

import type { Context } from '@/lib/platform/context';
import type { DeliveryStatus } from '@/prisma/generated/enums';
import type { Lane } from '@/lib/webhooks/delivery/schedule';

type AttemptFacts = {
  readonly number: number;
  readonly url: string;
  readonly startedAt: Date;
  /** Null while the call is in progress. */
  readonly finishedAt: Date | null;
  readonly statusCode: number | null;
  /** A short code such as TIMEOUT or ECONNREFUSED; null when there was a response. */
  readonly error: string | null;
  /** The beginning of the receiver's response: untrusted text, to be displayed as plain text. */
  readonly answer: string | null;
  /** From the name lookup to the end of the response; null while the call is in progress or when it was interrupted. */
  readonly milliseconds: number | null;
  /** The sent headers with truncated signatures; null when nothing was sent. */
  readonly headers: Readonly<Record<string, string>> | null;
};

export type DeliveryFacts = {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly lane: Lane;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** When the next attempt is due; null when there will be none. */
  readonly nextAt: Date | null;
  readonly attempts: AttemptFacts[];
};

/** More deliveries of one event than a person reads; the newest are kept. */
const MAX_DELIVERIES = 50;

/** The deliveries of an event of this store; none when the store has no such event. */
export async function readDeliveries(
  { pool }: Pick<Context, 'pool'>,
  of: { storeId: string; eventId: string },
): Promise<DeliveryFacts[]> {
  const { rows } = await pool.query<DeliveryRow>({
    name: 'read-deliveries',
    text: `SELECT ${DELIVERY_COLUMNS}
           FROM (SELECT * FROM deliveries WHERE event_id = $1 AND store_id = $2 ORDER BY id DESC LIMIT ${MAX_DELIVERIES}) d
           LEFT JOIN delivery_attempts a ON a.delivery_id = d.id ORDER BY d.id, a.number`,
    values: [of.eventId, of.storeId],
  });
  return deliveriesOf(rows);
}

/** The columns that `deliveriesOf` reads: of deliveries d and their attempts a. */
export const DELIVERY_COLUMNS = `d.id, d.status, d.lane, d.created_at, d.finished_at, d.next_at, a.number, a.url, a.started_at,
  a.finished_at AS attempt_finished_at, a.status_code, a.error, a.answer, a.duration_ms, a.request_headers`;

/** Builds deliveries from rows, one row per attempt, in the order of the rows. */
export function deliveriesOf(rows: readonly DeliveryRow[]): DeliveryFacts[] {
  const deliveries = new Map<string, DeliveryFacts>();
  for (const row of rows) {
    const delivery = deliveries.get(row.id) ?? deliveryOf(row);
    deliveries.set(row.id, delivery);
    if (row.number !== null) delivery.attempts.push(attemptOf(row));
  }
  return [...deliveries.values()];
}

export type DeliveryRow = {
  id: string;
  status: DeliveryStatus;
  lane: Lane;
  created_at: Date;
  finished_at: Date | null;
  next_at: Date;
} & (AttemptRow | { number: null });

type AttemptRow = {
  number: number;
  url: string;
  started_at: Date;
  attempt_finished_at: Date | null;
  status_code: number | null;
  error: string | null;
  answer: string | null;
  duration_ms: number | null;
  request_headers: Readonly<Record<string, string>> | null;
};

const deliveryOf = (row: DeliveryRow): DeliveryFacts => ({
  id: row.id,
  status: row.status,
  lane: row.lane,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  nextAt: row.status === 'pending' ? row.next_at : null,
  attempts: [],
});

const attemptOf = (row: AttemptRow): AttemptFacts => ({
  number: row.number,
  url: row.url,
  startedAt: row.started_at,
  finishedAt: row.attempt_finished_at,
  statusCode: row.status_code,
  error: row.error,
  answer: row.answer,
  milliseconds: row.duration_ms,
  headers: row.request_headers,
});
