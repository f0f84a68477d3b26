// Shared by the sandbox's small web servers: reading a whole body, and responding with text.

import type { IncomingMessage, ServerResponse } from 'node:http';

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
};

/** A request that cannot be served; the message is for the caller. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The raw body. Throws a Refusal with 413 when it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limit) throw new Refusal(413, `the body is longer than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The body as JSON. The content type is required, so that another site's page cannot send it without a CORS preflight. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the body must be application/json');
  }
  const text = (await readBody(request, limit)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(400, `the body is not JSON: ${(error as Error).message}`);
  }
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, 'application/json', JSON.stringify(value));
}

export function send(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text, 'utf8');
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
