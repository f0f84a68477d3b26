// What owners do about payouts: request and cancel one, set the refund reserve, set, run and remove a schedule, add a payout address, with or
// without a proof of ownership, and stop one.

import { z } from 'zod';
import { ServiceError } from '@/lib/platform/errors/errors';
import { readRecipient } from '@/lib/networks/recipients/recipient';
import { addPayoutAddress } from '@/lib/payouts/addresses/add';
import { payoutNetwork } from '@/lib/payouts/addresses/check';
import { proofText, readProof } from '@/lib/payouts/addresses/proof';
import { stopPayoutAddress } from '@/lib/payouts/addresses/stop';
import { cancelPayout } from '@/lib/payouts/cancel';
import { requestPayout } from '@/lib/payouts/request';
import { setReserve } from '@/lib/payouts/reserve';
import { canRunNow, runScheduleNow } from '@/lib/payouts/schedules/run-now';
import { removeSchedule, setSchedule } from '@/lib/payouts/schedules/set';
import { centsToText } from '@/lib/money/amounts';
import type { Tx } from '@/lib/platform/database/db';
import { route, type DashboardRoute } from '@/lib/dashboard/route';
import { auditHere, HERE, scopeOf } from '@/lib/dashboard/store-scope';
import { actorOf } from './store-routes';

const LONGEST_ADDRESS = 200;
const LONGEST_SIGNATURE = 300;
const ASSET = { network: z.string().max(50), currency: z.enum(['USDT', 'USDC']) };

export const PAYOUT_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: `${HERE}/payouts`,
    access: 'payouts.manage',
    body: z.object({
      /** The page chooses the name, so that resending after a lost answer makes no second payout. */
      payout_id: z.string().min(1).max(128),
      ...ASSET,
      /** In cents. */
      amount: z.int().min(1),
      /** In cents: what the page said that it costs. */
      costs: z.int().min(0).optional(),
      description: z.string().max(1000).optional(),
    }),
    handle: async (call) => {
      const { payout_id: payoutId, network, currency, amount, costs, description = null } = call.body;
      const details = { network, currency, amount };
      const record = (tx: Tx, target: string) => auditHere(call, tx, { action: 'payout.request', target, details });
      const request = { payoutId, network, currency, amount: BigInt(amount), description };
      const mostCosts = costs === undefined ? null : BigInt(costs);
      const made = await requestPayout(call.context, { ...scopeOf(call), record }, request, mostCosts);
      if ('id' in made) return made;
      const { refused } = made;
      if (refused.code === 'costs') return { refused: { code: refused.code } };
      if (refused.code !== 'balance') return { refused };
      const reserve = refused.reserve > 0n && { reserve: centsToText(refused.reserve) };
      return { refused: { code: refused.code, missing: centsToText(refused.missing), ...reserve } };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/payouts/{payout}/cancel`,
    access: 'payouts.manage',
    body: z.object({}),
    handle: async (call) => {
      const record = (tx: Tx, target: string) => auditHere(call, tx, { action: 'payout.cancel', target });
      const maker = { ...scopeOf(call), record };
      return { is_canceled: await cancelPayout(call.context, maker, call.params.payout ?? '') };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/refund-reserve`,
    access: 'payouts.manage',
    /** `amount`: in cents; 0 keeps nothing. */
    body: z.object({ ...ASSET, amount: z.int().min(0) }),
    handle: async (call) => {
      const { network, currency, amount } = call.body;
      const done = { action: 'refund_reserve.set', target: `${network}/${currency}`, details: { amount } };
      const key = { ...scopeOf(call), network, currency };
      return setReserve(call.context, key, BigInt(amount), (tx) => auditHere(call, tx, done));
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/payout-schedules`,
    access: 'payouts.manage',
    body: z.object({
      ...ASSET,
      interval: z.enum(['daily', 'weekly', 'monthly', 'threshold']),
      /** In cents. */
      least: z.int().min(1),
    }),
    handle: async (call) => {
      const { network, currency, interval, least } = call.body;
      const details = { interval, least };
      const done = { action: 'payout_schedule.set', target: `${network}/${currency}`, details };
      const schedule = { interval, least: BigInt(least) };
      const key = { ...scopeOf(call), network, currency };
      return setSchedule(call.context, key, schedule, (tx) => auditHere(call, tx, done));
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/payout-schedules/remove`,
    access: 'payouts.manage',
    body: z.object(ASSET),
    handle: async (call) => {
      const { network, currency } = call.body;
      const done = { action: 'payout_schedule.remove', target: `${network}/${currency}` };
      const key = { ...scopeOf(call), network, currency };
      return { is_removed: await removeSchedule(call.context, key, (tx) => auditHere(call, tx, done)) };
    },
  }),
  route({
    // Only in a sandbox, where a person does not wait for midnight.
    method: 'POST',
    path: `${HERE}/payout-schedules/run`,
    access: 'payouts.manage',
    body: z.object(ASSET),
    handle: async (call) => {
      const { network, currency } = call.body;
      const of = scopeOf(call);
      if (!canRunNow(call.context.config, of.environment)) throw new ServiceError('NOT_FOUND');
      const done = { action: 'payout_schedule.run', target: `${network}/${currency}` };
      const key = { ...of, network, currency };
      return { is_due: await runScheduleNow(call.context, key, (tx) => auditHere(call, tx, done)) };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/payout-addresses`,
    access: 'payouts.manage',
    body: z.object({
      network: z.string().max(50),
      address: z.string().max(LONGEST_ADDRESS),
      is_contract_confirmed: z.boolean().optional(),
      is_look_alike_confirmed: z.boolean().optional(),
      proof: z.object({ signature: z.string().max(LONGEST_SIGNATURE), requested_at: z.iso.datetime() }).optional(),
    }),
    handle: async (call) => {
      const { network, address: typed, proof: given } = call.body;
      const proof = given ? readProof(given.signature, new Date(given.requested_at)) : null;
      if (given && !proof) return { refused: { code: 'not_signed' } };
      const address = {
        ...scopeOf(call),
        network,
        typed,
        isContractConfirmed: call.body.is_contract_confirmed === true,
        isLookAlikeConfirmed: call.body.is_look_alike_confirmed === true,
        proof,
        userId: call.actor.userId,
      };
      return addPayoutAddress(call.context, address, actorOf(call));
    },
  }),
  route({
    // The text that the wallet of an address signs to prove whose it is.
    method: 'GET',
    path: `${HERE}/payout-addresses/proof`,
    access: 'payouts.read',
    handle: async (call) => {
      const of = scopeOf(call);
      const network = call.query.get('network') ?? '';
      const spec = payoutNetwork(call.context.config, of.environment, network);
      const read = readRecipient(spec, call.query.get('address') ?? '');
      if ('refused' in read) return read;
      const requestedAt = call.context.clock.now();
      const named = { ...of, network, family: spec.family, address: read.address };
      return {
        text: proofText(call.context.config.PUBLIC_URL, named, requestedAt),
        requested_at: requestedAt.toISOString(),
      };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/payout-addresses/{address_id}/stop`,
    access: 'payouts.manage',
    body: z.object({}),
    handle: async (call) => {
      const id = call.params.address_id;
      if (id === undefined) throw new ServiceError('NOT_FOUND');
      const stopped = { ...scopeOf(call), id, userId: call.actor.userId };
      // An address that was stopped before is stopped.
      await stopPayoutAddress(call.context, stopped, actorOf(call));
      return { done: true };
    },
  }),
];
