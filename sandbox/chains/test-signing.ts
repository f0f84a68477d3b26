// Signs drafts with test keys, as the signer does with its own: only the payload is signed, for every kind of chain.

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Draft, PaymentOrder, SentAttempt, SignedTransaction } from '@/lib/networks/sending/send';
import { readDraft, signing } from '@/lib/networks/sending/draft';

/** `key`: 32 bytes, of secp256k1 or, on Solana, the ed25519 seed. */
export function signDraft(draft: Draft, key: Uint8Array): SignedTransaction {
  const { payload, finish } = signing(draft);
  if (draft.family === 'solana') return finish(ed25519.sign(payload, key));
  // noble puts the recovery bit first, chains put it last.
  const signed = secp256k1.sign(payload, key, { prehash: false, format: 'recovered' });
  return finish(Buffer.concat([signed.subarray(1), signed.subarray(0, 1)]));
}

/** The fields of a signed draft that are tracked. */
export function attemptOf(order: PaymentOrder, draft: Draft, { hash }: SignedTransaction): SentAttempt {
  return { hash, validity: readDraft(draft).validity, from: draft.from, order };
}
