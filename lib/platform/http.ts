// The neutral request and response that handlers speak, so that the same handler answers through our own server and through
// Next (architecture: two doors to the same handlers).

export type ApiRequest = {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: string;
  /** All values of a header as they were sent, in order; `name` in lower case. */
  readonly header: (name: string) => readonly string[];
  readonly body: Uint8Array;
  /** The peer's address, or the client's as a trusted proxy tells it. */
  readonly address: string;
};

export type ApiResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Largest request body in bytes (decisions: Request bodies). */
export const LARGEST_BODY = 64 * 1024;

/** Request header by which proxy.ts tells a page the nonce of its policy; one from outside is always replaced. */
export const NONCE_HEADER = 'x-page-nonce';

/** On every answer that is no page: a browser that opens it loads nothing, runs nothing and shows it in no frame. */
export const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/**
 * Request header by which our server tells Next's handlers the request target as it was sent; one from outside is always replaced.
 * Next writes queries anew (`%20` becomes `+`), and signature version 2 covers the query as it was sent.
 */
export const TARGET_HEADER = 'x-request-target';

/** A JSON answer that nobody may keep. */
export function jsonResponse(status: number, body: string, headers: Record<string, string> = {}): ApiResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
    body,
  };
}

/** A whole body, or null as soon as it is known to be longer than `mostBytes`. */
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
