// A payment link in the database, and how many payments it has taken. Whether it accepts one more is checked in the transaction that
// creates the session (open.ts).

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { sessionsBeingPaid } from '@/lib/payments/sessions/being-paid';

export type PaymentLink = {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  /** Plain text from the merchant. */
  readonly title: string;
  readonly description: string | null;
  readonly currency: string;
  /** Minor units of `currency`; null when the customer enters the amount. */
  readonly amount: bigint | null;
  readonly leastAmount: bigint | null;
  readonly mostAmount: bigint | null;
  /** The maximum number of payments; null for no limit. */
  readonly mostPaid: number | null;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly version: number;
};

/** The columns that `paymentLink` reads, of a table called `l`. */
export const LINK_COLUMNS = `l.id, l.store_id, l.environment, l.title, l.description, l.currency, l.amount, l.least_amount,
  l.most_amount, l.most_paid, l.is_active, l.created_at, l.version`;

export type LinkRow = {
  id: string;
  store_id: string;
  environment: Environment;
  title: string;
  description: string | null;
  currency: string;
  amount: string | null;
  least_amount: string | null;
  most_amount: string | null;
  most_paid: number | null;
  is_active: boolean;
  created_at: Date;
  version: number;
};

export const paymentLink = (row: LinkRow): PaymentLink => ({
  id: row.id,
  storeId: row.store_id,
  environment: row.environment,
  title: row.title,
  description: row.description,
  currency: row.currency,
  amount: big(row.amount),
  leastAmount: big(row.least_amount),
  mostAmount: big(row.most_amount),
  mostPaid: row.most_paid,
  isActive: row.is_active,
  createdAt: row.created_at,
  version: row.version,
});

/** The largest limit of a link: this many sessions are counted each time that one is opened. */
export const MAX_PAID = 10_000;

/**
 * Whether a link has reached its number of payments. A payment on its way counts, so that two customers who pay at the same time
 * cannot both take the last place.
 */
export async function isUsedUp(db: Db, { id, mostPaid }: Pick<PaymentLink, 'id' | 'mostPaid'>): Promise<boolean> {
  if (mostPaid === null) return false;
  const { rows } = await db.query<{ completed: number; pending: string[] }>({
    name: 'payment-link-taken',
    text: `SELECT count(*) FILTER (WHERE s.status = 'completed')::int AS completed,
             coalesce(array_agg(s.id) FILTER (WHERE s.status = 'pending'), '{}') AS pending
           FROM payment_link_sessions p JOIN sessions s ON s.id = p.session_id
           WHERE p.link_id = $1 AND s.status IN ('completed', 'pending')`,
    values: [id],
  });
  const { completed = 0, pending = [] } = rows[0] ?? {};
  // Pending sessions matter only when there are enough of them to fill the remaining places.
  if (completed >= mostPaid || completed + pending.length < mostPaid) return completed >= mostPaid;
  return completed + (await sessionsBeingPaid(db, pending)).size >= mostPaid;
}

const big = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
