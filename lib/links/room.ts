// Whether a payment link has room for one more session. Each takes a deposit address, is watched until it ends, and is made by
// strangers, so what is unpaid is bounded, per link and per client. Of a link that takes a number of payments, as many sessions
// are open or paid at most: nobody can pay it once too often, and one that nobody pays makes room when its time is up.

import { groupOf } from '@/lib/address-group';
import { sha256 } from '@/lib/crypto';
import type { Tx } from '@/lib/db';
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

/** What is kept of the address that pressed: enough to count its sessions of this link, and no address. */
export const clientOf = ({ id }: PaymentLink, address: string): Buffer => sha256(`${id} ${groupOf(address)}`);

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
  if (link.mostPaid !== null && (await placesTaken(tx, link.id, link.mostPaid)) >= link.mostPaid) return 'full';
  // None that is older can be pending still.
  const since = new Date(now.getTime() - 1000 * (PAY_SECONDS + holdSeconds));
  const { rows } = await tx.query<{ unpaid: number; own: number }>({
    name: 'payment-link-unpaid',
    text: `SELECT count(*)::int AS unpaid, (count(*) FILTER (WHERE p.client = $3))::int AS own
           FROM payment_link_sessions p JOIN sessions s ON s.id = p.session_id
           WHERE p.link_id = $1 AND p.opened_at >= $2 AND s.status = 'pending'`,
    values: [link.id, since, client],
  });
  const { unpaid = 0, own = 0 } = rows[0] ?? {};
  return unpaid >= MOST_UNPAID || own >= MOST_UNPAID_PER_CLIENT ? 'full' : 'free';
}

/** Sessions that are paid or may still be, counted up to the most. */
async function placesTaken(tx: Tx, linkId: string, most: number): Promise<number> {
  const { rows } = await tx.query<{ taken: number }>({
    name: 'payment-link-places',
    text: `SELECT count(*)::int AS taken FROM (SELECT FROM payment_link_sessions p JOIN sessions s ON s.id = p.session_id
             WHERE p.link_id = $1 AND s.status IN ('pending', 'completed') LIMIT $2) AS places`,
    values: [linkId, most],
  });
  return rows[0]?.taken ?? 0;
}
