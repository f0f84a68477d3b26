// The pure part of authentication by signature version 1: the required form of a signed request's headers, and whether its
// signature is correct. It uses no key store and no clock.

import { sameBytes, signatureOf } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiRequest } from '@/lib/platform/http';

/** Largest distance of a timestamp from now in seconds, in either direction. */
export const TIMESTAMP_TOLERANCE_SECONDS = 300;

export type SignedHeaders = {
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
};

/** The API key of the Authorization header. Throws invalid_api_key unless there is exactly one. */
export function readApiKey(request: ApiRequest): string {
  const given = request.header('authorization');
  const bearer = given.length === 1 ? bearerOf(given[0] as string) : null;
  if (bearer === null) throw new ServiceError('invalid_api_key');
  return bearer;
}

/** The key in an Authorization value; null when there is none. */
export const bearerOf = (authorization: string): string | null =>
  /^Bearer +([!-~]{1,200})$/i.exec(authorization)?.[1] ?? null;

/** The three signing headers, each present exactly once. Throws missing_header that names one. */
export const readSignedHeaders = (request: ApiRequest): SignedHeaders => ({
  timestamp: one(request, 'X-Service-Timestamp'),
  nonce: one(request, 'X-Service-Nonce'),
  signature: one(request, 'X-Service-Signature'),
});

/** Throws invalid_timestamp or timestamp_out_of_range. `now` in Unix seconds. */
export function checkTimestamp(timestamp: string, now: number): void {
  if (!/^[0-9]{10}$/.test(timestamp)) throw new ServiceError('invalid_timestamp', { param: 'X-Service-Timestamp' });
  if (Math.abs(Number(timestamp) - now) > TIMESTAMP_TOLERANCE_SECONDS) {
    throw new ServiceError('timestamp_out_of_range', { param: 'X-Service-Timestamp' });
  }
}

/** Throws invalid_signature unless the signature matches these exact bytes under this secret. Hex of either case. */
export function checkSignature(headers: SignedHeaders, body: Uint8Array, secret: string): void {
  const given = /^[0-9a-fA-F]{64}$/.test(headers.signature) ? Buffer.from(headers.signature, 'hex') : Buffer.alloc(32);
  const right = signatureOf(secret, headers.timestamp, headers.nonce, body);
  if (!sameBytes(given, right)) throw new ServiceError('invalid_signature', { param: 'X-Service-Signature' });
}

/**
 * Throws invalid_nonce. A nonce contains neither `{` nor `[`, and a body is empty or begins with one of them. So no two
 * requests share a signed text, although a nonce may contain dots.
 */
export function checkNonce(nonce: string): void {
  if (!isNonce(nonce)) throw new ServiceError('invalid_nonce', { param: 'X-Service-Nonce' });
}

/** Whether a text can be a nonce, of either signature version. */
export const isNonce = (text: string): boolean => /^[!-Z\\-z|}~]{1,255}$/.test(text);

function one(request: ApiRequest, name: string): string {
  const values = request.header(name.toLowerCase());
  if (values.length !== 1 || values[0] === '') throw new ServiceError('missing_header', { param: name });
  return values[0] as string;
}
