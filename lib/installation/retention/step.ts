// A step of the worker: removes deliveries, mails and events after their retention, at most two thousand of a table in one run. With an archive
// directory it exports them first, and removes exactly the rows of the file, in the transaction that records the file. A crash between
// the two leaves a file that no row of `archives` names, and the next run exports the same rows again.

import type { Context } from '@/lib/platform/context';
import { isRowFault, transaction, type Db } from '@/lib/platform/database/db';
import { inHalves } from '@/lib/platform/database/isolate';
import { endQuarantine, quarantineFailed } from '@/lib/platform/database/quarantine';
import { textOf, writeArchive, type ArchiveFile } from './files';
import { AT_ONCE, endOfRetention, monthOf, OLD_RECORDS, type OldRecords } from './records';

export const STEP = 'remove old records';

type Batch = { readonly month: string; readonly before: Date };

export async function removeOldRecords(context: Context): Promise<{ more: boolean }> {
  const now = await earlierNow(context);
  // A failure of one table does not stop the others.
  const done = await Promise.allSettled(OLD_RECORDS.map((records) => removeSome(context, records, now)));
  const failed = done.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return { more: done.some((one) => one.status === 'fulfilled' && one.value) };
}

/** The earlier one of this machine's time and the database's: a clock that is ahead must not remove anything too soon. */
async function earlierNow({ pool, clock }: Context): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>({
    name: 'retention-now',
    text: 'SELECT least($1::timestamptz, now()) AS now',
    values: [clock.now()],
  });
  return (rows[0] as { now: Date }).now;
}

/** Whether there may be more to remove at once. */
async function removeSome(context: Context, records: OldRecords, now: Date): Promise<boolean> {
  const before = endOfRetention(records, context.config, now);
  if (before === null) return false;
  if (records.isArchiveNeeded) checkArchived(records, context.config);
  const { rows } = await context.pool.query<{ id: string; at: Date | null }>(records.find, [before, now]);
  const months = rows.map(({ at }) => monthOf(at ?? before));
  const [month] = months;
  if (month === undefined) return false;
  const ids = rows.filter((_, index) => months[index] === month).map(({ id }) => id);
  let fault: unknown = null;
  const { failed } = await inHalves(ids, async (some) => {
    if (fault !== null) throw fault;
    try {
      await move(context, records, some, { month, before });
    } catch (error) {
      // A full disk or a missing right would fail every row, and ends the run.
      if (!isRowFault(error)) fault = error;
      throw error;
    }
  });
  if (fault !== null) throw fault;
  const subjectOf = (id: string) => ({ kind: 'old_record' as const, id: `${records.source} ${id}` });
  await quarantineFailed({ ...context, db: context.pool }, STEP, failed, subjectOf);
  const kept = new Set(failed.map(({ item }) => item));
  const gone = ids.filter((id) => !kept.has(id)).map((id) => subjectOf(id).id);
  await endQuarantine(context.pool, { kind: 'old_record', ids: gone, now: context.clock.now() });
  return gone.length > 0 && (rows.length === AT_ONCE || ids.length < rows.length);
}

/** Throws where nothing could ever go: the search for it would read all old rows each time. */
function checkArchived({ setting, source }: OldRecords, config: Context['config']): void {
  const { ARCHIVE_DIR, DELIVERY_RETENTION_DAYS: deliveries } = config;
  if (ARCHIVE_DIR === undefined)
    throw new Error(`${setting} needs ARCHIVE_DIR: ${source} are removed only after they were exported`);
  if (deliveries === 0 || deliveries > config[setting])
    throw new Error(
      `${setting} needs a DELIVERY_RETENTION_DAYS that is not longer: ${source} go after their deliveries`,
    );
}

async function move(
  { pool, config }: Context,
  records: OldRecords,
  ids: readonly string[],
  batch: Batch,
): Promise<void> {
  const { ARCHIVE_DIR: directory } = config;
  if (directory === undefined) {
    await linesOf(pool, records.remove, [ids, batch.before]);
    return;
  }
  const lines = await linesOf(pool, records.read, [ids]);
  // Another worker has removed them.
  if (lines.length === 0) return;
  const archive = await writeArchive(directory, { source: records.source, month: batch.month, lines });
  await transaction(pool, async (tx) => {
    // Recorded first: the database lets no event go otherwise.
    const isNew = await record(tx, records, batch, archive);
    if (!isNew) return;
    const removed = await linesOf(tx, records.remove, [ids, batch.before]);
    if (textOf(removed) !== textOf(lines))
      throw new Error(`rows of ${records.source} changed or went while they were exported: none of them was removed`);
  });
}

async function linesOf(db: Db, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(text, values);
  return rows.map(({ line }) => line);
}

/** Whether no other worker has recorded the same file. */
async function record(tx: Db, { source }: OldRecords, { month }: Batch, archive: ArchiveFile): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'archive-record',
    text: `INSERT INTO archives (source, month, file, sha256, rows, bytes) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (file) DO NOTHING`,
    values: [source, `${month}-01`, archive.file, archive.sha256, archive.rows, archive.bytes],
  });
  return rowCount === 1;
}
