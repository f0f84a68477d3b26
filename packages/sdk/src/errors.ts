// Everything that the SDK throws when the service refuses, fails or is unreachable: classes to distinguish with `instanceof`.
// None contains a key, a secret, a signature or the body of a request.

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

/** The base of all errors in this package. `code` is stable and meant for programs, the message for people. */
export class StabletillError extends Error {
  override readonly name: string = 'StabletillError';
  readonly code: string;
  readonly type: string;
  /** The invalid parameter or header. */
  readonly param: string | null;
  /** The HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Give it to the operator of the service, who can find the request in the logs. */
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

/** The request was refused; repeating it unchanged will be refused again. */
export class InvalidRequestError extends StabletillError {
  override readonly name: string = 'InvalidRequestError';
}

/** The key lacks permission: a scope is missing, the store is not active, or the object belongs to another store. */
export class PermissionError extends InvalidRequestError {
  override readonly name = 'PermissionError';
}

/** The object does not exist, or this key may not see it. */
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
  /** Seconds until a retry makes sense; null if the service did not say. */
  readonly retryAfter: number | null;

  constructor(details: ErrorDetails & { readonly retryAfter: number | null }) {
    super(details);
    this.retryAfter = details.retryAfter;
  }
}

/** The service failed, is unavailable, or sent an answer that this package does not understand. */
export class ServerError extends StabletillError {
  override readonly name = 'ServerError';
}

/** There was no answer. The service may still have carried out the request. */
export class ConnectionError extends StabletillError {
  override readonly name: string = 'ConnectionError';
}

/** There was no answer within the timeout. */
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

/** The webhook cannot be trusted: answer it with 400 or 401. `code` and `message` name the part that failed. */
export class WebhookVerificationError extends StabletillError {
  override readonly name = 'WebhookVerificationError';
  declare readonly code: WebhookFault;

  constructor({ code, message, header }: { code: WebhookFault; message: string; header?: string }) {
    super({ code, message, type: 'webhook_error', param: header ?? null });
  }
}
