// The sanctions file of the operator: JSON with its own date, and a detached Ed25519 signature over its exact bytes. Pure.

import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import type { NetworkFamily } from '@/lib/networks/chain';
import { sha256 } from '@/lib/platform/crypto';
import { familyAddress } from './address';

const FORMAT = 'stabletill-sanctions-1';
/** The lists of OFAC have about two thousand addresses. */
const MOST_ENTRIES = 200_000;
const MOST_BYTES = 50_000_000;
const SIGNATURE_BYTES = 64;
/** Clocks of the machine that signs and of the one that loads may differ by this much. */
const AHEAD_MILLISECONDS = 3_600_000;
/** What precedes the 32 bytes of an Ed25519 public key in DER (RFC 8410). */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A file that must not be loaded; the message says why. */
export class BadList extends Error {
  override readonly name = 'BadList';
}

type Entry = { readonly family: NetworkFamily; readonly address: string; readonly entity: string };
export type SanctionsFile = { readonly asOf: Date; readonly entries: readonly Entry[]; readonly digest: Buffer };

const entry = z.strictObject({
  address: z.string().max(200),
  entity: z.string().regex(/^[^\p{C}]{1,200}$/u),
});
const file = z.strictObject({
  format: z.literal(FORMAT),
  as_of: z.iso.datetime(),
  entries: z.array(entry).max(MOST_ENTRIES),
});

export type Given = {
  readonly bytes: Buffer;
  readonly signature: string;
  readonly key: Uint8Array;
  readonly now: Date;
};

/** Reads a file whose signature is valid. Throws BadList. */
export function readSanctionsFile({ bytes, signature, key, now }: Given): SanctionsFile {
  if (bytes.length > MOST_BYTES) throw new BadList(`the file is larger than ${MOST_BYTES} bytes`);
  // Before anything in the file is interpreted.
  checkSignature(bytes, signature, key);
  const read = file.safeParse(parsed(bytes));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new BadList(`the file does not have the format ${FORMAT}: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const asOf = new Date(read.data.as_of);
  if (asOf.getTime() > now.getTime() + AHEAD_MILLISECONDS) throw new BadList('the date of the file is in the future');
  if (read.data.entries.length === 0) throw new BadList('the file names no address');
  return { asOf, entries: entriesOf(read.data.entries), digest: sha256(bytes) };
}

function checkSignature(bytes: Buffer, signature: string, key: Uint8Array): void {
  const text = signature.trim();
  const given = /^[0-9A-Za-z+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (given.length !== SIGNATURE_BYTES)
    throw new BadList('the file is not signed: its .sig must be base64 of 64 bytes');
  const publicKey = createPublicKey({ key: Buffer.concat([DER_PREFIX, key]), format: 'der', type: 'spki' });
  if (!verify(null, bytes, publicKey, given))
    throw new BadList('the signature is not of this file by the key in SCREENING_LIST_KEY');
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new BadList('the file is not JSON');
  }
}

/** Each address once: the same address is listed for several tokens. */
function entriesOf(given: readonly z.output<typeof entry>[]): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const { address, entity } of given) {
    const found = familyAddress(address);
    if (!found) throw new BadList(`this is not an address of a network here: ${address}`);
    const key = `${found.family} ${found.address}`;
    const names = new Set([...(entries.get(key)?.entity.split('; ') ?? []), entity]);
    entries.set(key, { ...found, entity: [...names].join('; ').slice(0, 200) });
  }
  return [...entries.values()];
}

/** The text of a file to sign. `lists`: an address a line, as in the published lists of OFAC's addresses. */
export function writeSanctionsFile(
  day: string,
  lists: readonly { readonly name: string; readonly text: string }[],
): { readonly text: string; readonly entries: number; readonly skipped: number } {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
    throw new BadList('the date must be YYYY-MM-DD');
  const lines = lists.flatMap(({ name, text }) =>
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((address) => ({ address, entity: name })),
  );
  const entries = lines.filter(({ address }) => familyAddress(address) !== null);
  const skipped = lines.length - entries.length;
  if (entries.length === 0) throw new BadList('these lists name no address of a network here');
  const text = JSON.stringify({ format: FORMAT, as_of: `${day}T00:00:00Z`, entries }, null, 1);
  return { text: `${text}\n`, entries: entries.length, skipped };
}
