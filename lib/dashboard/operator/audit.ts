// The audit log for the operator console: a page with names, and the whole log as a file of JSON lines with every hash. A
// stored file later proves whether entries were changed or cut off.

import { allAudit, listAudit, type AuditEntry, type AuditQuery } from '@/lib/merchants/audit/read';
import type { Context } from '@/lib/platform/context';

export type ShownEntry = AuditEntry & {
  /** The actor's name or address; null for the service itself. */
  readonly actorName: string | null;
};

/** The newest entries first, with their actors. */
export async function listAuditShown(
  { pool }: Pick<Context, 'pool'>,
  query: AuditQuery,
): Promise<{ readonly entries: readonly ShownEntry[]; readonly next: bigint | null }> {
  const { entries, next } = await listAudit(pool, query);
  const ids = [...new Set(entries.map(({ actor }) => userIn(actor)).filter((id) => id !== null))];
  const { rows } = await pool.query<{ id: string; name: string }>({
    name: 'audit-actors',
    text: `SELECT id, coalesce(nullif(name, ''), email) AS name FROM users WHERE id = ANY($1::uuid[])`,
    values: [ids],
  });
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return {
    entries: entries.map((entry) => ({ ...entry, actorName: names.get(userIn(entry.actor) ?? '') ?? null })),
    next,
  };
}

const userIn = (actor: string): string | null => /^user:([0-9a-f-]{36})$/.exec(actor)?.[1] ?? null;

/** Every entry as a line of JSON. It reads a portion when the client needs more, and stops when the client disconnects. */
export function exportAudit({ pool }: Pick<Context, 'pool'>): Response {
  const entries = allAudit(pool);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await entries.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(lineOf(value))}\n`));
    },
    async cancel() {
      await entries.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': 'attachment; filename="stabletill-audit.jsonl"',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

const lineOf = ({ number, at, hash, ...entry }: AuditEntry) => ({
  number: number.toString(),
  at: at.toISOString(),
  ...entry,
  hash: hash.toString('hex'),
});
