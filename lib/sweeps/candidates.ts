// Reads the deposit addresses that may be swept now: final money of closed sessions, nothing in doubt, in no other sweep.

import { baseUnitsToCents } from '@/lib/money/amounts';
import type { Db } from '@/lib/platform/database/db';
import { isSweepBarred } from '@/lib/screening/sender-sql';
import { leastWorth, type Candidate, type SweepRules } from './rules';

export type CandidateQuery = {
  readonly chainId: number;
  /** Tokens of the network. */
  readonly currencies: readonly string[];
  /** Sessions that closed later wait: their customers may still pay. */
  readonly closedBefore: Date;
  readonly rules: SweepRules;
  /** Cents that the sweep of one address costs. */
  readonly cost: bigint;
  readonly now: Date;
  /** Whether addresses wait until everyone who paid to them is screened. */
  readonly isScreened: boolean;
};

/** Whether `d`, a row of deposit_balances, is worth a sweep, by the limits of `leastWorth` in these parameters or columns. */
export const worthCondition = (limit: {
  readonly oldestBefore: string;
  readonly oldestCents: string;
  readonly lateBefore: string;
  readonly lateCents: string;
  readonly usualCents: string;
}): string => `d.amount >= 10::numeric ^ (d.decimals - 2)
               * CASE WHEN d.since <= ${limit.oldestBefore} THEN ${limit.oldestCents}::bigint
                 WHEN d.since <= ${limit.lateBefore} THEN ${limit.lateCents}::bigint ELSE ${limit.usualCents}::bigint END`;

const IS_WORTH = worthCondition({
  oldestBefore: '$5',
  oldestCents: '$6',
  lateBefore: '$7',
  lateCents: '$8',
  usualCents: '$9',
});

/** Whether it is worth its real fee. The other limits of the statement `sweep-kept-back` are those of a free sweep. */
const IS_WORTH_ITS_FEE = worthCondition({
  oldestBefore: '$5',
  oldestCents: '$13',
  lateBefore: '$7',
  lateCents: '$14',
  usualCents: '$15',
});

/** Rows `d` of deposit_balances with their sessions `s` that may be swept now, before their senders are looked up. */
const MAY_GO = `deposit_balances d JOIN sessions s ON s.id = d.session_id
           WHERE d.chain_id = $1 AND d.currency = ANY($2) AND s.status <> 'pending' AND s.closed_at <= $3::timestamptz
             AND (d.not_before IS NULL OR d.not_before <= $4::timestamptz)
             AND ${IS_WORTH}
             AND NOT EXISTS (SELECT FROM sweep_items i WHERE i.chain_id = d.chain_id AND i.address = d.address AND i.ended_at IS NULL)
             AND NOT EXISTS (SELECT FROM discrepancies x WHERE x.chain_id = d.chain_id AND x.address = d.address AND x.ended_at IS NULL)
             AND NOT EXISTS (SELECT FROM quarantine q WHERE q.session_id = d.session_id AND q.resolved_at IS NULL)`;

const IS_BARRED = isSweepBarred({
  sessionId: 'found."sessionId"',
  chainId: 'found.chain_id',
  address: 'found.address',
  environment: 'found.environment',
  isScreened: '$10::boolean',
});
const IS_BARRED_ROW = isSweepBarred({
  sessionId: 'd.session_id',
  chainId: 'd.chain_id',
  address: 'd.address',
  environment: 's.environment',
  isScreened: '$10::boolean',
});

/**
 * Whether a final sweep moved money that the watcher has not stored yet. Until then `amount` is too high by it, so the next sweep could move
 * as much unscreened money.
 */
const IS_UNBOOKED = `($10::boolean AND EXISTS (SELECT FROM sweep_items i JOIN sweeps w ON w.id = i.sweep_id
             WHERE i.session_id = found."sessionId" AND i.chain_id = found.chain_id AND i.address = found.address
               AND i.currency = found.currency AND i.moved > 0
               AND NOT EXISTS (SELECT FROM outgoing_transfers o WHERE o.payer = i.address AND o.chain_id = i.chain_id
                 AND o.currency = i.currency AND o.transaction_hash = ANY (w.hashes))))`;

/** Enough for several batches of each token. */
const MAX_READ = 500;

type Row = Omit<Candidate, 'amount' | 'cents'> & { readonly amount: string };

/** The oldest candidates. One statement, whose cost grows with the addresses that hold something. */
export async function readCandidates(db: Db, query: CandidateQuery): Promise<readonly Candidate[]> {
  const { rows } = await db.query<Row>({
    name: 'sweep-candidates',
    // OFFSET keeps PostgreSQL from asking about senders before it has sorted: it stops after enough addresses.
    text: `SELECT address, "addressIndex", "evmAddress", factory, "sessionId", currency, decimals, amount, since, skips, "readyAt" FROM (
           SELECT d.chain_id, s.environment, d.address, s.address_index AS "addressIndex", s.evm_address AS "evmAddress",
             s.tron_factory AS factory, d.session_id AS "sessionId", d.currency, d.decimals,
             d.amount::text AS amount, d.since, d.skips, s.closed_at + ($4::timestamptz - $3::timestamptz) AS "readyAt"
           FROM ${MAY_GO}
           ORDER BY d.since, d.address OFFSET 0) AS found
           WHERE NOT ${IS_BARRED} AND NOT ${IS_UNBOOKED} ORDER BY since, address LIMIT ${MAX_READ}`,
    values: valuesOf(query, leastWorth(query.rules, query.cost, query.now)),
  });
  return rows.map((row) => {
    const amount = BigInt(row.amount);
    return { ...row, amount, cents: baseUnitsToCents(amount, row.decimals) };
  });
}

/** Whether money that should have gone by now waits for a lower fee. It stops at the first such address. */
export async function isKeptBack(db: Db, query: CandidateQuery): Promise<boolean> {
  const { rules, closedBefore, cost, now } = query;
  const { usual, late, oldest } = leastWorth(rules, cost, now);
  const free = leastWorth(rules, 0n, now);
  // Dust stays dust at any age: a lower fee would not make it worth a sweep.
  const atLowFee = { ...free, oldest: { ...free.oldest, cents: free.late.cents } };
  const { rows } = await db.query<{ is_kept_back: boolean }>({
    name: 'sweep-kept-back',
    text: `SELECT EXISTS (SELECT FROM ${MAY_GO} AND d.since <= $11::timestamptz AND s.closed_at <= $12::timestamptz
             AND NOT (${IS_WORTH_ITS_FEE}) AND NOT ${IS_BARRED_ROW}) AS is_kept_back`,
    values: [
      ...valuesOf(query, atLowFee),
      new Date(now.getTime() - rules.deadline),
      new Date(closedBefore.getTime() - rules.deadline),
      ...[oldest.cents, late.cents, usual],
    ],
  });
  return rows[0]?.is_kept_back ?? false;
}

/** The parameters $1 to $10. */
function valuesOf(
  { chainId, currencies, closedBefore, now, isScreened }: CandidateQuery,
  { usual, late, oldest }: ReturnType<typeof leastWorth>,
): unknown[] {
  const limits = [oldest.before, oldest.cents, late.before, late.cents, usual];
  return [chainId, currencies, closedBefore, now, ...limits, isScreened];
}
