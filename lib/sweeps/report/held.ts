// What deposit addresses hold, how much of it is not worth its fee yet, and which addresses have waited too long for their sweep.

import type { Db } from '@/lib/platform/database/db';
import { isSweepBarred } from '@/lib/screening/sender-sql';
import { worthCondition } from '@/lib/sweeps/candidates';
import type { leastWorth } from '@/lib/sweeps/rules';

export type WorthLimits = ReturnType<typeof leastWorth> & {
  /** Of the network's tokens. */
  readonly currencies: readonly string[];
};

/** Of one token on one chain. Amounts are base units. */
export type Held = {
  readonly chainId: number;
  readonly currency: string;
  readonly decimals: number;
  readonly amount: bigint;
  readonly addresses: number;
  /** Not worth its fee yet. */
  readonly dust: bigint;
  readonly dustAddresses: number;
  /** Block time of the oldest payment. */
  readonly oldestAt: Date;
  /** The same without dust; null while all of it is dust. */
  readonly oldestWorthAt: Date | null;
  /** Addresses that the last sweep did not move, and those of them that run code which is not ours. */
  readonly skipped: number;
  readonly foreign: number;
};

export type HeldAt = { readonly chainId: number | null; readonly limits: WorthLimits };

const IS_WORTH = worthCondition({
  oldestBefore: 'w.oldest_before',
  oldestCents: 'w.oldest_cents',
  lateBefore: 'w.late_before',
  lateCents: 'w.late_cents',
  usualCents: 'w.usual_cents',
});
/** Frozen by the screening, which has an alarm of its own. */
const IS_FROZEN = isSweepBarred({
  sessionId: 'd.session_id',
  chainId: 'd.chain_id',
  address: 'd.address',
  environment: 's.environment',
  isScreened: 'false',
});
/** The limits of each chain as columns of `w`, and at most one more column. */
const limitsOf = (more: { readonly parameter: string; readonly column: string } | null = null): string =>
  `unnest($1::int[], $2::timestamptz[], $3::bigint[], $4::timestamptz[], $5::bigint[], $6::bigint[]${more ? `, ${more.parameter}` : ''})
             AS w (chain_id, oldest_before, oldest_cents, late_before, late_cents, usual_cents${more ? `, ${more.column}` : ''})`;

const valuesOf = (chains: readonly (HeldAt & { chainId: number })[]): unknown[] => [
  chains.map(({ chainId }) => chainId),
  chains.map(({ limits }) => limits.oldest.before),
  chains.map(({ limits }) => limits.oldest.cents.toString()),
  chains.map(({ limits }) => limits.late.before),
  chains.map(({ limits }) => limits.late.cents.toString()),
  chains.map(({ limits }) => limits.usual.toString()),
];

type Row = Omit<Held, 'amount' | 'dust'> & { readonly amount: string; readonly dust: string };

/** By chain and token. */
export async function readHeld(db: Db, chains: readonly HeldAt[]): Promise<readonly Held[]> {
  const followed = chains.flatMap(({ chainId, limits }) => (chainId === null ? [] : [{ chainId, limits }]));
  const { rows } = await db.query<Row>({
    name: 'sweep-held',
    text: `SELECT d.chain_id AS "chainId", d.currency, d.decimals, sum(d.amount)::text AS amount, count(*)::int AS addresses,
             coalesce(sum(d.amount) FILTER (WHERE NOT ${IS_WORTH}), 0)::text AS dust,
             (count(*) FILTER (WHERE NOT ${IS_WORTH}))::int AS "dustAddresses", min(d.since) AS "oldestAt",
             min(d.since) FILTER (WHERE ${IS_WORTH}) AS "oldestWorthAt",
             (count(*) FILTER (WHERE d.skip_reason IS NOT NULL))::int AS skipped,
             (count(*) FILTER (WHERE d.skip_reason = 'foreign_delegation'))::int AS foreign
           FROM ${limitsOf()} JOIN deposit_balances d ON d.chain_id = w.chain_id AND d.amount > 0
           GROUP BY d.chain_id, d.currency, d.decimals ORDER BY d.chain_id, d.currency DESC`,
    values: valuesOf(followed),
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount), dust: BigInt(row.dust) }));
}

export type Waiting = HeldAt & {
  /** Addresses whose payment, and the end of whose session, are older than this should have been swept. */
  readonly overdueBefore: Date;
};

/**
 * The chains on which an address that is worth a sweep is overdue. Addresses that were skipped, or whose money is in doubt, have alarms
 * of their own.
 */
export async function readOverdue(db: Db, chains: readonly Waiting[]): Promise<ReadonlySet<number>> {
  const followed = chains.flatMap(({ chainId, ...one }) => (chainId === null ? [] : [{ ...one, chainId }]));
  const { rows } = await db.query<{ chain_id: number }>({
    name: 'sweep-overdue',
    text: `SELECT w.chain_id FROM ${limitsOf({ parameter: '$7::timestamptz[]', column: 'overdue' })}
           WHERE EXISTS (SELECT FROM deposit_balances d JOIN sessions s ON s.id = d.session_id
             WHERE d.chain_id = w.chain_id AND d.since <= w.overdue AND s.status <> 'pending' AND s.closed_at <= w.overdue
               AND d.skip_reason IS NULL AND d.currency = ANY ($8) AND ${IS_WORTH}
               AND NOT EXISTS (SELECT FROM discrepancies x WHERE x.chain_id = d.chain_id AND x.address = d.address AND x.ended_at IS NULL)
               AND NOT EXISTS (SELECT FROM quarantine q WHERE q.session_id = d.session_id AND q.resolved_at IS NULL)
               AND NOT ${IS_FROZEN})`,
    values: [
      ...valuesOf(followed),
      followed.map(({ overdueBefore }) => overdueBefore),
      [...new Set(followed.flatMap(({ limits }) => limits.currencies))],
    ],
  });
  return new Set(rows.map(({ chain_id: id }) => id));
}
