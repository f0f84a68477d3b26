// What makes the audit log a chain: each entry's hash covers the one before and everything that the entry says. Pure. A change
// of one entry, or one left out, breaks every hash after it.

import { createHash } from 'node:crypto';

/** A value as JSON has it, with its keys in one order, so that its text is the same however it was stored. */
export type AuditDetails = { readonly [name: string]: AuditValue };
export type AuditValue = string | number | boolean | null | readonly AuditValue[] | AuditDetails;

/** What an entry says. `at` has milliseconds. */
export type AuditFacts = {
  readonly number: bigint;
  readonly at: Date;
  /** `user:<id>`, `system` or `setup`. */
  readonly actor: string;
  readonly storeId: string | null;
  /** Such as `key.create`. */
  readonly action: string;
  /** What it was done to. */
  readonly target: string;
  readonly details: AuditDetails;
  /** Where it was asked from. */
  readonly address: string;
};

/** The hash before the first entry. */
export const BEGINNING: Uint8Array = Buffer.alloc(32);

/** SHA-256 over the former entry's hash and everything that the entry says; 32 bytes. */
export function entryHash(former: Uint8Array, entry: AuditFacts): Buffer {
  const said = [
    'stabletill audit 1',
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
  return createHash('sha256').update(JSON.stringify(said)).digest();
}

/** JSON text with the keys of every object in order. */
function canonical(value: AuditValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
