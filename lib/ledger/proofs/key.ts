// The key that signs proofs of reserves: Ed25519, derived from EVIDENCE_KEY, which the worker has and the web process does not. So a
// taken-over web process can show a proof and cannot make one. Another first key in EVIDENCE_KEY makes another key.

import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { makeMac, type MacKeys } from '@/lib/platform/crypto';

/** What precedes the 32 bytes of an Ed25519 key in DER (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export type SignedText = { readonly text: string; readonly signature: Buffer; readonly publicKey: Buffer };

export function signProof(evidenceKey: MacKeys, text: string): SignedText {
  const seed = makeMac(evidenceKey, ['stabletill proof of reserves key 1']);
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_PREFIX.length);
  return { text, signature: sign(null, Buffer.from(text), key), publicKey };
}

/** A public key as text that every tool reads. */
export const pemOf = (publicKey: Uint8Array): string =>
  createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: 'der', type: 'spki' })
    .export({ format: 'pem', type: 'spki' })
    .toString();
