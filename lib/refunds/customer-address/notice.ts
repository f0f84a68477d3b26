// The delay before money goes to an address from a customer, and the mail that announces it. Anyone who can open a claim link or write to
// the database can name an address. So the store's members get a mail that says where the refund goes, and have time to cancel it.

import { displayAddress } from '@/lib/networks/payment-uri';
import type { Context } from '@/lib/platform/context';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Tx } from '@/lib/platform/database/db';
import { queueMail } from '@/lib/merchants/mail/queue';
import { MEMBER_ROLES, PERMISSIONS } from '@/lib/merchants/members/roles';
import { centsToText } from '@/lib/money/amounts';
import type { MemberRole } from '@/prisma/generated/enums';
import { idleUntil, underLease } from '@/lib/refunds/sending/lease';
import type { HoldCode } from '@/lib/refunds/holds';
import { refundPath } from '@/lib/refunds/paths';
import type { Destination } from '@/lib/refunds/rows';
import { orderFor, type RefundWork } from '@/lib/refunds/sending/sending-context';
import { isNotice, noticeMac } from '@/lib/refunds/sending/worker-macs';

const DELAY: HoldCode = 'address_delay';
/** More than the members who handle refunds in any store. The bound keeps the transaction short. */
const MAX_MAILED = 50;

const may: readonly MemberRole[] = PERMISSIONS['refunds.cancel'].members;
const WHO_MAY_CANCEL = MEMBER_ROLES.filter((role) => may.includes(role));

/**
 * Whether the refund may be paid to its destination now. The first time the worker sees an address from the customer, it announces it
 * and holds the refund until the delay has passed. A different address or amount starts the delay again.
 */
export async function isDelayOver(work: RefundWork, { address, kind, isSigned }: Destination): Promise<boolean> {
  const { context, sending, payment: refund } = work;
  const delay = delayOf(context, refund.environment);
  if (kind !== 'claim' || delay === 0) return true;
  if (!sending.signer) return false;
  const key = sending.signer.evidenceKey;
  const to = orderFor(work, address).to;
  const payAfter = (await readNotice(work, key, to)) ?? (await announce(work, key, { to, isSigned }));
  if (payAfter === null) return false;
  if (payAfter <= context.clock.now()) return true;
  await idleUntil(context, refund, payAfter, { code: DELAY, message: messageUntil(payAfter) });
  return false;
}

/** Seconds. */
const delayOf = ({ config }: Context, environment: RefundWork['payment']['environment']): number =>
  environment === 'live' ? config.REFUND_CLAIM_DELAY_SECONDS_LIVE : config.REFUND_CLAIM_DELAY_SECONDS_TEST;

const messageUntil = (payAfter: Date): string =>
  `The customer gave the address that this refund goes to. It is sent after ${asText(payAfter)}; cancel it if the address is wrong.`;

/** `2026-11-22 13:20:07 UTC`. */
const asText = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** When the address may be paid, if the worker itself recorded that for this payment; null otherwise. */
async function readNotice({ context, payment: refund }: RefundWork, key: MacKeys, to: string): Promise<Date | null> {
  const { rows } = await context.pool.query<{ pay_after: Date; mac: Buffer }>({
    name: 'address-notice',
    text: 'SELECT pay_after, mac FROM refund_address_notices WHERE refund = $1',
    values: [refund.id],
  });
  const [row] = rows;
  return row && isNotice(key, refund, { address: to, payAfter: row.pay_after }, row.mac) ? row.pay_after : null;
}

/** `to`: the address in the form that the payment order has. */
type Announced = { readonly to: string; readonly isSigned?: boolean | undefined };

/** Starts the delay and queues the mails in one transaction. Null when this worker no longer holds the refund's lease. */
function announce(work: RefundWork, key: MacKeys, { to, isSigned = false }: Announced): Promise<Date | null> {
  const { context, payment: refund } = work;
  const now = context.clock.now();
  const payAfter = new Date(now.getTime() + delayOf(context, refund.environment) * 1000);
  return underLease(context.pool, refund, async (tx) => {
    await tx.query({
      name: 'address-notice-begin',
      text: `INSERT INTO refund_address_notices (refund, pay_after, mac) VALUES ($1, $2, $3)
             ON CONFLICT (refund) DO UPDATE SET pay_after = EXCLUDED.pay_after, mac = EXCLUDED.mac`,
      values: [refund.id, payAfter, noticeMac(key, refund, { address: to, payAfter })],
    });
    const mailed = await mail(tx, work, { to, isSigned, payAfter, now });
    // The web process can delete the queued mails from the database, but it cannot reach the log.
    context.log.warn(
      { refundId: refund.id, storeId: refund.storeId, address: to, isSigned, payAfter, mailed },
      'a refund goes to an address from its customer after the delay',
    );
    return payAfter;
  });
}

/** Mails the store's members who may cancel the refund, or the operators when there is no such member. Returns how many. */
async function mail(
  tx: Tx,
  { context, sending, payment: refund }: RefundWork,
  { to, isSigned, payAfter, now }: Announced & { readonly payAfter: Date; readonly now: Date },
): Promise<number> {
  const { rows } = await tx.query<{ email: string; locale: string | null; store: string }>({
    name: 'address-notice-people',
    text: `WITH store AS (SELECT name FROM stores WHERE id = $1),
           members AS (
             SELECT u.email, u.locale FROM members m JOIN users u ON u.id = m.user_id
             WHERE m.store_id = $1 AND m.role::text = ANY ($2) AND u.disabled_at IS NULL
             ORDER BY m.created_at, m.user_id LIMIT ${MAX_MAILED}),
           operators AS (
             SELECT email, locale FROM users WHERE role = 'operator' AND disabled_at IS NULL
               AND NOT EXISTS (SELECT FROM members) ORDER BY created_at, id LIMIT ${MAX_MAILED})
           SELECT p.email, p.locale, store.name AS store
           FROM (SELECT * FROM members UNION ALL SELECT * FROM operators) AS p CROSS JOIN store`,
    values: [refund.storeId, WHO_MAY_CANCEL],
  });
  for (const { email, locale, store } of rows) {
    const values = {
      store,
      refund: refund.refundId,
      amount: `${centsToText(refund.amount)} ${refund.currency}`,
      network: refund.network,
      address: displayAddress(sending.spec.family, to),
      time: asText(payAfter),
      link: `${context.config.PUBLIC_URL}${refundPath(refund)}`,
    };
    const kind = isSigned ? 'RefundAddressSigned' : 'RefundAddress';
    await queueMail(tx, context, { to: email, kind, values, locale, now });
  }
  return rows.length;
}
