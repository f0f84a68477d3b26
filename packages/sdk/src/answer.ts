// Parses an HTTP answer into a result or an error. Bodies from other sources (a proxy's error page) become errors too, without
// their text.

import {
  AuthenticationError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  type ErrorDetails,
  type StabletillError,
} from './errors';

export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly requestId: string | null;
  /** Seconds. */
  readonly retryAfter: number | null;
};

/** The JSON object of a success, or the error. `what` names the call in messages. */
export function readAnswer(answer: Answer, what: string): { value: object } | { error: StabletillError } {
  const { status } = answer;
  const read = jsonObject(answer.text);
  if (status >= 200 && status < 300) return read ? { value: read } : { error: unexpected(answer, what) };
  const envelope = objectAt(read, 'error');
  const code = textAt(envelope, 'code');
  if (code === null) return { error: unexpected(answer, what) };
  return {
    error: errorOf(answer, {
      code,
      message: textAt(envelope, 'message') ?? `${what} was answered with status ${status} and code ${code}.`,
      type: textAt(envelope, 'type') ?? 'api_error',
      param: textAt(envelope, 'param'),
      docUrl: textAt(envelope, 'doc_url'),
      requestId: textAt(read, 'request_id') ?? answer.requestId,
      status,
    }),
  };
}

function errorOf({ status, retryAfter }: Answer, details: ErrorDetails): StabletillError {
  if (status === 401) return new AuthenticationError(details);
  if (status === 403) return new PermissionError(details);
  if (status === 404) return new NotFoundError(details);
  if (status === 429) return new RateLimitError({ ...details, retryAfter });
  return status >= 400 && status < 500 ? new InvalidRequestError(details) : new ServerError(details);
}

/** An answer from another source; a redirect usually means a wrong `baseUrl`. */
function unexpected(answer: Answer, what: string): StabletillError {
  const { status, requestId } = answer;
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  const message = isRedirect
    ? `${what} was answered with a redirect, which is not followed: check baseUrl (scheme, host and path).`
    : `${what} was answered with status ${status} and a body that is not the service's: check baseUrl, or a proxy in between.`;
  const details = {
    message,
    code: 'unexpected_answer',
    type: 'api_error',
    status: status === 0 ? null : status,
    requestId,
  };
  // A proxy's 404 or 401 says nothing about the object or the key.
  return status === 429 ? new RateLimitError({ ...details, retryAfter: answer.retryAfter }) : new ServerError(details);
}

function jsonObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function objectAt(value: object | null, name: string): object | null {
  const found: unknown = value && Reflect.get(value, name);
  return typeof found === 'object' ? found : null;
}

function textAt(value: object | null, name: string): string | null {
  const found: unknown = value && Reflect.get(value, name);
  return typeof found === 'string' && found !== '' ? found : null;
}
