// The forms with which a customer stores an address for refunds: POST, from our own pages only, with a redirect to the page that
// shows the stored address. There is no sign-in: a claim link's unguessable URL opens its form. A payment's form works in the
// browser that opened its page before the payment, and in any browser for the wallet that paid, which signs the address.

import { ServiceError } from '@/lib/platform/errors/errors';
import { readCapped, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { readRefundRoute, shownAddress, type AddressPlace } from '@/lib/refunds/customer-address/page';
import { readSignature, type AddressSignature } from '@/lib/refunds/customer-address/signature';
import { giveClaimAddress, giveSessionAddress, type GivenAddress } from '@/lib/refunds/customer-address/addresses';
import type { AddressContext } from '@/lib/refunds/customer-address/kind';
import { noteSecurity } from '@/lib/platform/security/events';
import type { SecurityKind } from '@/lib/platform/security/kinds';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { clientAddress } from '@/lib/api/client-address';
import type { Services } from '@/lib/api/services';

/** The sealed value and its field's name are far shorter. */
const LARGEST_FORM = 4096;

type Given = {
  readonly place: AddressPlace;
  readonly request: Request;
  /** The browser's cookie `payer`. */
  readonly payerToken?: string | undefined;
};

/** Never throws. 303 for every form of ours, because the page shows the result; an error for everything else. */
export async function answerRefundAddress(services: Services & AddressContext, given: Given): Promise<ApiResponse> {
  const { place, request, payerToken } = given;
  const client = clientAddress(request.headers);
  try {
    if (!isFromOurPages(request.headers, services.config.PUBLIC_URL)) throw foreignForm();
    const form = await readForm(request);
    const isContract = form.get('contract') === 'yes';
    const shown = shownAddress(services, place, { seal: form.get('shown') ?? '', isContract });
    if (shown === null) throw foreignForm();
    const { address, shownAt } = shown;
    const page = 'sessionId' in place ? `/pay/${place.sessionId}` : `/claim/${place.claimToken}`;
    const again = 'sessionId' in place ? `${page}/refund-address` : page;
    const signed = readSigned(form.get('signature'), shownAt);
    const kept =
      signed === 'malformed' ? NOT_SIGNED : await keep(services, place, { address, isContract, payerToken, signed });
    if ('given' in kept) return redirect(`${page}#refund-address`);
    const { code } = kept.refused;
    if (code === 'not_signed') {
      noteSecurity(services, { kind: 'wallet_signature_refused', address: client });
      // The page shows the address again, with a new text to sign.
      return redirect(`${again}?${new URLSearchParams({ address, signature: 'refused' })}`);
    }
    // The state has changed since the page was shown. The page reads it again and shows the reason.
    if (isAboutAddress(code)) return redirect(`${again}?${new URLSearchParams({ address })}`);
    return redirect(`${page}#refund-address`);
  } catch (error) {
    const requestId = newRequestId();
    const refusal = toServiceError(services, error, requestId);
    noteRefusedForm(services, refusal, client);
    return errorResponse(services, refusal, requestId);
  }
}

const NOT_SIGNED: GivenAddress = { refused: { code: 'not_signed' } };

/** Null for a form without a signature: a browser without scripts sends the field empty. */
function readSigned(field: string | null, requestedAt: Date): AddressSignature | 'malformed' | null {
  if (field === null || field === '') return null;
  const signature = readSignature(field);
  return signature ? { signature, requestedAt } : 'malformed';
}

type Shown = {
  readonly address: string;
  readonly isContract: boolean;
  readonly payerToken: string | undefined;
  readonly signed: AddressSignature | null;
};

async function keep(
  context: AddressContext,
  place: AddressPlace,
  { address, isContract, payerToken, signed }: Shown,
): Promise<GivenAddress> {
  if ('claimToken' in place) {
    return giveClaimAddress(context, place.claimToken, { typed: address, takesContracts: isContract });
  }
  const route = await readRefundRoute(context, place.sessionId, payerToken);
  if (!route) throw new ServiceError('SESSION_NOT_FOUND');
  if (route.addressEntry === 'elsewhere' || (route.addressEntry === 'signed' && !signed)) throw foreignBrowser();
  // The page shows the result.
  if (route.addressEntry === 'closed')
    return { refused: { code: route.given === null ? 'being_sent' : 'given_already' } };
  return giveSessionAddress(context, place.sessionId, route.network, address, signed);
}

/**
 * Browsers that report the origin of a form must report ours. Others send `null` or nothing, because our pages send no referrer.
 * Their forms are recognized by the seal.
 */
export function isFromOurPages(headers: Headers, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin === null || origin === 'null' || origin === new URL(publicUrl).origin;
}

/** Records a refusal of a customer's form if it is a security event. */
export function noteRefusedForm(services: Services, refusal: ServiceError, address: string): void {
  if (refusal instanceof FormRefused) noteSecurity(services, { kind: refusal.kind, address });
}

class FormRefused extends ServiceError {
  readonly kind: SecurityKind;
  constructor(kind: SecurityKind, message: string) {
    super('FORBIDDEN', { message });
    this.kind = kind;
  }
}

/** For a form whose seal is not ours. */
export const foreignForm = (): ServiceError =>
  new FormRefused('csrf_refused', 'This form was not sent from the page that it belongs to. Open it again.');

const foreignBrowser = (): ServiceError =>
  new FormRefused(
    'payer_refused',
    'This browser was not shown the payment page before it was paid. Use the one that you paid from.',
  );

/** The fields of a form of ours. Throws unsupported_media_type or request_too_large. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    const message = 'The form must be sent as application/x-www-form-urlencoded.';
    throw new ServiceError('unsupported_media_type', { message });
  }
  const body = request.body === null ? Buffer.alloc(0) : await readCapped(request.body, LARGEST_FORM);
  if (body === null) throw new ServiceError('request_too_large', { message: 'The form is larger than 4 KiB.' });
  return new URLSearchParams(body.toString('utf8'));
}

/** The other refusals concern the session or the link, and its page shows their state. */
const ABOUT_ADDRESS: ReadonlySet<string> = new Set([
  'malformed',
  'checksum',
  'other_network',
  'token_contract',
  'zero',
  'ours',
  'cannot_receive',
]);
const isAboutAddress = (code: string): boolean => ABOUT_ADDRESS.has(code);

/** Redirects to a path of this origin, whatever host the request named. */
export const redirect = (path: string): ApiResponse => ({
  status: 303,
  headers: { Location: path, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  body: '',
});
