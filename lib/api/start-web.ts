// What the web process does once when it starts, with server.ts and under `next start`: it refuses to serve with unsafe settings, with a
// database role that may do too much or with a Valkey that refuses it, and it prints the link to the first set-up. With server.ts, the pages' process prints it.

import { setTimeout as sleep } from 'node:timers/promises';
import { openSetup } from '@/lib/merchants/accounts/setup';
import { refuseUnsafeWeb } from '@/lib/platform/config/unsafe-settings';
import { refuseUnsafeRole } from '@/lib/platform/database/role';
import { refuseUnsafeSession } from '@/lib/platform/database/session';
import type { Services } from './services';

/** Throws one sentence that says what is unsafe or refused. */
export async function refuseUnsafeStart({ config, pool, limits }: Services): Promise<void> {
  refuseUnsafeWeb(config);
  await refuseUnsafeRole(pool, config);
  await refuseUnsafeSession(pool, config);
  await limits.opened();
}

/** Between two tries of `offerSetup`. */
const RETRY_MILLISECONDS = 5000;

/**
 * Prints the link while there is no operator. Tries again until the database has answered: the operator needs the link for the set-up. Never throws.
 */
export async function offerSetup(services: Services, retryMilliseconds = RETRY_MILLISECONDS): Promise<void> {
  for (;;) {
    try {
      const link = await openSetup(services);
      if (link !== null) console.log(`There is no operator yet. Make the first one within a day: ${link}`);
      return;
    } catch (error) {
      services.log.warn({ err: error }, 'could not check yet whether an operator exists: trying again');
      await sleep(retryMilliseconds, undefined, { ref: false });
    }
  }
}
