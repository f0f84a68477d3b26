// The watch step of a process without EVIDENCE_KEY. It does nothing while another process watches the chain. When no process does, it
// fails, so that an operator who runs only cron is alerted that no payments are watched.

import type { FollowedChain } from '@/lib/networks/registry';
import type { Step } from '@/lib/platform/context';

/** A chain that was not read for this long has no watcher; a worker reads it every second or two. */
const SILENCE_MILLISECONDS = 120_000;

/** The step of one chain. */
export function watchedElsewhere({ environment, network }: FollowedChain): Step {
  return async ({ pool, clock }) => {
    const { rows } = await pool.query<{ scanned_at: Date }>({
      name: 'watched-elsewhere',
      text: `SELECT scanned_at FROM chains WHERE environment = $1::"Environment" AND network = $2 AND retired_at IS NULL`,
      values: [environment, network],
    });
    const silence = clock.now().getTime() - (rows[0]?.scanned_at.getTime() ?? Number.NEGATIVE_INFINITY);
    if (silence <= SILENCE_MILLISECONDS) return { more: false };
    throw new Error(
      `no process watches ${environment} ${network}: start a worker, or set EVIDENCE_KEY here (see .env.example)`,
    );
  };
}
