// The worker's step that watches the audit log. It verifies every new entry and writes the head into the process's log, which
// the database cannot change. It fails when an entry that it verified is missing or different. Operators see a failing step.

import type { Step } from '@/lib/platform/context';
import { anchorFault, hexOf, START, verifyPortion, type Verified } from './verify';

/** Opens the step. Its state lives as long as the process and begins with verifying the whole log. */
export function watchAudit(): Step {
  let seen: Verified = START;
  let logged = START.number;
  return async ({ pool, log }) => {
    const gone = await anchorFault(pool, { number: seen.number, head: hexOf(seen.hash) });
    if (gone !== null) throw new Error(`the audit log was changed: entry ${seen.number}: ${gone}`);
    const { upTo, broken, isMore } = await verifyPortion(pool, seen);
    seen = upTo;
    if (broken) throw new Error(`the audit log is broken at entry ${broken.number}: ${broken.why}`);
    if (isMore) return { more: true };
    if (seen.number > logged) log.info({ entries: seen.number.toString(), head: hexOf(seen.hash) }, 'audit log head');
    logged = seen.number;
    return { more: false };
  };
}
