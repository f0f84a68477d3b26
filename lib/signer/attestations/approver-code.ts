// The approver code: one line of text that carries a passkey's credential id and public key from the operator's account
// page to the signer's terminal. People compare both ends by its fingerprint. Pure.

import { sha256 } from '@/lib/platform/crypto';

/** A passkey whose signature approves refunds: credential id and COSE public key, both in base64url. */
export type ApproverKey = { readonly credentialId: string; readonly publicKey: string };

/** The longest credential id (1023 bytes) and an RSA key of 4096 bits, in base64url. */
const CODE = /^approver1\.([\w-]{16,1364})\.([\w-]{40,800})$/;
const FINGERPRINT_BYTES = 10;

export const approverCode = ({ credentialId, publicKey }: ApproverKey): string =>
  `approver1.${credentialId}.${publicKey}`;

/** The passkey in a code, or null when the text is not an approver code. */
export function readApproverCode(text: string): ApproverKey | null {
  const [, credentialId, publicKey] = CODE.exec(text.trim()) ?? [];
  return credentialId && publicKey ? { credentialId, publicKey } : null;
}

/** Five groups of four hex digits (80 bits): short enough to read aloud, too long to find another key for. */
export function approverFingerprint({ credentialId, publicKey }: ApproverKey): string {
  const digest = sha256(`stabletill approver 1\n${credentialId}\n${publicKey}`).subarray(0, FINGERPRINT_BYTES);
  return (digest.toString('hex').match(/.{4}/g) ?? []).join(' ');
}
