// Signature version 2 of requests: HTTP Message Signatures (RFC 9421) with HMAC-SHA256 over method, path, query and the SHA-256 of
// the body (Content-Digest, RFC 9530).

import type { Mac } from './signature';

const COVERED = '("@method" "@path" "@query" "content-digest")';
const encoder = new TextEncoder();

export type Message = {
  readonly apiKey: string;
  readonly method: string;
  /** The full URL of the request. */
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Unix seconds, ten digits. */
  readonly timestamp: string;
  readonly nonce: string;
};

/** The headers that sign a request. */
export async function messageSignature(
  mac: Mac,
  { apiKey, method, url, body, timestamp, nonce }: Message,
): Promise<Record<string, string>> {
  const digest = `sha-256=:${toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))}:`;
  // The path and query as `fetch` normalises and sends them.
  const { pathname, search } = new URL(url);
  const parameters = `;created=${timestamp};nonce="${nonce}";keyid="${apiKey}";alg="hmac-sha256";tag="stabletill-api"`;
  const base = [
    `"@method": ${method}`,
    `"@path": ${pathname}`,
    `"@query": ${search || '?'}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${COVERED}${parameters}`,
  ].join('\n');
  return {
    'content-digest': digest,
    'signature-input': `sig1=${COVERED}${parameters}`,
    signature: `sig1=:${toBase64(await mac(encoder.encode(base)))}:`,
  };
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
