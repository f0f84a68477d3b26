// Verifies the operators' passkey signatures of an order. The challenge is computed from the order itself. The
// passkeys, the relying party and the origin come from the signer's own files and settings, so the web process cannot
// influence the result.

import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import {
  approvalChallenge,
  paymentDigest,
  type ApprovedPayment,
  type SignedApproval,
} from '@/lib/signer/attestations/refund-approval';
import { readApprovers } from './approvers';
import type { RefundOrder } from '@/lib/signer/orders';

/** The list of approvers, and the public origin whose pages ask for the passkeys. */
export type ApprovalSettings = { readonly file: string; readonly publicUrl: string };

/**
 * The people who approved an order. `problem` says why a signature did not count, for the operator who reads the log.
 */
export type Approvals = { readonly people: ReadonlySet<string>; readonly problem: string | null };

/** The command to run when a passkey is missing from the list. */
const ADD = 'run "node dist/signer.mjs approvers add" on the signer’s machine';

export const NO_APPROVALS: Approvals = { people: new Set(), problem: null };

/** The people whose signatures approve exactly this order. Ignores a signature that does not verify. */
export async function checkApprovals(
  order: RefundOrder,
  approvals: readonly SignedApproval[],
  settings: ApprovalSettings | null,
): Promise<Approvals> {
  if (approvals.length === 0) return NO_APPROVALS;
  if (!settings) return { ...NO_APPROVALS, problem: `no approvers are set up: set SIGNER_APPROVERS_FILE, then ${ADD}` };
  const listed = new Map(readApprovers(settings.file).map((one) => [one.credentialId, one]));
  const challenge = approvalChallenge(paymentDigest(paymentOf(order))).toString('base64url');
  const people = new Set<string>();
  let problem: string | null = null;
  for (const approval of approvals) {
    const approver = listed.get(approval.id);
    if (!approver) problem = `a passkey of the approval is not on the signer’s list: ${ADD}`;
    else if (await isSignedBy(approver.publicKey, approval, { challenge, publicUrl: settings.publicUrl }))
      people.add(approver.person);
    else problem ??= 'a passkey signature of the approval is invalid or for another payment: approve it again';
  }
  if (problem === null && people.size < approvals.length) problem = 'both passkeys belong to one person';
  return { people, problem };
}

const paymentOf = ({
  intentId,
  environment,
  network,
  currency,
  contract,
  to,
  amount,
  evidence,
}: RefundOrder): ApprovedPayment => ({
  refund: intentId,
  environment,
  network,
  currency,
  contract,
  to,
  kind: evidence.kind,
  amount: BigInt(amount),
});

async function isSignedBy(
  publicKey: string,
  { id, ...response }: SignedApproval,
  { challenge, publicUrl }: { readonly challenge: string; readonly publicUrl: string },
): Promise<boolean> {
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: publicUrl,
      expectedRPID: new URL(publicUrl).hostname,
      // The worker repeats its requests, so the same signature is verified several times and no counter is kept.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
      requireUserVerification: true,
    });
    return verified;
  } catch (error) {
    // The library throws a plain Error for an assertion that is invalid or unreadable.
    if (error instanceof Error) return false;
    throw error;
  }
}
