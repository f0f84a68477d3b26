// The journal as the worker may read it, frozen or not: which intents its records are about, with their orders and drafts, so
// that a database which forgot them can be told. Pure. No signature and no signed bytes: nothing of it can be broadcast.

import { z } from 'zod';
import type { JournalIndex, Intent } from './journal-index';
import { draft, refundOrder } from '@/lib/signer/orders';

/** Of all intents on a page; one with more, because it was attempted often, has a page of its own and fits into an answer. */
const MOST_CHARACTERS = 16_000;
/** On one page. */
export const MOST_INTENTS = 50;
const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** `after`: how many records of the journal the caller has seen. */
export const journalParams = z.strictObject({ after: count, limit: z.int().min(1).max(MOST_INTENTS) });

const journalIntent = z.strictObject({
  order: refundOrder,
  released: z.boolean(),
  /** The oldest first. `at`: when it was signed, in milliseconds. */
  attempts: z.array(z.strictObject({ at: count, hash: z.string().max(100), draft })).max(100),
});

/**
 * `previous`: hash of the last record that the caller has seen; null for none, or when the journal has fewer. `intents`: those
 * that the records up to `next` are about, as they are now. `records`: how many there are.
 */
export const journalResult = z.strictObject({
  previous: hash.nullable(),
  intents: z.array(journalIntent).max(MOST_INTENTS),
  next: count,
  records: count,
});

export type JournalIntent = z.output<typeof journalIntent>;
export type JournalPage = z.output<typeof journalResult>;

/** The intents of the records after the first `after` ones, until there are `limit` of them or the page is full. */
export function pageOf(book: JournalIndex, { after, limit }: z.output<typeof journalParams>): JournalPage {
  const records = book.recordCount;
  const intents = new Map<string, JournalIntent>();
  let [next, characters] = [after, 0];
  for (; next < records; next++) {
    const intentId = book.mark(next)?.intentId ?? null;
    if (intentId === null || intents.has(intentId)) continue;
    if (intents.size === limit) break;
    const intent = shown(book.intent(intentId) as Intent);
    characters += JSON.stringify(intent).length;
    if (intents.size > 0 && characters > MOST_CHARACTERS) break;
    intents.set(intentId, intent);
  }
  return {
    previous: after === 0 ? null : (book.mark(after - 1)?.hash ?? null),
    intents: [...intents.values()],
    next,
    records,
  };
}

const shown = ({ order, isReleased, attempts }: Intent): JournalIntent => ({
  order,
  released: isReleased,
  attempts: attempts.map(({ at, draft: drafted, signed }) => ({ at, hash: signed.hash, draft: drafted })),
});
