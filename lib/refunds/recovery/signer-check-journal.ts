// Compares the signer's journal with the attempts in the database: which signed transactions one of them knows and the other does not. An
// attempt that is stored as a draft is known, because it is about to be stored as signed. If it was recorded as refused meanwhile, the
// signer refuses every other draft of the payment, which reveals it. It is unknown if the payment has ended, or if it is in a batch: then
// nothing is drafted for the payment any more, or another payment of the batch may have ended.

import type { Draft } from '@/lib/networks/sending/send';
import type { Db } from '@/lib/platform/database/db';
import type { JournalIntent, SignerClient } from '@/lib/signer/client';

/** The signer calls that the comparison needs. */
export type JournalSigner = Pick<SignerClient, 'fingerprint' | 'state' | 'journal' | 'attempts' | 'freeze'>;

/** An intent with those of its attempts that the database lacks. */
export type UnknownIntent = { readonly intent: JournalIntent; readonly missing: JournalIntent['attempts'] };

/** The part of the journal that the database has compared: how many records, and the hash of the last one. */
export type JournalCursor = { readonly records: number; readonly head: string };

/** The cursor of a wallet; null before the first comparison. */
export async function readJournalCursor(db: Db, fingerprint: string): Promise<JournalCursor | null> {
  const { rows } = await db.query<{ records: string; head: string }>({
    name: 'signer-mark',
    text: 'SELECT records, head FROM signer_marks WHERE fingerprint = $1',
    values: [fingerprint],
  });
  return rows[0] ? { records: Number(rows[0].records), head: rows[0].head } : null;
}

/** Advances the cursor. When several workers do so at once, the highest one wins. */
export async function advanceJournalCursor(
  db: Db,
  fingerprint: string,
  { records, head }: JournalCursor,
  now: Date,
): Promise<void> {
  await db.query({
    name: 'signer-mark-move',
    text: `INSERT INTO signer_marks AS m (fingerprint, records, head, updated_at) VALUES ($1, $2, $3, $4)
           ON CONFLICT (fingerprint) DO UPDATE SET records = excluded.records, head = excluded.head,
             updated_at = excluded.updated_at WHERE m.records < excluded.records`,
    values: [fingerprint, records, head, now],
  });
}

/** Sets the cursor as an operator decided, also backwards. */
export async function setJournalCursor(db: Db, fingerprint: string, cursor: JournalCursor, now: Date): Promise<void> {
  await db.query({
    name: 'signer-mark-forget',
    text: 'UPDATE signer_marks SET records = -1 WHERE fingerprint = $1',
    values: [fingerprint],
  });
  await advanceJournalCursor(db, fingerprint, cursor, now);
}

/** What is wrong with a journal that should begin as the database remembers; null when it does. */
export async function journalFault(
  signer: JournalSigner,
  cursor: JournalCursor | null,
  journal: JournalCursor,
): Promise<string | null> {
  if (cursor === null || cursor.records <= 0) return null;
  if (journal.records < cursor.records) return 'the journal is older than the database';
  const previous =
    journal.records === cursor.records ? journal.head : (await signer.journal(cursor.records, 1)).previous;
  return previous === cursor.head ? null : 'the journal is not the one that the database knows';
}

/** The intents after the first `after` records that have attempts which the database lacks, each once. */
export async function unknownIntents(db: Db, signer: JournalSigner, after: number): Promise<UnknownIntent[]> {
  const unknown = new Map<string, UnknownIntent>();
  for (let [next, skip, records] = [after, 0, Infinity]; next < records;) {
    // A page can end within a batch.
    const page = await signer.journal(next, undefined, skip);
    for (const one of await unknownOf(db, page.intents)) unknown.set(one.intent.order.intentId, one);
    [next, skip, records] = [page.next, page.skip ?? 0, page.records];
  }
  return [...unknown.values()];
}

async function unknownOf(db: Db, intents: readonly JournalIntent[]): Promise<UnknownIntent[]> {
  if (intents.length === 0) return [];
  const { rows } = await db.query<{ intent_id: string; hash: string | null; draft: Draft | null }>({
    name: 'attempts-of-intents',
    text: `WITH ended AS (
             SELECT id FROM refunds WHERE id = ANY($1) AND processed_at IS NOT NULL
             UNION ALL SELECT id FROM payouts WHERE id = ANY($1) AND processed_at IS NOT NULL
             UNION ALL SELECT id FROM cold_transfers WHERE id = ANY($1) AND processed_at IS NOT NULL)
           SELECT intent_id, hash, CASE WHEN hash IS NULL AND (status = 'drafted'
               OR draft->>'item' IS NULL AND intent_id NOT IN (SELECT id FROM ended)) THEN draft END AS draft
           FROM refund_attempts WHERE intent_id = ANY($1)`,
    values: [intents.map(({ order }) => order.intentId)],
  });
  const hashes = new Set(rows.flatMap(({ intent_id, hash }) => (hash === null ? [] : [`${intent_id} ${hash}`])));
  const drafts = new Set(
    rows.flatMap(({ intent_id, draft }) => (draft === null ? [] : [`${intent_id} ${draft.unsigned}`])),
  );
  return intents.flatMap((intent) => {
    const { intentId } = intent.order;
    const missing = intent.attempts.filter(
      ({ hash, draft }) => !hashes.has(`${intentId} ${hash}`) && !drafts.has(`${intentId} ${draft.unsigned}`),
    );
    return missing.length > 0 ? [{ intent, missing }] : [];
  });
}

/**
 * How many transactions in the database that may still land are unknown to the signer. `known` holds the ids that were found before and is
 * updated here, so that each is requested only once.
 */
export async function unknownToSigner(db: Db, signer: JournalSigner, known: Set<string>): Promise<number> {
  const { rows } = await db.query<{ id: string; intent_id: string; hash: string }>({
    name: 'attempts-open',
    text: `SELECT id, intent_id, hash FROM refund_attempts WHERE ended_at IS NULL AND hash IS NOT NULL`,
  });
  const open = new Set(rows.map(({ id }) => id));
  for (const id of known) if (!open.has(id)) known.delete(id);
  let strangers = 0;
  for (const { id, intent_id, hash } of rows) {
    if (known.has(id)) continue;
    const attempts = await signer.attempts(intent_id);
    if (attempts.some((one) => one.hash === hash)) known.add(id);
    else strangers++;
  }
  return strangers;
}
