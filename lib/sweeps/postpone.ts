// When a deposit address that was not moved may be tried again.

import type { SweepRun } from './context';
import type { SkipReason } from './reasons';
import type { Candidate } from './rules';

/** An hour, four hours, then a day. In seconds, for a row `d` of deposit_balances. */
const NEXT_PAUSE = 'CASE d.skips WHEN 0 THEN 3600 WHEN 1 THEN 14400 ELSE 86400 END';

/**
 * Sets what a skip changes in a row `d` of deposit_balances. The arguments are expressions of the statement; `pause` is the seconds
 * of the pause, or null for the usual one.
 */
export const setSkip = (reason: string, now: string, pause = 'NULL'): string =>
  `skips = d.skips + 1, skip_reason = ${reason},
   not_before = ${now}::timestamptz + coalesce(${pause}, ${NEXT_PAUSE}) * interval '1 second'`;

type Row = Pick<Candidate, 'address' | 'currency'>;

/** Waits longer with each skip in a row, or `pause` seconds. */
export async function skipAddresses(
  { context, chainId }: SweepRun,
  candidates: readonly Row[],
  reason: SkipReason,
  pause: number | null = null,
): Promise<void> {
  if (candidates.length === 0) return;
  await context.pool.query({
    name: 'sweep-skip',
    text: `UPDATE deposit_balances d SET ${setSkip('$4', '$5', '$6::int')}
           FROM unnest($2::text[], $3::text[]) AS e (address, currency)
           WHERE d.chain_id = $1 AND d.address = e.address AND d.currency = e.currency`,
    values: [chainId, ...columns(candidates), reason, context.clock.now(), pause],
  });
}

/** Waits this many seconds. */
export async function postpone(
  { context, chainId }: SweepRun,
  candidates: readonly Row[],
  seconds: number,
  reason: SkipReason | null,
): Promise<void> {
  if (candidates.length === 0) return;
  await context.pool.query({
    name: 'sweep-exclude',
    text: `UPDATE deposit_balances d SET not_before = $4, skip_reason = coalesce($5, d.skip_reason)
           FROM unnest($2::text[], $3::text[]) AS e (address, currency)
           WHERE d.chain_id = $1 AND d.address = e.address AND d.currency = e.currency`,
    values: [chainId, ...columns(candidates), new Date(context.clock.now().getTime() + seconds * 1000), reason],
  });
}

const columns = (candidates: readonly Row[]): [string[], string[]] => [
  candidates.map(({ address }) => address),
  candidates.map(({ currency }) => currency),
];
