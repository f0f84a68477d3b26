// What operators do on the page Treasury: pause the sweeps or the payments of a network, let them go on, set what payouts cost, request a
// proof of reserves, and download what transactions cost.

import { z } from 'zod';
import { requestProof } from '@/lib/ledger/proofs/request';
import { MAX_BASIS_POINTS, MAX_RATE_CENTS } from '@/lib/payouts/rates/rate';
import { setRate } from '@/lib/payouts/rates/set';
import { unixSeconds } from '@/lib/platform/clock';
import { ServiceError } from '@/lib/platform/errors/errors';
import { costsFile } from '@/lib/dashboard/operator/treasury/costs';
import { pausePayments, resumePayments } from '@/lib/dashboard/operator/treasury/pause-payments';
import { pauseSweeps, resumeSweeps } from '@/lib/dashboard/operator/treasury/pause-sweeps';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';

const DONE = { done: true } as const;
const LONGEST_NETWORK = 50;

/** The console sends cents as text. */
const cents = z.coerce.bigint().min(0n).max(BigInt(MAX_RATE_CENTS));
const terms = z
  .object({
    basis_points: z.int().min(0).max(MAX_BASIS_POINTS),
    fixed: cents,
    minimum: cents,
    network_costs: z.record(z.string().max(LONGEST_NETWORK), cents),
    /** The most that a store pays, on the networks where it pays what its payouts cost. */
    at_cost: z.record(z.string().max(LONGEST_NETWORK), cents.min(1n)).default({}),
  })
  .refine((given) => Object.keys(given.at_cost).every((network) => !(network in given.network_costs)))
  .transform(({ basis_points, fixed, minimum, network_costs: networkCosts, at_cost: atCost }) => ({
    ...{ fixed, minimum, networkCosts, atCost },
    basisPoints: BigInt(basis_points),
  }));

const requestOf = ({ params, actor, from }: Pick<Call, 'params' | 'actor' | 'from'>) => ({
  environment: params.environment ?? '',
  network: params.network ?? '',
  by: actor.by,
  address: from.address,
});

export const TREASURY_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: '/operator/sweeps/{environment}/{network}/pause',
    access: 'sweeps.pause',
    body: z.object({}),
    handle: async (call) => {
      await pauseSweeps(call.context, requestOf(call));
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/sweeps/{environment}/{network}/resume',
    access: 'sweeps.resume',
    body: z.object({}),
    handle: async (call) => {
      await resumeSweeps(call.context, requestOf(call));
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/payments/{environment}/{network}/{kind}/pause',
    access: 'payments.pause',
    body: z.object({}),
    handle: async (call) => {
      await pausePayments(call.context, { ...requestOf(call), kind: call.params.kind ?? '' });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/payments/{environment}/{network}/{kind}/resume',
    access: 'payments.resume',
    body: z.object({}),
    handle: async (call) => {
      await resumePayments(call.context, { ...requestOf(call), kind: call.params.kind ?? '' });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/reserves/{environment}',
    access: 'reserves.request',
    body: z.object({}),
    handle: async ({ context, params: { environment }, actor, from }) => {
      if (environment !== 'live' && environment !== 'test') throw new ServiceError('NOT_FOUND');
      await requestProof(context, environment, { by: actor.by, address: from.address });
      return DONE;
    },
  }),
  route({
    method: 'GET',
    path: '/operator/costs/{environment}',
    access: 'health.read',
    handle: async ({ context, params: { environment } }) => {
      if (environment !== 'live' && environment !== 'test') throw new ServiceError('NOT_FOUND');
      return costsFile(context, environment);
    },
  }),
  route({
    method: 'POST',
    path: '/operator/payout-rates',
    access: 'payouts.rates',
    body: z.object({
      /** Null: for every store without fees of its own. */
      store_id: z.string().max(100).nullable(),
      /** Null: the store goes back to the fees of all stores. */
      terms: terms.nullable(),
      starts_at: z.iso.datetime().nullable(),
    }),
    handle: async ({ context, body, actor, from }) => {
      const { store_id: storeId, starts_at: starts } = body;
      const rate = { storeId, terms: body.terms, startsAt: starts === null ? null : new Date(starts) };
      return { starts_at: unixSeconds(await setRate(context, rate, { by: actor.by, address: from.address })) };
    },
  }),
];
