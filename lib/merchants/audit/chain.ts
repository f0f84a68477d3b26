// Links the audit log into a hash chain. Each entry's hash covers the former hash and the whole entry. Pure. Changing or
// omitting an entry breaks every later hash. The database does not hold the key, so write access to the database alone is not
// enough to forge hashes. Entries of former versions used no key.

import { macOf, sha256, type MasterKeys } from '@/lib/platform/crypto';

/** A JSON value with sorted keys, so that its text does not depend on how it was stored. */
export type AuditDetails = { readonly [name: string]: AuditValue };
type AuditValue = string | number | boolean | null | readonly AuditValue[] | AuditDetails;

/** The content of an entry. `at` has milliseconds. */
export type AuditFacts = {
  readonly number: bigint;
  readonly at: Date;
  /** `user:<id>`, `system` or `setup`. */
  readonly actor: string;
  readonly storeId: string | null;
  /** For example `key.create`. */
  readonly action: string;
  /** The object of the action. */
  readonly target: string;
  readonly details: AuditDetails;
  /** Where the request came from. */
  readonly address: string;
};

/** The hash before the first entry. */
export const BEGINNING: Uint8Array = Buffer.alloc(32);

/** A key of the chain, and the version of the master key that it is derived from. */
export type ChainKey = { readonly version: number; readonly key: Buffer };

/** The key derived from one version of the master key, or kept of a former one; null when that version is not configured. */
export function chainKey(keys: MasterKeys, version: number): ChainKey | null {
  const master = keys.get(version);
  const key = master ? macOf(master, ['stabletill audit chain key']) : keys.auditOnly?.get(version);
  return key ? { version, key } : null;
}

/** MAC over the former entry's hash and everything that the entry says; without a key the SHA-256 of former versions. 32 bytes. */
export function entryHash(former: Uint8Array, entry: AuditFacts, key: ChainKey | null): Buffer {
  const said = [
    Buffer.from(former).toString('hex'),
    entry.number.toString(),
    entry.at.toISOString(),
    entry.actor,
    entry.storeId,
    entry.action,
    entry.target,
    canonical(entry.details),
    entry.address,
  ];
  if (key === null) return sha256(JSON.stringify(['stabletill audit 1', ...said]));
  return macOf(key.key, ['stabletill audit 2', String(key.version), JSON.stringify(said)]);
}

/** JSON text with the keys of every object in order. */
function canonical(value: AuditValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
