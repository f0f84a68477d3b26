// Answers public requests about an e-mail address after a minimum time. Their work differs by milliseconds: an existing account
// gets a committed mail, another address gets none. An attacker could otherwise measure the difference.

import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than the work takes on a busy machine, yet hardly longer than a password hash for the waiting user. */
export const MINIMUM_MILLISECONDS = 400;

/** Resolves with the work, but never earlier than the minimum time. A refusal is immediate: refusals do not depend on accounts. */
export async function withMinimumDuration<Result>(work: Promise<Result>): Promise<Result> {
  const [result] = await Promise.all([work, sleep(MINIMUM_MILLISECONDS)]);
  return result;
}
