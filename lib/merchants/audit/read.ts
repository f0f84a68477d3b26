// Reads the audit log: page by page for people, and whole for an export or verification (verify.ts).

import type { Db } from '@/lib/platform/database/db';
import type { AuditDetails, AuditFacts } from './chain';

/** `keyVersion`: of the master key that the hash's key is derived from; null for entries of versions that used no key. */
export type AuditEntry = AuditFacts & { readonly hash: Buffer; readonly keyVersion: number | null };

export type AuditQuery = {
  readonly storeId?: string | undefined;
  readonly actor?: string | undefined;
  /** The action, or the part before its dot. */
  readonly action?: string | undefined;
  /** Entries before this number. */
  readonly before?: bigint | undefined;
  readonly limit: number;
};

type Row = {
  number: string;
  at: Date;
  actor: string;
  store_id: string | null;
  action: string;
  target: string;
  details: AuditDetails;
  address: string;
  hash: Buffer;
  key_version: number | null;
};

const COLUMNS = 'number, at, actor, store_id, action, target, details, address, hash, key_version';
/** Entries per read when all are read. */
const PORTION = 1000;

/** Entries, the newest first. `next` is where the next page begins; null at the end. */
export async function listAudit(
  db: Db,
  query: AuditQuery,
): Promise<{ readonly entries: readonly AuditEntry[]; readonly next: bigint | null }> {
  const values: unknown[] = [];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['true'];
  if (query.storeId !== undefined) conditions.push(`store_id = ${given(query.storeId)}`);
  if (query.actor !== undefined) conditions.push(`actor = ${given(query.actor)}`);
  if (query.action !== undefined)
    conditions.push(`(action = ${given(query.action)} OR split_part(action, '.', 1) = ${given(query.action)})`);
  if (query.before !== undefined) conditions.push(`number < ${given(query.before)}`);
  const { rows } = await db.query<Row>(
    `SELECT ${COLUMNS} FROM audit_entries WHERE ${conditions.join(' AND ')}
     ORDER BY number DESC LIMIT ${given(query.limit + 1)}`,
    values,
  );
  const entries = rows.slice(0, query.limit).map(entryOf);
  return { entries, next: rows.length > query.limit ? (entries.at(-1)?.number ?? null) : null };
}

/** Every entry, the oldest first, a thousand at a time. */
export async function* allAudit(db: Db): AsyncGenerator<AuditEntry> {
  for (let after = 0n; ;) {
    const entries = await readPortion(db, after);
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = last.number;
  }
}

/** At most a thousand entries from after this number on, the oldest first. */
export async function readPortion(db: Db, after: bigint): Promise<readonly AuditEntry[]> {
  const { rows } = await db.query<Row>({
    name: 'audit-portion',
    text: `SELECT ${COLUMNS} FROM audit_entries WHERE number > $1 ORDER BY number LIMIT ${PORTION}`,
    values: [after],
  });
  return rows.map(entryOf);
}

const entryOf = (row: Row): AuditEntry => ({
  number: BigInt(row.number),
  at: row.at,
  actor: row.actor,
  storeId: row.store_id,
  action: row.action,
  target: row.target,
  details: row.details,
  address: row.address,
  hash: row.hash,
  keyVersion: row.key_version,
});
