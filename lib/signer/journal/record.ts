// The records of the signer's journal and their line format: a record's JSON with the hash of the line before, under a
// MAC whose key derives from the seed. An attacker who can write the file but lacks the seed cannot alter, drop or add
// a line unnoticed, except at the end. The journal's head, which the database also stores, reveals that.

import { z } from 'zod';
import { MAX_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { macOf, sameBytes } from '@/lib/platform/crypto';
import { allowParams, draft, outcome, refundOrder, signed } from '@/lib/signer/orders';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** A record with a longer text could not be read again. */
export const TEXT_LIMIT = 300;
const text = z.string().max(TEXT_LIMIT);
const count = z.int().min(0);
const families = z.strictObject({ evm: text, tron: text, solana: text });
/** The addresses of the refund wallets. */
const wallets = z.strictObject({ live: families, test: families });
export type WalletAddresses = z.output<typeof wallets>;

/**
 * A transaction that changed the allowance of the contract of batches, on a chain such as `ethereum@mainnet`. `digest`: of the signed payload,
 * which an HSM signs differently each time.
 */
const allowed = z.strictObject({
  kind: z.literal('allowed'),
  chain: text,
  from: text,
  params: allowParams,
  digest: hash,
  signed,
});
/** `nonces`: how many account nonces of the wallet such transactions have used, this one included. */
const allowance = allowed.extend({ at: count, nonces: count });

const entry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('begun'), fingerprint: hash }),
  z.strictObject({
    kind: z.literal('opened'),
    chain: text,
    cents: z.string().regex(/^[0-9]{1,15}$/),
    order: refundOrder,
    /** The people whose passkeys approved it; absent without the approval of two people. */
    approvedBy: z.array(text).min(2).max(2).optional(),
  }),
  z.strictObject({
    kind: z.literal('signed'),
    intentId: text,
    digest: hash,
    draft,
    signed,
    /** The outcome of the previous attempt, when this one follows a lapsed one. */
    lapsed: outcome.nullable(),
  }),
  /**
   * A signed batch, after the records that opened its intents. One record, so that a crash leaves all of its items or none: the bytes pay
   * all of them. `intentIds`: in the order of the items.
   */
  z.strictObject({
    kind: z.literal('batch'),
    intentIds: z.array(text).min(1).max(MAX_BATCH),
    digest: hash,
    from: text,
    unsigned: z.string().max(4096),
    signed,
  }),
  allowed,
  z.strictObject({ kind: z.literal('released'), outcome }),
  z.strictObject({ kind: z.literal('frozen'), reason: text }),
  /**
   * The first record of every segment but the very first: the state after the closed segments. `index` is the MAC of
   * the last closed segment's index. Each index names the previous one, so none can be exchanged.
   */
  z.strictObject({
    kind: z.literal('checkpoint'),
    segments: count.min(1),
    index: hash,
    frozen: text.nullable(),
    highest: z.int().min(-1),
    machine: hash.nullable(),
    wallets: wallets.optional(),
    nonces: z.record(text, count),
    /**
     * Cents that count against the daily limits, wei of fees, and indexes of addresses. Payments within ten minutes are merged into one
     * at the time of the latest.
     */
    spent: z.array(z.strictObject({ meter: text, at: count, cents: z.string().regex(/^[0-9]{1,32}$/) })).max(10_000),
    counts: z.strictObject({ intents: count, attempts: count, released: count }),
    /** The last one of each wallet on each chain. Absent without any. */
    allowances: z.array(allowance).max(100).optional(),
  }),
  /** Deposit addresses up to this index were given or are skipped permanently. */
  z.strictObject({ kind: z.literal('addresses'), highest: z.int().min(0) }),
  /** Digest of the id of the machine that writes the journal. */
  z.strictObject({ kind: z.literal('machine'), digest: hash }),
  /** The refund wallets from here on. A journal without it is of the wallets that derive from the seed. */
  z.strictObject({ kind: z.literal('wallets'), addresses: wallets }),
  /** `keepsNonces`: after a take-over the standby goes on from the account nonces of the copied journal. */
  z.strictObject({ kind: z.literal('unfrozen'), keepsNonces: z.literal(true).optional() }),
  /** A signed sweep, on a chain such as `ethereum@mainnet`, or a payment, on `payments ethereum@mainnet`: the most that it can cost. */
  z.strictObject({ kind: z.literal('fees'), chain: text, wei: z.string().regex(/^[0-9]{1,30}$/), hash: text }),
]);
export type Entry = z.output<typeof entry>;
export type AllowanceChange = z.output<typeof allowed>;
export type Allowance = z.output<typeof allowance>;

/** What the budget of payments on a network begins with: `payments ethereum@mainnet`. That of sweeps is `ethereum@mainnet`. */
export const PAYMENTS_BUDGET = 'payments ';

/** `at` in milliseconds never decreases. `previous` is the hash of the record before, 64 zeros for the first. */
const record = z.strictObject({ number: z.int().min(0), at: z.int().min(0), previous: hash, entry });
export type JournalRecord = z.output<typeof record> & { readonly hash: string };

/** The record that the next one follows. */
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

/** Parses a line without its newline. Returns null when it is not the record that follows `head`. */
export function readRecord(key: Uint8Array, head: Head, line: string): JournalRecord | null {
  const read = readAlone(key, line);
  if (!read) return null;
  // A segment begins with a checkpoint, which stands for all earlier records.
  if (head === NOTHING && read.entry.kind === 'checkpoint') return read;
  const follows = read.number === head.number + 1 && read.previous === head.hash && read.at >= head.at;
  return follows ? read : null;
}

/** Parses a line regardless of what it follows. Returns null for a line that was not written with this key. */
export function readAlone(key: Uint8Array, line: string): JournalRecord | null {
  const [, hashed, body] = LINE.exec(line) ?? [];
  if (!hashed || !body || !sameBytes(Buffer.from(hashed), Buffer.from(hashOf(key, body)))) return null;
  const read = record.safeParse(JSON.parse(body));
  return read.success ? { ...read.data, hash: hashed } : null;
}

/** The intents that a record is about: several for a batch. */
export function intentsOf({ entry: of }: JournalRecord): readonly string[] {
  switch (of.kind) {
    case 'opened':
      return [of.order.intentId];
    case 'signed':
      return [of.intentId];
    case 'batch':
      return of.intentIds;
    case 'released':
      return [of.outcome.intentId];
    default:
      return [];
  }
}

const hashOf = (key: Uint8Array, body: string): string => macOf(key, ['stabletill journal 1', body]).toString('hex');
