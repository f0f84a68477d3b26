// The forms with which a customer stores an address for refunds: POST, from our own pages only, with a redirect to the page that
// shows the stored address. There is no sign-in: a claim link's unguessable URL opens its form. A payment's form works in the
// browser that opened its page before the payment, and in any browser for the wallet that paid, which signs the address.

import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiResponse } from '@/lib/platform/http';
import { readRefundRoute, shownAddress, type AddressPlace } from '@/lib/refunds/customer-address/page';
import { readSignature, type AddressSignature } from '@/lib/refunds/customer-address/signature';
import { giveClaimAddress, giveSessionAddress, type GivenAddress } from '@/lib/refunds/customer-address/addresses';
import type { AddressContext } from '@/lib/refunds/customer-address/kind';
import { noteSecurity } from '@/lib/platform/security/events';
import type { Services } from '@/lib/api/services';
import { answerForm, foreignForm, FormRefused, redirect } from './form';

type Given = {
  readonly place: AddressPlace;
  readonly request: Request;
  /** The browser's cookie `payer`. */
  readonly payerToken?: string | undefined;
};

/** Never throws. 303 for every form of ours, because the page shows the result; an error for everything else. */
export async function answerRefundAddress(services: Services & AddressContext, given: Given): Promise<ApiResponse> {
  const { place, request, payerToken } = given;
  return answerForm(services, request, async (form, client) => {
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
  });
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

const foreignBrowser = (): ServiceError =>
  new FormRefused(
    'payer_refused',
    'This browser was not shown the payment page before it was paid. Use the one that you paid from.',
  );

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
