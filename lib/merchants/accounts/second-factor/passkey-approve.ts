// An operator's passkey signature over what they approve. The challenge is made from the approval, so the signer can check the
// signature, and it is good for nothing else. It proves that the person is there, as a step-up does.

import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { approvalChallenge, signedApproval, type SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { askToSign, passkeysOf, verifyPasskey, type PasskeyAnswer } from './passkey-proof';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** What the operator's browser is asked to have signed. Throws PASSKEY_NEEDED when they have no passkey. */
export async function askToApprove(deps: Deps, userId: string, digest: Uint8Array) {
  const passkeys = await passkeysOf(deps, userId);
  if (passkeys.length === 0) throw new ServiceError('PASSKEY_NEEDED');
  return askToSign(deps, new Uint8Array(approvalChallenge(digest)), passkeys);
}

/** The signature of an approval, as the signer takes it. Throws sign_in_failed when it is not this operator's over this approval. */
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
