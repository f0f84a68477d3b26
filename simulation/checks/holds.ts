// When a session may close although a network was not read: the operator lets sessions wait for a silent network for a while only.
// That while counts only as far as a worker ran all the time, because a stop of the worker says nothing about the network.

import type { Terms } from '@/simulation/stores';
import type { World } from '@/simulation/world';

/** Seconds. Longer pauses of the worker are stops, whatever the hold is, and so are those of a quarter of the hold. */
const [A_STOP, PART_OF_HOLD] = [60, 4];

/** Notes that a session which has just closed had waited for its networks as long as the settings say. */
export function noteIfHeldOut({ context, clock, records }: World, { id, expiresAt }: Terms): void {
  const hold = context.config.EXPIRY_HOLD_SECONDS;
  const now = clock.now().getTime() / 1000;
  const longest = Math.max(A_STOP, hold / PART_OF_HOLD);
  if (now >= expiresAt + hold && ranThroughout(records.watches, now - hold, longest)) records.unread.add(id);
}

/** Whether no two looks at the sessions since then, nor the last one before, are further apart than this. */
function ranThroughout(watches: readonly number[], since: number, longest: number): boolean {
  const seconds = watches.map((at) => at / 1000);
  const first = seconds.findLastIndex((at) => at <= since);
  if (first < 0) return false;
  const looked = seconds.slice(first);
  return looked.every((at, index) => index === 0 || Math.abs(at - (looked[index - 1] ?? at)) <= longest);
}
