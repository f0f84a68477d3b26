// What operators do on the page Treasury: pause the sweeps of a network and let them go on.

import { z } from 'zod';
import { pauseSweeps, resumeSweeps } from '@/lib/dashboard/operator/treasury/pause-sweeps';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';

const DONE = { done: true } as const;

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
];
