// Writes entries of the audit log, in the transaction that they describe. Entries have one global order, so a writer waits for
// the previous writer's commit. Recording last in a transaction keeps that wait short.

import { config } from '@/lib/platform/config/config';
import { sealingVersion } from '@/lib/platform/crypto';
import type { Tx } from '@/lib/platform/database/db';
import { BEGINNING, chainKey, entryHash, type AuditDetails } from './chain';

export type Recorded = {
  readonly actor: string;
  readonly storeId: string | null;
  readonly action: string;
  readonly target: string;
  /** Never a secret: the log is shown and exported. */
  readonly details?: AuditDetails;
  /** The client's address; empty for the service itself. */
  readonly address: string;
  readonly now: Date;
};

/** An arbitrary number that no other lock uses. */
const LOCK = 7_001_001;

/** Appends an entry. */
export async function recordAudit(tx: Tx, entry: Recorded): Promise<void> {
  await tx.query({ name: 'audit-lock', text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCK] });
  const { rows } = await tx.query<{ number: string; hash: Buffer }>({
    name: 'audit-last',
    text: 'SELECT number, hash FROM audit_entries ORDER BY number DESC LIMIT 1',
    values: [],
  });
  const [last] = rows;
  const facts = { details: {}, ...entry, at: entry.now, number: BigInt(last?.number ?? 0) + 1n };
  const { MASTER_KEYS: keys } = config();
  const key = chainKey(keys, sealingVersion(keys));
  const hash = entryHash(last?.hash ?? BEGINNING, facts, key);
  await tx.query({
    name: 'audit-record',
    text: `INSERT INTO audit_entries (number, at, actor, store_id, action, target, details, address, hash, key_version)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      facts.number,
      facts.at,
      facts.actor,
      facts.storeId,
      facts.action,
      facts.target,
      JSON.stringify(facts.details),
      facts.address,
      hash,
      key?.version ?? null,
    ],
  });
}
