// The file stabletill-signed/1: the signatures of a request. It contains no transaction: the online machine attaches the signatures
// to the bytes that it stored when it wrote the request. Pure.

import { z } from 'zod';
import { canonicalJson } from '@/lib/platform/json/json-text';
import { MAX_ITEMS, parseFile } from './request-file';

const signedShape = z.strictObject({
  version: z.literal('stabletill-signed/1'),
  id: z.string().regex(/^cr_[0-9A-Za-z]{22}$/),
  /** The sha256 of the request. */
  request: z.string().regex(/^[0-9a-f]{64}$/),
  /** Hex, in the order of the items: 65 bytes r, s and recovery (EVM, TRON) or 64 bytes (Solana). */
  signatures: z
    .array(z.string().regex(/^(?:[0-9a-f]{130}|[0-9a-f]{128})$/))
    .min(1)
    .max(MAX_ITEMS),
});
export type SignedFile = z.output<typeof signedShape>;

export const signedText = (signed: Omit<SignedFile, 'version'>): string =>
  `${canonicalJson({ version: 'stabletill-signed/1', ...signed })}\n`;

/** Throws BadRequest. */
export const parseSigned = (bytes: Uint8Array): SignedFile =>
  parseFile(bytes, signedShape, 'a file of signatures of this version');
