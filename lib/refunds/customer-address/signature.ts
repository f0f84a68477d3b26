// The signature that proves that a refund address belongs to the customer: the wallet that paid signs a text that names the address. The
// web process checks it before it stores the address. The worker checks it again against the proven payers, because a compromised web
// process can write any row.

import { isSignedMessage } from '@/lib/networks/recipients/signed-message';
import type { NetworkSpec } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import type { Context } from '@/lib/platform/context';
import { commonToCents } from '@/lib/money/amounts';
import { exchangeLabel } from '@/lib/refunds/destination/exchange';
import { payerObjection } from '@/lib/refunds/destination/payer';
import { MAX_DUST } from '@/lib/refunds/destination/payer-bound';
import type { Payer } from '@/lib/refunds/destination/payers';

/** The signature that a wallet returned, and when the page showed the text that it signed. */
export type AddressSignature = { readonly signature: Uint8Array; readonly requestedAt: Date };

/** Unlocking a wallet, or opening it on a phone, takes minutes. A much older signature belongs to an earlier visit. */
const LONGEST_MINUTES = 15;

type Named = {
  readonly sessionId: string;
  /** In stored form. */
  readonly address: string;
  /** The payer, in stored form. */
  readonly signer: string;
  readonly requestedAt: Date;
};

/** The text that the wallet shows and signs. Every line is ours or validated, so that input cannot add lines of its own. Pure. */
export function signingText(publicUrl: string, spec: NetworkSpec, named: Named): string {
  return [
    `${new URL(publicUrl).origin} asks where refunds of your payment go.`,
    '',
    'Sign only if this page is open in your browser and the refund address is yours. Signing is free and moves no money.',
    '',
    `Refund address: ${displayAddress(spec.family, named.address)}`,
    `Network: ${spec.network} (${spec.chain})`,
    `Paid from: ${displayAddress(spec.family, named.signer)}`,
    `Payment: ${named.sessionId}`,
    `Time: ${named.requestedAt.toISOString()}`,
  ].join('\n');
}

/**
 * The one payer whose wallet may sign for an address: the only payer, who ordered the payment, and whose wallet the operator does not
 * list as an exchange wallet. Null when there is none.
 */
export async function signingPayer(
  { pool }: Pick<Context, 'pool'>,
  spec: NetworkSpec,
  payers: readonly Payer[],
): Promise<string | null> {
  if (payerObjection(spec, spec.network, payers) !== null) return null;
  return (await exchangeLabel(pool, payers)) === null ? (payers[0]?.address ?? null) : null;
}

type Given = {
  readonly sessionId: string;
  readonly address: string;
  readonly givenAt: Date;
  /** Null when the customer did not sign. */
  readonly signed: AddressSignature | null;
};

/** Whether the wallet of the one payer signed for the address, and recently enough before the address was given. */
export async function isSignedByPayer(
  context: Pick<Context, 'pool' | 'config'>,
  spec: NetworkSpec,
  { sessionId, address, givenAt, signed }: Given,
  payers: readonly Payer[],
): Promise<boolean> {
  if (signed === null) return false;
  const { signature, requestedAt } = signed;
  // PostgreSQL's infinity arrives as a number, so both are read as numbers. A comparison with NaN is false.
  const milliseconds = Number(givenAt) - Number(requestedAt);
  if (!(milliseconds >= 0 && milliseconds <= LONGEST_MINUTES * 60_000)) return false;
  const signer = await signingPayer(context, spec, payers);
  if (signer === null) return false;
  const message = signingText(context.config.PUBLIC_URL, spec, { sessionId, address, signer, requestedAt });
  return isSignedMessage(spec.family, { signer, message, signature });
}

/** For the worker: also requires that the watcher attests every payment and that the payer paid the price (`due`, in cents). */
export async function isProvenByPayer(
  context: Pick<Context, 'pool' | 'config'>,
  spec: NetworkSpec,
  given: Given,
  { payers, due }: { readonly payers: readonly Payer[]; readonly due: string },
): Promise<boolean> {
  if (!payers.every(({ isProven }) => isProven)) return false;
  const paid = commonToCents(payers.reduce((total, { counted }) => total + counted, 0n));
  return paid + MAX_DUST >= BigInt(due) && isSignedByPayer(context, spec, given, payers);
}

/** Parses the form's field: `0x` and the bytes in hexadecimal. Null for anything else, also for an absent field. Pure. */
export function readSignature(text: string | null): Uint8Array | null {
  return text !== null && /^0x(?:[0-9a-f]{128}|[0-9a-f]{130})$/i.test(text) ? Buffer.from(text.slice(2), 'hex') : null;
}
