// What operators do on the page Screening: release a hit, two of them together.

import { z } from 'zod';
import { decideRelease } from '@/lib/dashboard/operator/screening/release';
import { checkText } from '@/lib/merchants/stores/fields';
import { route, type DashboardRoute } from '@/lib/dashboard/route';

const LONGEST_NOTE = 500;

/** `digest`: of what the operator was shown. */
const decision = z.object({
  move: z.enum(['request', 'approve', 'decline']),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  note: z.string().max(5000).nullable().default(null),
});

export const SCREENING_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: '/operator/screening/{screening_id}/release',
    access: 'screening.release',
    body: decision,
    handle: async ({ context, actor, from, params, body }) => {
      const { note, ...given } = body;
      const reason = note === null || note.trim() === '' ? null : checkText('note', note, LONGEST_NOTE);
      const by = { userId: actor.userId, address: from.address };
      await decideRelease(context, { ...given, ...by, note: reason, screening: params.screening_id ?? '' });
      return { done: true } as const;
    },
  }),
];
