// The journal as the worker may read it, even while the signer is frozen: the intents of its records, with their orders
// and drafts, so that a database that lost them can be repaired. Pure. A page has no signatures and no signed bytes, so
// nothing in it can be broadcast.

import { z } from 'zod';
import type { JournalIndex, Intent } from './journal-index';
import { draft, refundOrder } from '@/lib/signer/orders';

/**
 * Limit for all intents on a page. A larger intent, one with many attempts, gets a page of its own that still fits into
 * a response.
 */
const MAX_CHARACTERS = 16_000;
/** Limit of intents on one page. */
export const MAX_INTENTS = 50;
const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * `after`: how many records of the journal the caller has read. `skip`: how many intents of the next record it has read too, because a
 * page can end within a batch.
 */
export const journalParams = z.strictObject({
  after: count,
  limit: z.int().min(1).max(MAX_INTENTS),
  skip: count.optional(),
});

const journalIntent = z.strictObject({
  order: refundOrder,
  released: z.boolean(),
  /** Oldest first. `at`: when it was signed, in milliseconds. */
  attempts: z.array(z.strictObject({ at: count, hash: z.string().max(100), draft })).max(100),
});

/**
 * `previous`: hash of the last record that the caller has read; null for none, or when the journal has fewer.
 * `intents`: the current state of those with records up to `next`. `records`: the total number of records.
 */
export const journalResult = z.strictObject({
  previous: hash.nullable(),
  intents: z.array(journalIntent).max(MAX_INTENTS),
  next: count,
  /** As in the parameters. Absent when the page does not end within a record. */
  skip: count.optional(),
  records: count,
});

export type JournalIntent = z.output<typeof journalIntent>;
export type JournalPage = z.output<typeof journalResult>;

/** The intents of the records after the first `after` ones, until `limit` is reached or the page is full. */
export function pageOf(index: JournalIndex, { after, limit, skip = 0 }: z.output<typeof journalParams>): JournalPage {
  const records = index.recordCount;
  const intents = new Map<string, JournalIntent>();
  let [next, within, characters] = [after, skip, 0];
  for (let isFull = false; next < records && !isFull;) {
    const intentIds = index.mark(next)?.intentIds ?? [];
    for (; within < intentIds.length && !isFull;) {
      const intentId = intentIds[within] as string;
      const intent = intents.get(intentId) ?? shown(index.intent(intentId) as Intent);
      if (!intents.has(intentId)) characters += JSON.stringify(intent).length;
      isFull = !intents.has(intentId) && (intents.size === limit || (intents.size > 0 && characters > MAX_CHARACTERS));
      if (isFull) break;
      intents.set(intentId, intent);
      within++;
    }
    if (isFull) break;
    next++;
    within = 0;
  }
  return {
    previous: after === 0 ? null : (index.mark(after - 1)?.hash ?? null),
    intents: [...intents.values()],
    next,
    ...(within > 0 ? { skip: within } : {}),
    records,
  };
}

const shown = ({ order, isReleased, attempts }: Intent): JournalIntent => ({
  order,
  released: isReleased,
  attempts: attempts.map(({ at, draft: drafted, signed }) => ({ at, hash: signed.hash, draft: drafted })),
});
