// Everything that the SDK throws when the service refuses, fails or cannot be reached, as classes to tell apart with
// `instanceof`. None of them holds a key, a secret, a signature or the body of a request.

export type ErrorDetails = {
  readonly message: string;
  readonly code: string;
  readonly type: string;
  readonly param?: string | null;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly docUrl?: string | null;
  readonly cause?: unknown;
};

/** What all errors of this package have in common. `code` is stable and made for programs, the message for people. */
export class StabletillError extends Error {
  override readonly name: string = 'StabletillError';
  readonly code: string;
  readonly type: string;
  /** The parameter or header at fault. */
  readonly param: string | null;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Tell it to the operator of the service: it finds the request in the logs. */
  readonly requestId: string | null;
  /** A page that explains the code. */
  readonly docUrl: string | null;

  constructor({ message, code, type, param, status, requestId, docUrl, cause }: ErrorDetails) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.type = type;
    this.param = param ?? null;
    this.status = status ?? null;
    this.requestId = requestId ?? null;
    this.docUrl = docUrl ?? null;
  }
}

/** The request was refused as it is; the same request will be refused again. */
export class InvalidRequestError extends StabletillError {
  override readonly name: string = 'InvalidRequestError';
}

/** The key may not do this: a scope is missing, the store is not active, or the object is another store's. */
export class PermissionError extends InvalidRequestError {
  override readonly name = 'PermissionError';
}

/** There is no such object, or none that this key may see. */
export class NotFoundError extends InvalidRequestError {
  override readonly name = 'NotFoundError';
}

/** The service did not accept the key, the time, the nonce or the signature. */
export class AuthenticationError extends StabletillError {
  override readonly name = 'AuthenticationError';
}

/** Too many requests, or a daily limit is used up. */
export class RateLimitError extends StabletillError {
  override readonly name = 'RateLimitError';
  /** Seconds after which trying again makes sense; null when the service did not say. */
  readonly retryAfter: number | null;

  constructor(details: ErrorDetails & { readonly retryAfter: number | null }) {
    super(details);
    this.retryAfter = details.retryAfter;
  }
}

/** The service failed, is unavailable, or answered what this package does not understand. */
export class ServerError extends StabletillError {
  override readonly name = 'ServerError';
}

/** There was no answer. The request may have been carried out nevertheless. */
export class ConnectionError extends StabletillError {
  override readonly name: string = 'ConnectionError';
}

/** There was no answer within the time allowed. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

export type WebhookFault =
  | 'body_not_raw'
  | 'missing_header'
  | 'invalid_header'
  | 'timestamp_out_of_range'
  | 'signature_mismatch'
  | 'invalid_body';

/** A webhook that is not to be believed: answer it with 400 or 401. `code` and `message` say which part failed. */
export class WebhookVerificationError extends StabletillError {
  override readonly name = 'WebhookVerificationError';
  declare readonly code: WebhookFault;

  constructor({ code, message, header }: { code: WebhookFault; message: string; header?: string }) {
    super({ code, message, type: 'webhook_error', param: header ?? null });
  }
}
