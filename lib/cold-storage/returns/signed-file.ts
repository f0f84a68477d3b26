// The files of signatures of a request. Version 1 has those of a plain account; version 2 those of several signers, and of the one who
// executes the transfers. Neither contains a transaction: the online machine attaches the signatures to the bytes that it stored when it
// wrote the request. Pure.

import { z } from 'zod';
import { weightOf, type ColdAccount, type Item, type Signatures } from '@/lib/cold-storage/accounts/item';
import { canonicalJson } from '@/lib/platform/json/json-text';
import { MAX_ITEMS, parseFile, printable } from './request-file';

const MAX_SIGNERS = 64;

/** Hex, in the order of the items: 65 bytes r, s and recovery (EVM, TRON) or 64 bytes (Solana). */
const signatures = z
  .array(z.string().regex(/^(?:[0-9a-f]{130}|[0-9a-f]{128})$/))
  .min(1)
  .max(MAX_ITEMS);
const about = {
  id: z.string().regex(/^cr_[0-9A-Za-z]{22}$/),
  /** The sha256 of the request. */
  request: z.string().regex(/^[0-9a-f]{64}$/),
};
const signedShape = z.discriminatedUnion('version', [
  z.strictObject({ version: z.literal('stabletill-signed/1'), ...about, signatures }),
  z.strictObject({
    version: z.literal('stabletill-signed/2'),
    ...about,
    signers: z
      .array(z.strictObject({ signer: z.string().min(1).max(100), signatures }))
      .min(1)
      .max(MAX_SIGNERS),
    /** Of the executor, over the transactions with these signatures. */
    executions: signatures.nullable(),
  }),
]);

export type SignedFile = {
  readonly id: string;
  readonly request: string;
  /** A null signer: the plain account of the request. */
  readonly signers: readonly { readonly signer: string | null; readonly signatures: readonly string[] }[];
  readonly executions: readonly string[] | null;
};

export function signedText({ id, request, signers, executions }: SignedFile): string {
  const [only] = signers;
  const named = signers.map(({ signer, signatures: own }) => ({ signer, signatures: [...own] }));
  const file =
    only?.signer === null
      ? { version: 'stabletill-signed/1', id, request, signatures: [...only.signatures] }
      : { version: 'stabletill-signed/2', id, request, signers: named, executions: executions && [...executions] };
  return `${canonicalJson(file)}\n`;
}

/** Throws BadRequest. */
export function parseSigned(bytes: Uint8Array): SignedFile {
  const file = parseFile(bytes, signedShape, 'a file of signatures of this version');
  const { id, request } = file;
  if (file.version === 'stabletill-signed/2')
    return { id, request, signers: file.signers, executions: file.executions };
  return { id, request, signers: [{ signer: null, signatures: file.signatures }], executions: null };
}

/** The signatures of each item by their signers, and why the first unusable one is none. */
export type Collected = { readonly signed: readonly Signatures[]; readonly problem: string | null };

/** Those of several files, of which each signature is verified. */
export function collectSignatures(
  account: ColdAccount,
  items: readonly Item[],
  files: readonly Pick<SignedFile, 'signers'>[],
): Collected {
  const signed = items.map(() => new Map<string, Uint8Array>());
  const problems = files
    .flatMap(({ signers }) => signers)
    .flatMap(({ signer, signatures: own }): string[] => {
      const by = signer ?? items[0]?.from ?? '';
      if (own.length !== items.length) return [`The file has ${own.length} signatures for ${items.length} transfers.`];
      if (!account.signers.has(by)) return [`${by} is not ${account.signerName}.`];
      return items.flatMap((item, index) => {
        const signature = Buffer.from(own[index] as string, 'hex');
        if (!account.isSignedBy(item, by, signature))
          return [`Signature ${index + 1} is not one of ${by} over this transfer.`];
        signed[index]?.set(by, signature);
        return [];
      });
    });
  return { signed, problem: problems[0] === undefined ? null : printable(problems[0]) };
}

/** Who must still sign, as a sentence; null if the signatures suffice. */
export function missingText(account: ColdAccount, signed: Iterable<string>): string | null {
  const have = [...signed];
  const missing = account.threshold - weightOf(account, have);
  if (missing <= 0) return null;
  const others = [...account.signers.keys()].filter((signer) => !have.includes(signer));
  // Where a signature counts for more than one, the weights say who suffices.
  const isCount = [...account.signers.values()].every((weight) => weight === 1);
  const named = others.map((signer) => (isCount ? signer : `${signer} (weight ${account.signers.get(signer)})`));
  const what = isCount ? 'signatures are' : 'of the weight is';
  return `${missing} of ${account.threshold} ${what} missing. Those can sign: ${named.join(', ')}.`;
}
