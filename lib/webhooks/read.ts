// What became of an event, for the pages that show it: its deliveries, oldest first, each with every attempt.

import type { Context } from '@/lib/context';
import type { DeliveryStatus } from '@/prisma/generated/enums';

export type AttemptFacts = {
  readonly number: number;
  readonly url: string;
  readonly startedAt: Date;
  /** Null while the call is under way. */
  readonly finishedAt: Date | null;
  readonly statusCode: number | null;
  /** A short code such as TIMEOUT or ECONNREFUSED; null when there was an answer. */
  readonly error: string | null;
  /** The beginning of the receiver's answer: foreign text, to be shown inert. */
  readonly answer: string | null;
};

export type DeliveryFacts = {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** When the next attempt is due; null once there will be none. */
  readonly nextAt: Date | null;
  readonly attempts: AttemptFacts[];
};

/** More deliveries of one event than anybody looks at; the newest are kept. */
const MOST_DELIVERIES = 50;

/** The deliveries of an event of this store; none when the store has no such event. */
export async function readDeliveries(
  { pool }: Pick<Context, 'pool'>,
  of: { storeId: string; eventId: string },
): Promise<DeliveryFacts[]> {
  const { rows } = await pool.query({
    name: 'read-deliveries',
    text: `SELECT d.id, d.status, d.created_at, d.finished_at, d.next_at, a.number, a.url, a.started_at,
                  a.finished_at AS attempt_finished_at, a.status_code, a.error, a.answer
           FROM (SELECT * FROM deliveries WHERE event_id = $1 AND store_id = $2 ORDER BY id DESC LIMIT ${MOST_DELIVERIES}) d
           LEFT JOIN delivery_attempts a ON a.delivery_id = d.id ORDER BY d.id, a.number`,
    values: [of.eventId, of.storeId],
  });
  const deliveries = new Map<string, DeliveryFacts>();
  for (const row of rows) {
    const delivery = deliveries.get(row.id) ?? deliveryOf(row);
    deliveries.set(row.id, delivery);
    if (row.number !== null) delivery.attempts.push(attemptOf(row));
  }
  return [...deliveries.values()];
}

type Row = {
  id: string;
  status: DeliveryStatus;
  created_at: Date;
  finished_at: Date | null;
  next_at: Date;
  number: number;
  url: string;
  started_at: Date;
  attempt_finished_at: Date | null;
  status_code: number | null;
  error: string | null;
  answer: string | null;
};

const deliveryOf = (row: Row): DeliveryFacts => ({
  id: row.id,
  status: row.status,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  nextAt: row.status === 'pending' ? row.next_at : null,
  attempts: [],
});

const attemptOf = (row: Row): AttemptFacts => ({
  number: row.number,
  url: row.url,
  startedAt: row.started_at,
  finishedAt: row.attempt_finished_at,
  statusCode: row.status_code,
  error: row.error,
  answer: row.answer,
});
