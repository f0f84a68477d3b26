// The records of the signer's journal, and how one becomes a line: its JSON with the hash of the line before, under a MAC whose
// key comes from the seed. Who can write the file but does not hold the seed can neither alter, drop nor add a line unseen,
// except at the end (which the journal's head, kept elsewhere, shows).

import { z } from 'zod';
import { macOf, sameBytes } from '@/lib/platform/crypto';
import { draft, outcome, refundOrder, signed } from '@/lib/signer/orders';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().max(300);
const count = z.int().min(0);

export const entry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('begun'), fingerprint: hash }),
  z.strictObject({
    kind: z.literal('opened'),
    chain: text,
    cents: z.string().regex(/^[0-9]{1,15}$/),
    order: refundOrder,
    /** The people whose passkeys approved it; absent when two people did not. */
    approvedBy: z.array(text).min(2).max(2).optional(),
  }),
  z.strictObject({
    kind: z.literal('signed'),
    intentId: text,
    digest: hash,
    draft,
    signed,
    /** The outcome of the former attempt, when this one follows a lapsed one. */
    lapsed: outcome.nullable(),
  }),
  z.strictObject({ kind: z.literal('released'), outcome }),
  z.strictObject({ kind: z.literal('frozen'), reason: text }),
  /**
   * The first record of every segment but the very first: what the closed segments amount to. `index` is the MAC of the last
   * closed segment's index, and each index names the one before, so none of them can be exchanged.
   */
  z.strictObject({
    kind: z.literal('checkpoint'),
    segments: count.min(1),
    index: hash,
    frozen: text.nullable(),
    highest: z.int().min(-1),
    machine: hash.nullable(),
    nonces: z.record(text, count),
    /** Cents that count against the limits of a day, several payments of some minutes as one of the latest of them. */
    spent: z.array(z.strictObject({ meter: text, at: count, cents: z.string().regex(/^[0-9]{1,20}$/) })).max(10_000),
    counts: z.strictObject({ intents: count, attempts: count, released: count }),
  }),
  /** Deposit addresses up to this index were given, or are skipped for good. */
  z.strictObject({ kind: z.literal('addresses'), highest: z.int().min(0) }),
  /** The machine that the journal is written on, by a digest of its id. */
  z.strictObject({ kind: z.literal('machine'), digest: hash }),
  z.strictObject({ kind: z.literal('unfrozen') }),
]);
export type Entry = z.output<typeof entry>;

/** `at` in milliseconds never goes back; `previous` is the hash of the record before, 64 zeros for the first. */
const record = z.strictObject({ number: z.int().min(0), at: z.int().min(0), previous: hash, entry });
export type JournalRecord = z.output<typeof record> & { readonly hash: string };

/** What a record follows. */
export type Head = { readonly number: number; readonly at: number; readonly hash: string };
export const NOTHING: Head = { number: -1, at: 0, hash: '0'.repeat(64) };

const LINE = /^\{"hash":"([0-9a-f]{64})","record":(\{.*\})\}$/s;

/** The record that follows `head`, and its line with the newline. */
export function writeRecord(key: Uint8Array, head: Head, now: number, content: Entry): [JournalRecord, string] {
  const at = Math.max(now, head.at);
  const body = JSON.stringify({ number: head.number + 1, at, previous: head.hash, entry: content });
  const hashed = hashOf(key, body);
  return [{ ...record.parse(JSON.parse(body)), hash: hashed }, `{"hash":"${hashed}","record":${body}}\n`];
}

/** The record of a line without its newline, or null when it is not the one that follows `head`. */
export function readRecord(key: Uint8Array, head: Head, line: string): JournalRecord | null {
  const read = readAlone(key, line);
  if (!read) return null;
  // A segment begins with a checkpoint, which stands for all before it.
  if (head === NOTHING && read.entry.kind === 'checkpoint') return read;
  const follows = read.number === head.number + 1 && read.previous === head.hash && read.at >= head.at;
  return follows ? read : null;
}

/** The record of a line, whatever it follows; null for a line that was not written with this key. */
export function readAlone(key: Uint8Array, line: string): JournalRecord | null {
  const [, hashed, body] = LINE.exec(line) ?? [];
  if (!hashed || !body || !sameBytes(Buffer.from(hashed), Buffer.from(hashOf(key, body)))) return null;
  const read = record.safeParse(JSON.parse(body));
  return read.success ? { ...read.data, hash: hashed } : null;
}

/** The intent that a record is about, if it is about one. */
export function intentOf({ entry: of }: JournalRecord): string | null {
  switch (of.kind) {
    case 'opened':
      return of.order.intentId;
    case 'signed':
      return of.intentId;
    case 'released':
      return of.outcome.intentId;
    default:
      return null;
  }
}

const hashOf = (key: Uint8Array, body: string): string => macOf(key, ['stabletill journal 1', body]).toString('hex');
