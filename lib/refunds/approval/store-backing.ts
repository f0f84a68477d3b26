// What a store has left of what it provably received, after its refunds and payouts: the most that its payouts may be, whatever the web
// process wrote, and its refunds too once it was paid out.

import { commonToCents } from '@/lib/money/amounts';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Db, Tx } from '@/lib/platform/database/db';
import { countsTowards } from '@/lib/refunds/request/tokens';
import { idleFor, type Work } from '@/lib/refunds/sending/sending-context';
import type { LeasedPayout, LeasedRefund } from '@/lib/refunds/rows';
import { readReceived, type Store, type Sums } from './store-received';

/** Of a payment that a store's money covers. */
type StoreWork = Work<LeasedRefund> | Work<LeasedPayout>;

type Asset = { readonly network: string; readonly currency: string };

/** The class of these advisory locks; the second part is the store. */
const LOCK_CLASS = 0x7e_f6;

/** The sums that `isBackedByStore` verified, for the transaction that requests the signature: nothing is asked from the signer there. */
const verified = new WeakMap<StoreWork, Sums>();

/**
 * Whether the payment is within what its store has left. Null while the transfers are still being verified; the payment is then left idle
 * and continues at once. Throws AddressSourceError.
 */
export async function isBackedByStore(work: StoreWork, key: MacKeys): Promise<boolean | null> {
  const { context, sending, payment } = work;
  if (!sending.deposits) return false;
  const received = await readReceived(context.pool, { key, deposits: sending.deposits }, payment);
  if (received === null) {
    await idleFor(work, 0);
    return null;
  }
  verified.set(work, received);
  return isWithin(context.pool, work, received);
}

/** Serializes the requests to the signer for payments of one store. */
export const lockStorePayments = (tx: Tx, { storeId }: Pick<Store, 'storeId'>): Promise<unknown> =>
  tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, storeId]);

/** The same again, in the transaction that holds the store's lock. False when it was not verified before. */
export async function isStillBackedByStore(tx: Tx, work: StoreWork): Promise<boolean> {
  const received = verified.get(work);
  if (!received) return false;
  return isWithin(tx, work, received);
}

/** Whether a payout of the store was ever sent to the signer. Its refunds are then bounded by what the store has left, too. */
export async function wasPaidOut(db: Db, { storeId, environment }: Store): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-paid-out',
    text: `SELECT 1 FROM payouts WHERE store_id = $1 AND environment = $2::"Environment" AND signature_requested_at IS NOT NULL
             AND status NOT IN ('failed', 'canceled') LIMIT 1`,
    values: [storeId, environment],
  });
  return rowCount !== 0;
}

/**
 * Cents that the store's payouts of an asset may ever add up to: what it received there, and in all after its refunds. The transfers were
 * verified before the draft; 0 if that is not so, which the signer refuses.
 */
export async function mostPaidOut(work: StoreWork, key: MacKeys): Promise<bigint> {
  const { context, sending, payment } = work;
  if (!sending.deposits) return 0n;
  const received = (await readReceived(context.pool, { key, deposits: sending.deposits }, payment)) ?? {};
  const counts = countsTowards(context.config, payment);
  const given = await readGiven(context.pool, work);
  const refunded = given.filter(counts).reduce((sum, one) => sum + one.refunded, 0n);
  const [own, all] = [
    commonToCents(sumOf(received, (one) => isSame(one, payment))),
    commonToCents(sumOf(received, counts)),
  ];
  const left = all > refunded ? all - refunded : 0n;
  return own < left ? own : left;
}

const isSame = (one: Asset, other: Asset): boolean => one.network === other.network && one.currency === other.currency;

const sumOf = (sums: Sums, counts: (one: Asset) => boolean): bigint =>
  Object.entries(sums).reduce((sum, [name, amount]) => {
    const [network = '', currency = ''] = name.split('/');
    return counts({ network, currency }) ? sum + amount : sum;
  }, 0n);

/** A payout is within what its asset has left too. A refund may be paid in another asset than it was received in. */
async function isWithin(db: Db, work: StoreWork, received: Sums): Promise<boolean> {
  const { context, payment } = work;
  const counts = countsTowards(context.config, payment);
  const given = await readGiven(db, work);
  const left = (which: (one: Asset) => boolean, isPaidOutOnly: boolean): bigint =>
    commonToCents(sumOf(received, which)) -
    given.filter(which).reduce((sum, one) => sum + one.paidOut + (isPaidOutOnly ? 0n : one.refunded), 0n);
  if (payment.amount > left(counts, false)) return false;
  return payment.table === 'refunds' || payment.amount <= left((one) => isSame(one, payment), true);
}

type Given = Asset & { readonly refunded: bigint; readonly paidOut: bigint };

/** What the signer was asked for, in cents, without the payment itself. The web process cannot undo that. */
async function readGiven(db: Db, { payment: { id, storeId, environment } }: StoreWork): Promise<readonly Given[]> {
  const { rows } = await db.query<{ network: string; currency: string; refunded: string; paid_out: string }>({
    name: 'store-given',
    text: `SELECT network, currency, sum(refunded)::text AS refunded, sum(paid_out)::text AS paid_out
           FROM (SELECT network, currency, amount AS refunded, 0 AS paid_out FROM refunds
               WHERE store_id = $1 AND environment = $2::"Environment" AND id <> $3 AND ${IS_GIVEN}
             UNION ALL SELECT network, currency, 0, amount FROM payouts
               WHERE store_id = $1 AND environment = $2::"Environment" AND id <> $3 AND ${IS_GIVEN}) AS given GROUP BY 1, 2`,
    values: [storeId, environment, id],
  });
  return rows.map(({ network, currency, refunded, paid_out: paidOut }) => ({
    ...{ network, currency, refunded: BigInt(refunded), paidOut: BigInt(paidOut) },
  }));
}

/** As in the indexes refunds_given and payouts_given. */
const IS_GIVEN = `signature_requested_at IS NOT NULL AND status NOT IN ('failed', 'canceled')`;
