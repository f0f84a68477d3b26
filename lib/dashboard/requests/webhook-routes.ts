// The merchant's actions in the webhook console: resend events, test an endpoint, choose the slow lane, pause and resume, and
// verify a request that their own code refused. Each change is in the audit log, in its own transaction.

import { z } from 'zod';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import { EVENT_TYPES, OPTIONAL_EVENTS } from '@/lib/webhooks/events/events';
import { chooseOptionalEvents } from '@/lib/webhooks/events/optional';
import { pauseEndpoint, resumeEndpoint } from '@/lib/webhooks/endpoint/pause';
import { MAX_SELECTED, resendEventsIn, resendFailedIn } from '@/lib/webhooks/console/resend';
import { sendTestEvent } from '@/lib/webhooks/console/test-event';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';
import { auditHere, HERE, scopeOf } from '@/lib/dashboard/store-scope';
import { verifyForEndpoint } from './verify-endpoint';

/** Events and headers are a few hundred bytes each. Verification signs every character some hundred times. */
const LONGEST_PASTE = 16_000;
/** Limits a person's pastes. */
const ofUser = openRateLimit({ rate: 1, burst: 20 });

export const WEBHOOK_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: `${HERE}/deliveries/resend`,
    access: 'webhook.resend',
    body: z.object({ event_ids: z.array(z.string().max(100)).min(1).max(MAX_SELECTED) }),
    handle: (call) => {
      const of = scopeOf(call);
      return transaction(call.context.pool, async (tx) => {
        const { deliveryIds } = await resendEventsIn(tx, { ...of, eventIds: call.body.event_ids });
        if (deliveryIds.length === 0) throw noEndpoint();
        await audit(call, tx, 'event.resend_selected', { count: deliveryIds.length });
        return { count: deliveryIds.length };
      });
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/deliveries/resend-failed`,
    access: 'webhook.resend',
    body: z.object({ since: z.int().min(0).max(9_999_999_999) }),
    handle: (call) => {
      const of = scopeOf(call);
      const since = fromUnixSeconds(call.body.since);
      return transaction(call.context.pool, async (tx) => {
        const { deliveryIds, isMore } = await resendFailedIn(tx, { ...of, since });
        const count = deliveryIds.length;
        if (count > 0) await audit(call, tx, 'event.resend_failed', { count, since: since.toISOString() });
        return { count, is_more: isMore };
      });
    },
  }),
  // Opens its own transaction: it changes nothing that belongs in the audit log.
  route({
    method: 'POST',
    path: `${HERE}/test-events`,
    access: 'webhook.resend',
    body: z.object({ type: z.enum(EVENT_TYPES) }),
    handle: async (call) => {
      const sent = await sendTestEvent(call.context, { ...scopeOf(call), type: call.body.type });
      if (!sent) throw noEndpoint();
      return { event_id: sent.eventId, delivery_id: sent.deliveryId };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/webhook/optional-events`,
    access: 'webhook.change',
    body: z.object({ events: z.array(z.enum(OPTIONAL_EVENTS)).max(OPTIONAL_EVENTS.length) }),
    handle: (call) => {
      const of = scopeOf(call);
      return transaction(call.context.pool, async (tx) => {
        const events = await chooseOptionalEvents(tx, { ...of, events: call.body.events });
        if (!events) throw noEndpoint();
        await audit(call, tx, 'webhook.optional_events', { events: events.join(', ') || 'none' });
        return { events };
      });
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/webhook/pause`,
    access: 'webhook.change',
    body: z.object({}),
    handle: async (call) => {
      const record = (tx: Tx) => audit(call, tx, 'webhook.pause', {});
      const isDone = await pauseEndpoint(call.context, { ...scopeOf(call), by: call.actor.by, record });
      if (!isDone) throw new ServiceError('NOT_FOUND', { message: 'There is no endpoint that could be paused.' });
      return { done: true };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/webhook/resume`,
    access: 'webhook.change',
    body: z.object({}),
    handle: async (call) => {
      const record = (tx: Tx, replayed: number) => audit(call, tx, 'webhook.resume', { replayed });
      const resumed = await resumeEndpoint(call.context, { ...scopeOf(call), by: call.actor.by, record });
      if (!resumed) throw new ServiceError('NOT_FOUND', { message: 'The endpoint is not paused.' });
      return resumed;
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/webhook/verify`,
    access: 'webhook.read',
    body: z.object({
      headers: z.string().max(LONGEST_PASTE),
      body: z.string().max(LONGEST_PASTE),
      computed: z.string().max(500).optional(),
    }),
    handle: async (call) => {
      const wait = ofUser(call.actor.userId, call.context.clock.now().getTime());
      if (wait > 0) throw new ServiceError('RATE_LIMITED', { retryAfter: wait });
      const verified = await verifyForEndpoint(call.context, { ...scopeOf(call), ...call.body });
      if (!verified) throw noEndpoint();
      return { is_right: verified.isRight, steps: verified.steps };
    },
  }),
];

const noEndpoint = (): ServiceError =>
  new ServiceError('NOT_FOUND', { message: 'No webhook endpoint is set, so there is nowhere to send it.' });

const audit = (
  call: Pick<Call, 'actor' | 'from' | 'context' | 'params'>,
  tx: Tx,
  action: string,
  details: Readonly<Record<string, string | number>>,
): Promise<void> => auditHere(call, tx, { action, target: scopeOf(call).environment, details });
