// Whether the installation is quiet: no session is pending, and nothing waits to be paid, swept, delivered or mailed. One statement a second
// looks for such work. While there is none, the steps run rarely; as soon as there is some, all of them run. Nothing is lost by it: work that
// the statement does not look for waits for the next run of its step.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import type { NamedStep } from './named-step';

/** How often it looks for work: the steps run so soon after a session was created or a payment was requested. */
const LOOK_MILLISECONDS = 1000;
/** After the last work the steps go on for so long: a payment has followers, such as sweeps, mails and proofs. */
const WAKE_MILLISECONDS = 60_000;
/** The pause of a step while the installation is quiet, unless the step names its own. */
const QUIET_MILLISECONDS = 120_000;

/** Each condition has a partial index, or a table of few rows. */
const HAS_WORK = [
  `sessions WHERE status = 'pending'`,
  ...['refunds', 'payouts', 'cold_transfers'].flatMap((table) => [
    `${table} WHERE status IN ('pending', 'processing')`,
    `${table} WHERE to_release`,
  ]),
  'sweeps WHERE ended_at IS NULL',
  'cold_returns WHERE ended_at IS NULL',
  'allowance_transactions WHERE settled_at IS NULL',
  `deliveries WHERE status = 'pending'`,
  // Without a mail server they wait forever.
  `mails WHERE sent_at IS NULL AND failed_at IS NULL AND next_at BETWEEN now() - interval '1 minute' AND now()`,
  'quarantine WHERE resolved_at IS NULL',
  'freeze_requests WHERE carried_out_at IS NULL',
  'payout_addresses WHERE mailed_at IS NULL AND stopped_at IS NULL',
  'tip_outflows WHERE acted_at IS NULL',
];
const TEXT = `SELECT ${HAS_WORK.map((what) => `EXISTS (SELECT FROM ${what})`).join(' OR ')} AS "hasWork"`;

export async function hasWork(pool: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query<{ hasWork: boolean }>({ name: 'worker-has-work', text: TEXT, values: [] });
  return rows[0]?.hasWork ?? true;
}

export type Quiet = {
  readonly isQuiet: () => boolean;
  /** Milliseconds until the step runs again when it has nothing more to do. */
  readonly pauseOf: (step: Pick<NamedStep, 'everyMilliseconds' | 'quietMilliseconds'>) => number;
  /** Calls `run` as soon as there is work again. Returns a function that ends this. */
  readonly onWork: (run: () => void) => () => void;
  /** Looks for work once. Never throws. */
  readonly look: () => Promise<void>;
};

export function openQuiet({ pool, clock, log }: Pick<Context, 'pool' | 'clock' | 'log'>): Quiet {
  const waiting = new Set<() => void>();
  let busyUntil = clock.now().getTime() + WAKE_MILLISECONDS;
  const isQuiet = (): boolean => clock.now().getTime() >= busyUntil;
  async function look(): Promise<void> {
    // Without an answer the steps run as usual, and each says for itself what is wrong.
    const has = await hasWork(pool).catch((error: unknown) => {
      log.debug({ err: error }, 'whether there is work could not be read');
      return true;
    });
    if (!has) return;
    const wasQuiet = isQuiet();
    busyUntil = clock.now().getTime() + WAKE_MILLISECONDS;
    if (wasQuiet) for (const run of [...waiting]) run();
  }
  return {
    isQuiet,
    pauseOf: ({ everyMilliseconds, quietMilliseconds = QUIET_MILLISECONDS }) =>
      isQuiet() ? Math.max(everyMilliseconds, quietMilliseconds) : everyMilliseconds,
    onWork(run) {
      waiting.add(run);
      return () => void waiting.delete(run);
    },
    look,
  };
}

/** Looks for work until `stop` is aborted. */
export async function lookForWork({ look }: Pick<Quiet, 'look'>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await look();
    await sleep(LOOK_MILLISECONDS, undefined, { signal: stop }).catch(() => {});
  }
}
