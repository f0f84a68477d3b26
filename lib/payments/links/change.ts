// Changes of payment links by members of the store: create one, switch it off and on. Each change and its audit log entry are one
// transaction. A link's price never changes, because people who have its URL know its price.

import { z } from 'zod';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isPaymentLinkId, newPaymentLinkId, type Environment } from '@/lib/platform/ids';
import { line, prose } from '@/lib/platform/request-text';
import { isKnownCurrency } from '@/lib/payments/sessions/create/rules';
import { LARGEST_AMOUNT } from '@/lib/payments/sessions/create/schema';
import { auditStore, type Actor } from '@/lib/merchants/stores/actor';
import { amountText } from './amount';
import { LINK_COLUMNS, MAX_PAID, paymentLink, type LinkRow, type PaymentLink } from './link';

const TITLE_LENGTH = 120;
const DESCRIPTION_LENGTH = 1000;
/** A store's links in one environment. Programs that need more prices use the API. */
const MAX_LINKS = 5000;

const units = z.int().min(1).max(LARGEST_AMOUNT).nullable().default(null);

/** The fields of a link. Amounts in minor units of the currency. */
export const paymentLinkSchema = z.object({
  title: line(1, TITLE_LENGTH),
  description: prose(DESCRIPTION_LENGTH).nullable().default(null),
  currency: z.string().max(10),
  amount: units,
  least_amount: units,
  most_amount: units,
  most_paid: z.int().min(1).max(MAX_PAID).nullable().default(null),
});
export type PaymentLinkInput = z.output<typeof paymentLinkSchema>;

type Deps = Pick<Context, 'pool' | 'clock'>;
type Scope = { readonly storeId: string; readonly environment: Environment };

/** Creates an active link. Throws INVALID_PARAMETER or INVALID_CURRENCY. */
export async function createPaymentLink(
  { pool, clock }: Deps,
  { storeId, environment }: Scope,
  wish: PaymentLinkInput,
  actor: Actor,
): Promise<PaymentLink> {
  const currency = wish.currency.toUpperCase();
  if (!isKnownCurrency(wish.currency)) throw new ServiceError('INVALID_CURRENCY', { param: 'currency' });
  const title = wish.title.trim();
  if (title === '') throw new ServiceError('INVALID_PARAMETER', { param: 'title' });
  checkAmounts(wish);
  const now = clock.now();
  const values = [
    newPaymentLinkId(environment),
    storeId,
    environment,
    title,
    wish.description?.trim() || null,
    currency,
    wish.amount,
    wish.least_amount,
    wish.most_amount,
    wish.most_paid,
    now,
    MAX_LINKS,
  ];
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<LinkRow>({ name: 'payment-link-create', text: INSERT, values });
    if (!rows[0]) throw tooMany();
    const link = paymentLink(rows[0]);
    const price = link.amount === null ? 'any' : amountText(link.amount, currency);
    const details = { environment, title, price, currency };
    await auditStore(tx, actor, { storeId, action: 'link.make', target: link.id, details, now });
    return link;
  });
}

/** Switches a link on or off; idempotent. Throws NOT_FOUND for a link of another store. */
export const switchPaymentLink = (
  { pool, clock }: Deps,
  { storeId, environment }: Scope,
  wish: { readonly linkId: string; readonly isActive: boolean },
  actor: Actor,
): Promise<PaymentLink> =>
  transaction(pool, async (tx) => {
    const { linkId, isActive } = wish;
    const { rows } = await tx.query<LinkRow>({
      name: 'payment-link-lock',
      text: `SELECT ${LINK_COLUMNS} FROM payment_links l
             WHERE l.id = $1 AND l.store_id = $2 AND l.environment = $3::"Environment" FOR UPDATE`,
      values: [isPaymentLinkId(linkId) ? linkId : null, storeId, environment],
    });
    if (!rows[0]) throw new ServiceError('NOT_FOUND', { message: 'There is no such payment link.' });
    const link = paymentLink(rows[0]);
    if (link.isActive === isActive) return link;
    await tx.query({
      name: 'payment-link-switch',
      text: 'UPDATE payment_links SET is_active = $2, version = version + 1 WHERE id = $1',
      values: [linkId, isActive],
    });
    const details = { environment, title: link.title };
    const action = isActive ? 'link.on' : 'link.off';
    await auditStore(tx, actor, { storeId, action, target: linkId, details, now: clock.now() });
    return { ...link, isActive, version: link.version + 1 };
  });

function checkAmounts({ amount, least_amount: least, most_amount: most }: PaymentLinkInput): void {
  if (amount !== null && (least !== null || most !== null))
    throw new ServiceError('INVALID_PARAMETER', {
      param: 'amount',
      message: 'A link has a fixed amount, or limits for the amount that the customer types; not both.',
    });
  if (least !== null && most !== null && least > most)
    throw new ServiceError('INVALID_PARAMETER', {
      param: 'most_amount',
      message: 'The largest amount is smaller than the smallest.',
    });
}

const tooMany = (): ServiceError =>
  new ServiceError('INVALID_PARAMETER', {
    message: `A store may have ${MAX_LINKS} payment links. Use the API for prices that a program makes.`,
  });

const INSERT = `
INSERT INTO payment_links AS l (id, store_id, environment, title, description, currency, amount, least_amount, most_amount,
  most_paid, created_at)
SELECT $1, $2, $3::"Environment", $4, $5, $6, $7::bigint, $8::bigint, $9::bigint, $10::integer, $11
WHERE (SELECT count(*) FROM payment_links WHERE store_id = $2 AND environment = $3::"Environment") < $12::bigint
RETURNING ${LINK_COLUMNS}`;
