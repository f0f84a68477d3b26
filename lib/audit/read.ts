// Reading the audit log: page by page for people, whole for an export, and whole again to check that nothing of it was changed.

import type { Db } from '@/lib/db';
import { BEGINNING, entryHash, type AuditDetails, type AuditFacts } from './chain';

export type AuditEntry = AuditFacts & { readonly hash: Buffer };

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
};

const COLUMNS = 'number, at, actor, store_id, action, target, details, address, hash';
/** Entries that are read at once when all are. */
const PORTION = 1000;

/** Entries, the newest first; `next` is where the page after begins, null at the end. */
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
    const { rows } = await db.query<Row>({
      name: 'audit-portion',
      text: `SELECT ${COLUMNS} FROM audit_entries WHERE number > $1 ORDER BY number LIMIT ${PORTION}`,
      values: [after],
    });
    for (const row of rows) yield entryOf(row);
    const last = rows.at(-1);
    if (!last) return;
    after = BigInt(last.number);
  }
}

/**
 * Checks the chain from its beginning. `broken`: the first number that is missing, or whose entry does not follow from the
 * ones before; null when the log is whole. What was cut off at its end cannot be seen from within: compare `head` with one
 * that was kept elsewhere, as an export carries it.
 */
export async function verifyAudit(db: Db): Promise<{ entries: bigint; head: string; broken: bigint | null }> {
  let hash: Uint8Array = BEGINNING;
  let count = 0n;
  for await (const entry of allAudit(db)) {
    const isNext = entry.number === count + 1n && entryHash(hash, entry).equals(entry.hash);
    if (!isNext) return { entries: count, head: Buffer.from(hash).toString('hex'), broken: count + 1n };
    hash = entry.hash;
    count++;
  }
  return { entries: count, head: Buffer.from(hash).toString('hex'), broken: null };
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
});
