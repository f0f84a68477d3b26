// The proven restores: when a backup was last restored into a scratch server and everything held there.

import type { Db } from '@/lib/platform/database/db';

export type RestoreProof = {
  readonly backup: string;
  /** The last transaction that the archive had. */
  readonly recoveredTo: Date | null;
  readonly seconds: number;
  readonly databaseBytes: bigint;
  readonly broken: readonly string[];
};

/** What the page Health shows. */
type LastProof = {
  readonly backup: string;
  readonly recoveredTo: Date | null;
  readonly checkedAt: Date;
  readonly seconds: number;
};

export type RestoreHealth = {
  /** The newest one that succeeded; null before the first. */
  readonly last: LastProof | null;
  /** Whether it is older than RESTORE_PROOF_DAYS, or there is none. */
  readonly isOld: boolean;
  /** When a later verification failed, and the first thing that did not hold there. */
  readonly failure: { readonly at: Date; readonly reason: string } | null;
};

/** A few sentences say what is wrong; a broken ledger could fill megabytes. */
const MAX_KEPT = 20;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export async function storeProof(db: Db, proof: RestoreProof): Promise<void> {
  await db.query({
    name: 'restore-proof-store',
    text: `INSERT INTO restore_proofs (backup, recovered_to, seconds, database_bytes, broken) VALUES ($1, $2, $3, $4, $5)`,
    values: [proof.backup, proof.recoveredTo, proof.seconds, proof.databaseBytes, proof.broken.slice(0, MAX_KEPT)],
  });
}

type Row = {
  readonly backup: string;
  readonly recovered_to: Date | null;
  readonly checked_at: Date;
  readonly seconds: number;
  readonly reason: string | null;
};

/** The newest proof and the newest failure. */
export async function readRestoreHealth(db: Db, given: { now: Date; maxDays: number }): Promise<RestoreHealth> {
  const { rows } = await db.query<Row>({
    name: 'restore-health',
    text: `(SELECT backup, recovered_to, checked_at, seconds, NULL AS reason FROM restore_proofs
            WHERE broken = '{}' ORDER BY id DESC LIMIT 1)
           UNION ALL
           (SELECT backup, recovered_to, checked_at, seconds, broken[1] AS reason FROM restore_proofs
            WHERE broken <> '{}' ORDER BY id DESC LIMIT 1)`,
    values: [],
  });
  const proven = rows.find(({ reason }) => reason === null);
  const failed = rows.find(({ reason }) => reason !== null);
  const oldest = proven && Math.min(proven.checked_at.getTime(), (proven.recovered_to ?? proven.checked_at).getTime());
  const isOld = oldest === undefined || given.now.getTime() - oldest > given.maxDays * DAY_MILLISECONDS;
  const isLater = failed && (!proven || failed.checked_at > proven.checked_at);
  const last = proven && {
    backup: proven.backup,
    recoveredTo: proven.recovered_to,
    checkedAt: proven.checked_at,
    seconds: proven.seconds,
  };
  const failure = isLater ? { at: failed.checked_at, reason: failed.reason ?? '' } : null;
  return { last: last ?? null, isOld, failure };
}
