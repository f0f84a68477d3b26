// Lets a signed request in, or says why not, in the order that decisions.md gives: headers, key, address, timestamp,
// signature, nonce. The nonce itself is spent later, in the transaction of the request's effect.

import { unixSeconds } from '@/lib/clock';
import type { Context } from '@/lib/context';
import { ServiceError } from '@/lib/errors';
import type { ApiRequest } from '@/lib/http';
import { checkSourceAddress, type FindKey, type Scope } from './api-keys';
import type { Caller } from './nonces';
import { checkNonce, checkSignature, checkTimestamp, readSignedHeaders } from './request-signature';

/** An unknown key costs the same signature check as a known one, so that time does not tell them apart. */
const NOBODYS_SECRET = 'as_test_nobody';

/** Throws ServiceError: any of the 401 codes. */
export async function authenticate(
  request: ApiRequest,
  findKey: FindKey,
  { clock }: Pick<Context, 'clock'>,
): Promise<Caller> {
  const headers = readSignedHeaders(request);
  const key = await findKey(headers.apiKey);
  if (!key) {
    try {
      checkSignature(headers, request.body, NOBODYS_SECRET);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
    throw new ServiceError('invalid_api_key');
  }
  checkSourceAddress(key, request.address);
  checkTimestamp(headers.timestamp, unixSeconds(clock.now()));
  checkSignature(headers, request.body, key.secret);
  checkNonce(headers.nonce);
  return { key, nonce: headers.nonce };
}

/** Throws insufficient_scope or store_not_active. */
export function authorize({ key }: Caller, scope: Scope, orScope: Scope = scope): void {
  if (!key.scopes.includes(scope) && !key.scopes.includes(orScope))
    throw new ServiceError('insufficient_scope', { message: `The API key lacks the scope ${scope}.` });
  if (!key.storeActive) throw new ServiceError('store_not_active');
}
