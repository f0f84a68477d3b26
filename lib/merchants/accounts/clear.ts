// A step of the worker: deletes expired account data. That is ended waits, challenges and links, old logins that serve to
// notice a new place of sign-in, and unconfirmed accounts.

import type { Context } from '@/lib/platform/context';
import { clearLinks } from './links';
import { clearChallenges } from './second-factor/passkey-proof';
import { clearThrottles } from './sign-in/throttle';
import { deleteUnconfirmed } from './unconfirmed';

const LOGIN_DAYS = 90;

export async function clearAccounts(context: Pick<Context, 'pool' | 'clock' | 'log'>): Promise<{ more: boolean }> {
  const { pool, clock } = context;
  const now = clock.now();
  // A failure of one does not prevent the others.
  const done = await Promise.allSettled([
    deleteUnconfirmed(context),
    clearThrottles(pool, now),
    clearChallenges(pool, now),
    clearLinks(pool, now),
    pool.query(
      'DELETE FROM logins WHERE id IN (SELECT id FROM logins WHERE created_at < $1 ORDER BY created_at LIMIT 10000)',
      [new Date(now.getTime() - LOGIN_DAYS * 86_400_000)],
    ),
  ]);
  const failed = done.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return { more: done[0].status === 'fulfilled' && done[0].value.more };
}
