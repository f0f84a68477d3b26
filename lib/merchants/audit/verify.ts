// Checks that the audit log was not changed and lacks no entry. The log itself cannot show that its end was cut off. Compare
// with a head that was stored elsewhere, as in the worker's log or an export.

import { config } from '@/lib/platform/config/config';
import type { Db } from '@/lib/platform/database/db';
import type { MasterKeys } from '@/lib/platform/crypto';
import { BEGINNING, chainKey, entryHash } from './chain';
import { readPortion, type AuditEntry } from './read';

/** How far the log was verified: the last verified entry, and when the first entry with a key was written. */
export type Verified = { readonly number: bigint; readonly hash: Uint8Array; readonly keyedSince: Date | null };
/** An entry's number and hash in hex, as stored outside of the database. */
export type Anchor = { readonly number: bigint; readonly head: string };
export type Broken = { readonly number: bigint; readonly why: string };

export const START: Verified = { number: 0n, hash: BEGINNING, keyedSince: null };

/** During an upgrade, processes of the former version still write entries without a key. */
const UPGRADE_MILLISECONDS = 24 * 3_600_000;

/** Verifies up to a thousand entries after the verified ones. `isMore`: there may be others. */
export async function verifyPortion(
  db: Db,
  from: Verified,
  keys: MasterKeys = config().MASTER_KEYS,
): Promise<{ readonly upTo: Verified; readonly broken: Broken | null; readonly isMore: boolean }> {
  let upTo = from;
  const entries = await readPortion(db, from.number);
  for (const entry of entries) {
    const why = faultOf(entry, upTo, keys);
    if (why !== null) return { upTo, broken: { number: upTo.number + 1n, why }, isMore: false };
    const keyedSince = upTo.keyedSince ?? (entry.keyVersion === null ? null : entry.at);
    upTo = { number: entry.number, hash: entry.hash, keyedSince };
  }
  return { upTo, broken: null, isMore: entries.length > 0 };
}

function faultOf(entry: AuditEntry, former: Verified, keys: MasterKeys): string | null {
  if (entry.number !== former.number + 1n) return 'it is missing';
  const key = entry.keyVersion === null ? null : chainKey(keys, entry.keyVersion);
  if (entry.keyVersion !== null && key === null) return `MASTER_KEYS lacks version ${entry.keyVersion}, which it needs`;
  // An attacker without the key would write entries without one.
  const isLate = former.keyedSince && entry.at.getTime() > former.keyedSince.getTime() + UPGRADE_MILLISECONDS;
  if (isLate && key === null) return 'it has no key, and the entries before it have';
  return entryHash(former.hash, entry, key).equals(entry.hash) ? null : 'its hash does not match';
}

/** `broken`: the first entry that is missing or does not follow from the former ones; null when the log is intact. */
export type Verification = { readonly entries: bigint; readonly head: string; readonly broken: Broken | null };

/** Verifies the log from its beginning, and that it still holds the anchored entries. */
export async function verifyAudit(db: Db, anchors: readonly Anchor[] = [], keys?: MasterKeys): Promise<Verification> {
  let upTo = START;
  for (let isMore = true; isMore;) {
    const portion = await verifyPortion(db, upTo, keys);
    ({ upTo, isMore } = portion);
    if (portion.broken) return { ...headOf(upTo), broken: portion.broken };
  }
  for (const anchor of anchors) {
    const why = await anchorFault(db, anchor);
    if (why !== null) return { ...headOf(upTo), broken: { number: anchor.number, why } };
  }
  return { ...headOf(upTo), broken: null };
}

/** What is wrong with the anchored entry; null when it is unchanged. */
export async function anchorFault(db: Db, { number, head }: Anchor): Promise<string | null> {
  if (number === 0n) return null;
  const [entry] = await readPortion(db, number - 1n);
  if (entry?.number !== number) return 'it is missing, and was there before';
  return entry.hash.toString('hex') === head ? null : 'it is not the entry that was there before';
}

const headOf = ({ number, hash }: Verified) => ({ entries: number, head: hexOf(hash) });

export const hexOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');
