// Signature version 2: HTTP Message Signatures (RFC 9421) with HMAC-SHA256 over method, path, query and Content-Digest (RFC
// 9530). Unlike version 1 it binds a request to its path, so a captured request cannot be used elsewhere. Both versions share
// the key, secret, time window and nonces. Their signed texts never coincide: version 1 begins with a digit, version 2 with a
// quotation mark.

import { hmacSha256, sameBytes, sha256 } from '@/lib/platform/crypto';
import { ServiceError, type ErrorCode } from '@/lib/platform/errors/errors';
import type { ApiRequest } from '@/lib/platform/http';
import { isNonce, TIMESTAMP_TOLERANCE_SECONDS } from './request-signature';
import { readBytes, readDictionary, readInnerList, readString } from './structured-fields';

/** Distinguishes our signature from those that proxies add. It is part of the signed text. */
const SIGNATURE_TAG = 'stabletill-api';
export const SIGNATURE_INPUT = 'Signature-Input';
const SIGNATURE = 'Signature';
const CONTENT_DIGEST = 'Content-Digest';

/**
 * What a signature covers, in any order. More would depend on headers that proxies change; less would leave part of the request
 * open.
 */
const COMPONENTS = ['@method', '@path', '@query', 'content-digest'] as const;
type Component = (typeof COMPONENTS)[number];
const PARAMETERS = ['created', 'nonce', 'keyid', 'alg', 'tag'] as const;
type Parameters = Readonly<Record<(typeof PARAMETERS)[number], string>>;

/**
 * The three headers together have about 500 characters. The limit bounds parsing on hosts that accept headers of any length.
 */
const LONGEST_HEADER = 4096;
const VERSION_1_HEADERS = ['x-service-timestamp', 'x-service-nonce', 'x-service-signature'];

type Signed = {
  readonly components: readonly Component[];
  /** The value of `@signature-params`. */
  readonly text: string;
  readonly parameters: Parameters;
  readonly signature: Buffer;
};

/** Whether a request uses version 2: it has a signature with our tag, or a Signature-Input and no header of version 1. */
export function hasMessageSignature(request: ApiRequest): boolean {
  const input = request.header('signature-input');
  // Most requests use version 1 and end here.
  if (input.length === 0) return false;
  // Quotation marks within a string are escaped, so this text is always a parameter.
  return (
    input.join(', ').includes(`;tag="${SIGNATURE_TAG}"`) || !VERSION_1_HEADERS.some((name) => hasHeader(request, name))
  );
}

/**
 * Returns the nonce of a request with a valid message signature. Throws missing_header, invalid_signature, invalid_timestamp,
 * timestamp_out_of_range or invalid_nonce. `path` and `query` are as sent. `now` in Unix seconds.
 */
export function checkMessageSignature(
  request: ApiRequest,
  { apiKey, secret, now }: { apiKey: string; secret: string; now: number },
): string {
  if (VERSION_1_HEADERS.some((name) => hasHeader(request, name))) {
    throw refusal('The request carries both X-Service-* headers and a message signature. Send one of them.');
  }
  const digest = oneHeader(request, CONTENT_DIGEST);
  const signed = readSigned(oneHeader(request, SIGNATURE_INPUT), oneHeader(request, SIGNATURE));
  checkParameters(signed.parameters, { apiKey, now });
  checkDigest(digest, request.body);
  const base = signatureBase(signed, {
    '@method': request.method,
    '@path': request.path,
    // Without a query it is the question mark alone.
    '@query': `?${request.query}`,
    'content-digest': digest,
  });
  if (!sameBytes(signed.signature, hmacSha256(secret, base)))
    throw refusal('Signature does not match @method, @path, @query, content-digest and @signature-params.', SIGNATURE);
  const nonce = readString(signed.parameters.nonce) ?? '';
  if (!isNonce(nonce)) {
    throw refusal(
      'nonce must be 1 to 255 visible ASCII characters other than { and [.',
      SIGNATURE_INPUT,
      'invalid_nonce',
    );
  }
  return nonce;
}

/** The signed text (RFC 9421, 2.5): a line for each component, then the parameters as in Signature-Input. */
export function signatureBase<Name extends string>(
  { components, text }: { readonly components: readonly Name[]; readonly text: string },
  values: Readonly<Record<Name, string>>,
): string {
  return [...components.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${text}`].join('\n');
}

/** Our signature among those of the request. Throws unless exactly one covers the required components. */
function readSigned(input: string, signatures: string): Signed {
  const [inputs, values] = [readDictionary(input), readDictionary(signatures)];
  if (!inputs) throw refusal('Signature-Input must be a dictionary of inner lists, written as RFC 8941 serializes it.');
  if (!values)
    throw refusal('Signature must be a dictionary of byte sequences, written as RFC 8941 serializes it.', SIGNATURE);
  const ours = [...inputs].flatMap(([label, text]) => {
    const list = readInnerList(text);
    return list?.parameters.get('tag') === `"${SIGNATURE_TAG}"` ? [{ label, text, ...list }] : [];
  });
  const [one] = ours;
  if (!one || ours.length > 1)
    throw refusal(`Exactly one signature must have the parameter tag="${SIGNATURE_TAG}", and no parameter twice.`);
  const signature = readBytes(values.get(one.label) ?? '');
  if (!signature)
    throw refusal(`Signature must have a byte sequence under ${one.label}, the label of Signature-Input.`, SIGNATURE);
  const { text, items, parameters } = one;
  return { components: readComponents(items), text, parameters: readParameters(parameters), signature };
}

function readComponents(items: readonly string[]): Component[] {
  const found = COMPONENTS.filter((name) => items.includes(`"${name}"`));
  if (found.length < COMPONENTS.length || items.length > COMPONENTS.length) {
    const names = COMPONENTS.map((name) => `"${name}"`).join(' ');
    throw refusal(`The signature must cover (${names}), each once and without parameters, in any order.`);
  }
  return items.map((item) => item.slice(1, -1) as Component);
}

function readParameters(given: ReadonlyMap<string, string>): Parameters {
  const missing = PARAMETERS.filter((name) => !given.has(name));
  if (missing.length > 0 || given.size > PARAMETERS.length) {
    throw refusal(`The signature must have the parameters ${PARAMETERS.join(', ')} and no others.`);
  }
  return Object.fromEntries(given) as Parameters;
}

function checkParameters({ created, keyid, alg }: Parameters, { apiKey, now }: { apiKey: string; now: number }): void {
  if (alg !== '"hmac-sha256"') throw refusal('alg must be "hmac-sha256".');
  if (readString(keyid) !== apiKey) throw refusal('keyid must be the API key that Authorization carries.');
  if (!/^[0-9]{10}$/.test(created)) {
    throw refusal(
      'created must be the Unix time in seconds, exactly ten digits.',
      SIGNATURE_INPUT,
      'invalid_timestamp',
    );
  }
  if (Math.abs(Number(created) - now) > TIMESTAMP_TOLERANCE_SECONDS) {
    const message = `created is more than ${TIMESTAMP_TOLERANCE_SECONDS} seconds away from the time of the service.`;
    throw refusal(message, SIGNATURE_INPUT, 'timestamp_out_of_range');
  }
}

/** Throws unless Content-Digest has the SHA-256 of these bytes. It may also contain digests by other algorithms. */
function checkDigest(digest: string, body: Uint8Array): void {
  const given = readBytes(readDictionary(digest)?.get('sha-256') ?? '');
  if (!given) throw refusal('Content-Digest must have sha-256 as a byte sequence, on GET too.', CONTENT_DIGEST);
  if (!sameBytes(given, sha256(body))) {
    throw refusal('Content-Digest is not the SHA-256 of the bytes of the body.', CONTENT_DIGEST);
  }
}

const hasHeader = (request: ApiRequest, name: string): boolean => request.header(name).length > 0;

/** A header whose lines form one value (RFC 9421, 2.1). Throws missing_header, or invalid_signature when it is too long. */
function oneHeader(request: ApiRequest, name: string): string {
  const value = request.header(name.toLowerCase()).join(', ');
  if (value === '') throw new ServiceError('missing_header', { param: name });
  if (value.length > LONGEST_HEADER) throw refusal(`${name} has more than ${LONGEST_HEADER} characters.`, name);
  return value;
}

const refusal = (
  message: string,
  param: string = SIGNATURE_INPUT,
  code: ErrorCode = 'invalid_signature',
): ServiceError => new ServiceError(code, { param, message });
