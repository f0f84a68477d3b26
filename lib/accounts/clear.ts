// A step of the worker: forgets what accounts no longer need — waits that are over, challenges and links that ended, and logins
// of a season ago, by which it is known where somebody signs in from.

import type { Context } from '@/lib/context';
import { clearLinks } from './links';
import { clearChallenges } from './passkey-proof';
import { clearThrottles } from './throttle';

const LOGIN_DAYS = 90;

export async function clearAccounts({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<{ more: boolean }> {
  const now = clock.now();
  // One of them that fails keeps none of the others from being done.
  const done = await Promise.allSettled([
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
  return { more: false };
}
