// Whether a payment link has room for one more session. Each session takes a deposit address, is watched until it closes, and can be opened
// by anyone. So unpaid sessions are bounded per link and per client. In a link with a limited number of payments, each open or paid session
// occupies a place. The unpaid sessions of one client share one place, so that one stranger cannot close the link for all; only a client
// that pays several of them can exceed the number. An unpaid session releases its place when it expires.

import { homeOf } from '@/lib/platform/rate-limit/address-group';
import { sha256 } from '@/lib/platform/crypto';
import type { Tx } from '@/lib/platform/database/db';
import { sessionsBeingPaid } from '@/lib/payments/sessions/being-paid';
import { isUsedUp, type PaymentLink } from './link';

/** Seconds that a customer has to pay: the default of the API. */
const PAY_SECONDS = 1800;
/** Shorter for a limited link, because other customers may wait for the place. */
const LIMITED_PAY_SECONDS = 900;
/** Enough for many customers who scan one poster at the same time. Further customers have to try again later. */
export const MAX_UNPAID = 300;
/** Enough for a family behind one IP address. One client cannot use up all places. */
export const MAX_UNPAID_PER_CLIENT = 10;

export const paySeconds = ({ mostPaid }: PaymentLink): number =>
  mostPaid === null ? PAY_SECONDS : LIMITED_PAY_SECONDS;

/**
 * Of the daily limit of a store's links, unpaid sessions of one client take at most a tenth. Those of one link without a price or maximum
 * take at most half. Otherwise one anonymous request could use up the whole daily limit, and no other customer could pay.
 */
const [CLIENTS_SHARE, LINKS_SHARE] = [10n, 2n];

/** A hash of the IP address: enough to count its sessions of this link, without storing the address. */
export const clientOf = ({ id }: PaymentLink, address: string): Buffer => sha256(`${id} ${homeOf(address)}`);

type CapacityRequest = {
  readonly link: PaymentLink;
  readonly client: Buffer;
  readonly now: Date;
  readonly holdSeconds: number;
};

/** Locks the link until the transaction ends. `closed`: it accepts no more payments. `full`: other sessions occupy all places now. */
export async function capacityOf(tx: Tx, request: CapacityRequest): Promise<'free' | 'closed' | 'full'> {
  const { link, client, now, holdSeconds } = request;
  const locked = await tx.query<{ is_active: boolean }>({
    name: 'payment-link-room',
    text: 'SELECT is_active FROM payment_links WHERE id = $1 FOR NO KEY UPDATE',
    values: [link.id],
  });
  if (locked.rows[0]?.is_active !== true || (await isUsedUp(tx, link))) return 'closed';
  if (link.mostPaid !== null && (await placesTaken(tx, link, client)) >= link.mostPaid) return 'full';
  const { rows } = await tx.query<{ unpaid: number; own: number }>({
    name: 'payment-link-unpaid',
    text: `SELECT count(*)::int AS unpaid, (count(*) FILTER (WHERE p.client = $3))::int AS own
           FROM payment_link_sessions p JOIN sessions s ON s.id = p.session_id
           WHERE p.link_id = $1 AND p.opened_at >= $2 AND s.status = 'pending'`,
    values: [link.id, oldest(now, holdSeconds), client],
  });
  const { unpaid = 0, own = 0 } = rows[0] ?? {};
  return unpaid >= MAX_UNPAID || own >= MAX_UNPAID_PER_CLIENT ? 'full' : 'free';
}

/** Occupied places from the view of a client: each of its own unpaid sessions, and one for each other client. */
async function placesTaken(tx: Tx, { id: linkId }: PaymentLink, client: Buffer): Promise<number> {
  const { rows } = await tx.query<{ completed: number; pending: readonly Pending[] }>({
    name: 'payment-link-places',
    text: `SELECT count(*) FILTER (WHERE s.status = 'completed')::int AS completed,
             coalesce(json_agg(json_build_object('id', s.id, 'holder',
               CASE WHEN p.client IS NULL OR p.client = $2 THEN s.id ELSE encode(p.client, 'hex') END))
               FILTER (WHERE s.status = 'pending'), '[]') AS pending
           FROM payment_link_sessions p JOIN sessions s ON s.id = p.session_id
           WHERE p.link_id = $1 AND s.status IN ('pending', 'completed')`,
    values: [linkId, client],
  });
  const { completed = 0, pending = [] } = rows[0] ?? {};
  const ids = pending.map(({ id }) => id);
  const paying = await sessionsBeingPaid(tx, ids);
  const holders = new Set(pending.filter(({ id }) => !paying.has(id)).map(({ holder }) => holder));
  return completed + paying.size + holders.size;
}

/** `holder`: the key by which an unpaid session shares a place. */
type Pending = { readonly id: string; readonly holder: string };

type Sharing = Pick<CapacityRequest, 'link' | 'now' | 'holdSeconds'> & { readonly from: string };

/**
 * Whether the unpaid sessions, including the newest, are within the shares of client and link. If the merchant bounds the amount, the
 * link has no share and the first session of a client always fits: customers must be able to pay that price.
 */
export async function isWithinShares(tx: Tx, { link, from, now, holdSeconds }: Sharing): Promise<boolean> {
  const { rows } = await tx.query<Shares>({
    name: 'payment-link-shares',
    text: `WITH unpaid AS (
             SELECT s.amount_due AS amount, p.link_id = $1 AS is_here,
               p.client = sha256(convert_to(p.link_id || ' ' || $5, 'UTF8')) AS is_own
             FROM payment_links l JOIN payment_link_sessions p ON p.link_id = l.id JOIN sessions s ON s.id = p.session_id
             WHERE l.store_id = $2 AND l.environment = $3::"Environment" AND p.opened_at >= $4 AND s.status = 'pending')
           SELECT day_limit, (SELECT coalesce(sum(amount) FILTER (WHERE is_own), 0) FROM unpaid) AS own,
             (SELECT count(*) FILTER (WHERE is_own) FROM unpaid)::int AS own_count,
             (SELECT coalesce(sum(amount) FILTER (WHERE is_here), 0) FROM unpaid) AS here
           FROM stores WHERE id = $2 AND day_limit IS NOT NULL`,
    values: [link.id, link.storeId, link.environment, oldest(now, holdSeconds), homeOf(from)],
  });
  const [of] = rows;
  if (!of) return true;
  const limit = BigInt(of.day_limit);
  const isBounded = link.amount !== null || link.mostAmount !== null;
  const isOwnIn = BigInt(of.own) <= limit / CLIENTS_SHARE || (isBounded && of.own_count === 1);
  return isOwnIn && (isBounded || BigInt(of.here) <= limit / LINKS_SHARE);
}

type Shares = { day_limit: string; own: string; own_count: number; here: string };

/** A session opened before this time can no longer be pending. */
const oldest = (now: Date, holdSeconds: number): Date => new Date(now.getTime() - 1000 * (PAY_SECONDS + holdSeconds));
