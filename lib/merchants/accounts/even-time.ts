// Requests that anyone can send about an e-mail address are answered after an even time. Their work differs by milliseconds: an
// account that exists gets a committed mail, another address gets none, and an attacker could tell the two apart by measuring.

import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than the work takes on a busy machine, and hardly longer than a password hash for the person who waits. */
export const EVEN_MILLISECONDS = 400;

/** Resolves with the work, and never earlier than the even time. A refusal comes at once: refusals do not depend on accounts. */
export async function evenly<Result>(work: Promise<Result>): Promise<Result> {
  const [result] = await Promise.all([work, sleep(EVEN_MILLISECONDS)]);
  return result;
}
