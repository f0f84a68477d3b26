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

/** On every response where PUBLIC_URL is https. A year, as preload lists require. Other names of the domain are not ours. */
export const HSTS = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/**
 * Request header in which our server passes Next's handlers the request target as it was sent. A value from outside is always
 * replaced. Next rewrites queries (`%20` becomes `+`), and signature version 2 covers the query as it was sent.
 */
export const TARGET_HEADER = 'x-request-target';

/** Node joins or drops repeated headers. The raw list keeps each as it was sent. `name` in lower case. */
export function rawHeaderValues(raw: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let n = 0; n < raw.length; n += 2) {
    const given = raw[n] as string;
    if (given.length === name.length && given.toLowerCase() === name) values.push(raw[n + 1] as string);
  }
  return values;
}

/** The path of a request target as it was sent, without its query. */
export function pathOf({ url = '/' }: { readonly url?: string | undefined }): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

/**
 * Whether every reader interprets this path the same way: it begins with one slash, has no empty segments and no dot segments,
 * and uses the usual path encoding.
 */
export const isCanonical = (path: string): boolean =>
  path.startsWith('/') && !/\\|\/\/|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path) && isEncoded(path);

function isEncoded(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

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
