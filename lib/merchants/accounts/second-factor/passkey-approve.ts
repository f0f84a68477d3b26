// An operator's passkey signature over an approval. The challenge is derived from the approval, so the signer can verify the
// signature, and it is valid for nothing else. Like a step-up, it proves that the person is present.

import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { approvalChallenge, signedApproval, type SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { signingOptions, passkeysOf, verifyPasskey, type PasskeyAnswer } from './passkey-proof';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** The options for the operator's browser to sign. Throws PASSKEY_NEEDED when they have no passkey. */
export async function approvalOptions(deps: Deps, userId: string, digest: Uint8Array) {
  const passkeys = await passkeysOf(deps, userId);
  if (passkeys.length === 0) throw new ServiceError('PASSKEY_NEEDED');
  return signingOptions(deps, new Uint8Array(approvalChallenge(digest)), passkeys);
}

/** The signature of an approval in the signer's form. Throws sign_in_failed unless this operator signed this approval. */
export async function readApproval(
  deps: Deps,
  userId: string,
  { digest, answer }: { readonly digest: Uint8Array; readonly answer: PasskeyAnswer },
): Promise<SignedApproval> {
  const proven = await verifyPasskey(deps, answer, approvalChallenge(digest).toString('base64url'));
  const { id, response } = answer;
  const { clientDataJSON, authenticatorData, signature } = response;
  const read = signedApproval.safeParse({ id, clientDataJSON, authenticatorData, signature });
  if (proven?.userId !== userId || !read.success)
    throw new ServiceError('sign_in_failed', { message: 'The passkey could not be checked. Try again.' });
  return read.data;
}
