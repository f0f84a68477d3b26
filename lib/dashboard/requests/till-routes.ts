// What a store's staff sells without a developer: payment links that are created and switched, and sales at the till. The
// signed API's use-case creates the sessions. Each change is in the audit log, in its own transaction.

import { z } from 'zod';
import { ServiceError } from '@/lib/platform/errors/errors';
import { payTestMoney } from '@/lib/api/public/test-money';
import { createPaymentLink, paymentLinkSchema, switchPaymentLink } from '@/lib/payments/links/change';
import { amountText } from '@/lib/payments/links/amount';
import { line } from '@/lib/platform/request-text';
import { cancelSessionByStore, type SessionSide } from '@/lib/payments/sessions/by-store';
import { LARGEST_AMOUNT } from '@/lib/payments/sessions/create/schema';
import { auditStore } from '@/lib/merchants/stores/actor';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';
import { actorOf } from './store-routes';
import { HERE, scopeOf } from '@/lib/dashboard/store-scope';
import { chargeAtTill, readSale } from '@/lib/dashboard/payment/till';

const LONGEST_NOTE = 140;
const RETRY_SECONDS = 15;

export const TILL_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: `${HERE}/links`,
    access: 'links.change',
    body: paymentLinkSchema,
    handle: async (call) => {
      const { id } = await createPaymentLink(call.context, scopeOf(call), call.body, actorOf(call));
      return { id, url: `${call.context.config.PUBLIC_URL}/link/${id}` };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/links/{link}/switch`,
    access: 'links.change',
    body: z.object({ is_active: z.boolean() }),
    handle: async (call) => {
      const wish = { linkId: call.params.link ?? '', isActive: call.body.is_active };
      const link = await switchPaymentLink(call.context, scopeOf(call), wish, actorOf(call));
      return { is_active: link.isActive };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/till/sales`,
    access: 'till.use',
    body: z.object({
      /** The page's id of this press. */
      name: z.string().regex(/^[0-9a-f]{32}$/),
      amount: z.int().min(1).max(LARGEST_AMOUNT),
      currency: z.string().regex(/^[A-Z]{3,4}$/),
      note: line(0, LONGEST_NOTE).optional(),
    }),
    handle: async (call) => {
      const { amount, currency } = call.body;
      const note = call.body.note?.trim() || null;
      const price = { amount: amountText(BigInt(amount), currency), currency };
      return chargeAtTill(call.context, sideOf(call, 'till.charge', price), { ...call.body, note });
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/till/sales/{sale}/cancel`,
    access: 'till.use',
    body: z.object({}),
    handle: async (call) => {
      const sale = await readSale(call.context, scopeOf(call), call.params.sale ?? '');
      // The till must not cancel sessions that the store's programs created.
      if (!sale) throw new ServiceError('SESSION_NOT_FOUND');
      await cancelSessionByStore(call.context, sideOf(call, 'till.cancel'), sale.id);
      return { status: 'canceled' };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/till/sales/{sale}/test-money`,
    access: 'till.use',
    body: z.object({ method: z.string().max(40) }),
    handle: async (call) => {
      const sale = await readSale(call.context, scopeOf(call), call.params.sale ?? '');
      if (!sale) throw new ServiceError('SESSION_NOT_FOUND');
      const result = await payTestMoney(call.context, sale.id, call.body.method);
      if (result === 'failed') throw new ServiceError('SERVICE_UNAVAILABLE', { retryAfter: RETRY_SECONDS });
      return { result };
    },
  }),
];

/** The till of a store, which records actions in the audit log. */
function sideOf(
  call: Pick<Call, 'actor' | 'params' | 'from' | 'context'>,
  action: string,
  price: Readonly<Record<string, string>> = {},
): SessionSide {
  const of = scopeOf(call);
  const details = { environment: of.environment, ...price };
  return {
    ...of,
    record: (tx, target) =>
      auditStore(tx, actorOf(call), {
        storeId: of.storeId,
        action,
        target,
        details,
        now: call.context.clock.now(),
      }),
  };
}
