// Whether a payment link has room for one more session. Each takes a deposit address, is watched until it ends, and is made by
// strangers, so what is unpaid is bounded, per link and per client. A link that takes a number of payments gives each open or paid
// session a place. The unpaid sessions of one client hold one place together, so that one stranger cannot close the link for
// everybody; only a client that pays several of them can exceed the number. An unpaid session makes room when its time is up.

import { homeOf } from '@/lib/platform/rate-limit/address-group';
import { sha256 } from '@/lib/platform/crypto';
import type { Tx } from '@/lib/platform/database/db';
import { sessionsBeingPaid } from '@/lib/payments/sessions/being-paid';
import { isUsedUp, type PaymentLink } from './link';

/** Seconds that a customer has to pay: as the API's sessions have unless told otherwise. */
const PAY_SECONDS = 1800;
/** Shorter where others wait for the same place. */
const LIMITED_PAY_SECONDS = 900;
/** A crowd before one poster. More strangers than this are told to try again in a while. */
export const MOST_UNPAID = 300;
/** A family behind one address. One client can therefore not use up the places of all others. */
export const MOST_UNPAID_PER_CLIENT = 10;

export const paySeconds = ({ mostPaid }: PaymentLink): number =>
  mostPaid === null ? PAY_SECONDS : LIMITED_PAY_SECONDS;

/**
 * Of what a store's links may ask for in a day, unpaid sessions of one client take at most a tenth, and those of one link without a
 * price or maximum half. Otherwise one anonymous press could type the whole day's amount, and no other customer could pay.
 */
const [CLIENTS_SHARE, LINKS_SHARE] = [10n, 2n];

/** What is kept of the address that pressed: enough to count its sessions of this link, and no address. */
export const clientOf = ({ id }: PaymentLink, address: string): Buffer => sha256(`${id} ${homeOf(address)}`);

type Asked = { readonly link: PaymentLink; readonly client: Buffer; readonly now: Date; readonly holdSeconds: number };

/** Locks the link until the transaction ends. `closed`: it takes no more. `full`: others hold every place now. */
export async function roomOf(tx: Tx, asked: Asked): Promise<'free' | 'closed' | 'full'> {
  const { link, client, now, holdSeconds } = asked;
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
  return unpaid >= MOST_UNPAID || own >= MOST_UNPAID_PER_CLIENT ? 'full' : 'free';
}

/** Places that are taken as the client sees them: each of its own unpaid sessions, and one for those of each other client. */
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

/** `holder`: what its place is counted by while nothing was paid. */
type Pending = { readonly id: string; readonly holder: string };

type Sharing = Pick<Asked, 'link' | 'now' | 'holdSeconds'> & { readonly from: string };

/**
 * Whether what was opened, the newest session included, is within the shares of its client and its link. Where the merchant has bounded
 * the amount, the link has no share and the first session of a client is always within: customers must be able to pay that price.
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

/** No session that was opened before can be pending still. */
const oldest = (now: Date, holdSeconds: number): Date => new Date(now.getTime() - 1000 * (PAY_SECONDS + holdSeconds));
