// The neutral request and response that handlers use. The same handler can then serve our own server and Next through their
// adapters.

export type ApiRequest = {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: string;
  /** All values of a header as they were sent, in order; `name` in lower case. */
  readonly header: (name: string) => readonly string[];
  readonly body: Uint8Array;
  /** The peer's address, or the client's address as a trusted proxy reports it. */
  readonly address: string;
};

export type ApiResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Largest request body in bytes. */
export const LARGEST_BODY = 64 * 1024;

/** Request header in which proxy.ts passes a page the nonce of its policy. A value from outside is always replaced. */
export const NONCE_HEADER = 'x-page-nonce';

/** Headers of every answer that is not a page. A browser that opens it loads nothing, runs nothing and shows it in no frame. */
export const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/**
 * Request header in which our server passes Next's handlers the request target as it was sent. A value from outside is always
 * replaced. Next rewrites queries (`%20` becomes `+`), and signature version 2 covers the query as it was sent.
 */
export const TARGET_HEADER = 'x-request-target';

/** A JSON answer that no cache may store. */
export function jsonResponse(status: number, body: string, headers: Record<string, string> = {}): ApiResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
    body,
  };
}

/** The whole body, or null as soon as it exceeds `mostBytes`. */
export async function readCapped(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
