// Authenticates a signed request in a fixed order: key, source address, headers, timestamp, signature, nonce. The transaction
// of the request's effect spends the nonce later. The headers determine the signature version.

import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiRequest } from '@/lib/platform/http';
import { checkSourceAddress, type FindKey, type MerchantKey, type Scope } from './verify-key';
import { checkMessageSignature, hasMessageSignature, SIGNATURE_INPUT } from './message-signature';
import type { Caller } from './nonces';
import { checkNonce, checkSignature, checkTimestamp, readApiKey, readSignedHeaders } from './request-signature';

/** The key that the request names. Throws invalid_api_key. */
export async function identify(request: ApiRequest, findKey: FindKey): Promise<MerchantKey> {
  const key = await findKey(readApiKey(request));
  if (!key) throw new ServiceError('invalid_api_key');
  return key;
}

/**
 * Proves that the key's holder sent this request, from an address that the key allows. `request` must be as sent: signature
 * version 2 covers its path and query. Throws ServiceError with any of the 401 codes.
 */
export function authenticate(request: ApiRequest, key: MerchantKey, { clock }: Pick<Context, 'clock'>): Caller {
  checkSourceAddress(key, request.address);
  const now = unixSeconds(clock.now());
  if (hasMessageSignature(request)) {
    const nonce = checkMessageSignature(request, { apiKey: readApiKey(request), secret: key.secret, now });
    return { key, nonce, nonceHeader: SIGNATURE_INPUT };
  }
  if (key.requiresSignatureV2) throw new ServiceError('signature_version_required');
  const headers = readSignedHeaders(request);
  checkTimestamp(headers.timestamp, now);
  checkSignature(headers, request.body, key.secret);
  checkNonce(headers.nonce);
  return { key, nonce: headers.nonce };
}

/** Throws insufficient_scope or store_not_active. */
export function authorize({ key }: Caller, scope: Scope, orScopes: readonly Scope[] = []): void {
  if (![scope, ...orScopes].some((one) => key.scopes.includes(one)))
    throw new ServiceError('insufficient_scope', { message: `The API key lacks the scope ${scope}.` });
  if (!key.storeActive) throw new ServiceError('store_not_active');
}
