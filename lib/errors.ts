// Every refusal that the API can answer, as one table, and the error that carries one of its codes. Callers get the code and a
// sentence they can act on; what went wrong inside stays in the log. Sources: spec (Errors), decisions (Authentication,
// Request bodies, Errors); rows marked "ours" are codes that neither names.

import { DASHBOARD_ERRORS } from './errors-dashboard';

export type ErrorType = 'authentication_error' | 'invalid_request_error' | 'rate_limit_error' | 'api_error';

type Row = { readonly status: number; readonly type: ErrorType; readonly message: string };

const authentication = (message: string): Row => ({ status: 401, type: 'authentication_error', message });
const invalid = (status: number, message: string): Row => ({ status, type: 'invalid_request_error', message });

export const ERROR_CODES = {
  missing_header: authentication('A signing header is missing, empty or sent more than once.'),
  invalid_api_key: authentication('The API key is missing, unknown, revoked, or may not be used from this address.'),
  invalid_timestamp: authentication('X-Service-Timestamp must be the Unix time in seconds, exactly ten digits.'),
  timestamp_out_of_range: authentication(
    'X-Service-Timestamp is more than 300 seconds away from the time of the service.',
  ),
  invalid_nonce: authentication('X-Service-Nonce must be 1 to 255 visible ASCII characters without a dot.'),
  invalid_signature: authentication(
    'X-Service-Signature does not match the timestamp, the nonce and the bytes of the body.',
  ),
  nonce_reused: authentication('X-Service-Nonce was used before with this key. Send a new one with every request.'),
  insufficient_scope: invalid(403, 'The API key lacks the scope that this call needs.'),
  store_not_active: invalid(403, 'The store is not approved, or it is suspended.'),

  INVALID_JSON: invalid(400, 'The body is not a JSON object as this service reads it.'),
  INVALID_PARAMETER: invalid(400, 'A parameter has a value that is not accepted.'),
  INVALID_AMOUNT: invalid(400, 'An amount must be a JSON integer in minor units, within its limits.'),
  INVALID_VERSION: invalid(400, 'Service-Version must be a date such as 2026-11-21, and not a future one.'),
  INVALID_CURRENCY: invalid(400, 'The currency is not supported.'),
  AMOUNT_MISMATCH: invalid(400, 'The amount differs from the sum of its line items, tax and shipping.'),
  CURRENCY_MISMATCH: invalid(400, 'A line item has another currency than the session.'),
  SESSION_LIMIT_EXCEEDED: invalid(400, 'The session asks for more than a session of this store may.'),
  DAILY_VOLUME_EXCEEDED: {
    status: 429,
    type: 'rate_limit_error',
    message: 'The sessions of this UTC day would ask for more than the store may. Try again after midnight UTC.',
  },
  DUPLICATE_ORDER_ID: invalid(400, 'A session with this order_id exists already.'),
  IDEMPOTENCY_KEY_REUSED: invalid(400, 'This Idempotency-Key was used with another request.'),
  SESSION_NOT_FOUND: invalid(404, 'There is no such payment session.'),
  SESSION_EXPIRED: invalid(400, 'The session has expired or was canceled already.'),
  SESSION_ALREADY_PAID: invalid(400, 'The session is paid and can no longer be canceled.'),
  SESSION_FAILED: invalid(400, 'The session has failed and can no longer be canceled.'),
  PAYMENT_IN_PROGRESS: invalid(
    400,
    'A payment to this session was seen on the chain, so it can no longer be canceled.',
  ),

  MISSING_CHARGE: invalid(400, 'session_id is missing.'),
  MISSING_REFUND_ID: invalid(400, 'refund_id is missing.'),
  REFUND_ID_CONFLICT: invalid(400, 'A refund with this refund_id and other content exists already.'),
  INVALID_SESSION_STATUS: invalid(400, 'Only paid sessions can be refunded.'),
  REFUND_AMOUNT_EXCEEDED: invalid(400, 'The refunds of the session would be more than its price.'),
  REFUND_TIME_EXPIRED: invalid(400, 'The payment is too old to be refunded.'),
  DAILY_REFUND_LIMIT_EXCEEDED: {
    status: 429,
    type: 'rate_limit_error',
    message: 'The refunds of this UTC day would be more than the store may make. Try again after midnight UTC.',
  },
  CANNOT_CANCEL_REFUND: invalid(
    400,
    'The refund has ended or is on its way to the chain, and can no longer be canceled.',
  ),
  REFUND_NOT_FOUND: invalid(404, 'There is no such refund.'),
  FORBIDDEN: invalid(403, 'The refund belongs to another store.'),
  session_access_denied: invalid(403, 'The session belongs to another store.'),
  // Ours: where a store’s coins went otherwise than by refunds.
  INSUFFICIENT_BALANCE: invalid(400, 'The store has less than this amount left.'),

  // Ours: decisions about payments that did not count.
  CASE_NOT_FOUND: invalid(404, 'There is no such case.'),
  CASE_ALREADY_DECIDED: invalid(400, 'This payment was decided about otherwise already.'),

  // Ours: paths and methods that the specification does not speak of.
  NOT_FOUND: invalid(404, 'There is nothing at this path.'),
  METHOD_NOT_ALLOWED: invalid(405, 'This path does not take this method; Allow names those it takes.'),
  request_too_large: invalid(413, 'The body is larger than 64 KiB.'),
  unsupported_media_type: invalid(
    415,
    'The body must be sent as Content-Type: application/json, without Content-Encoding.',
  ),
  RATE_LIMITED: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many requests. Wait as long as Retry-After says.',
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    message: 'Something went wrong here. Try again, and tell us the request id if it stays.',
  },
  EXCHANGE_RATE_UNAVAILABLE: {
    status: 503,
    type: 'api_error',
    message:
      'There is no trustworthy exchange rate for this currency now. Try again shortly, or charge in USD, USDT or USDC.',
  },
  // Ours: the request is right, but cannot be served at this moment.
  SERVICE_UNAVAILABLE: {
    status: 503,
    type: 'api_error',
    message: 'The service cannot answer now. Try the same request again shortly.',
  },

  // Ours: the dashboard's.
  ...DASHBOARD_ERRORS,
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A refusal with a code of the table. `param` names the parameter or header at fault, `message` replaces the usual sentence. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  /** Seconds after which trying again makes sense; null when it never does by itself. */
  readonly retryAfter: number | null;

  constructor(
    code: ErrorCode,
    details: { param?: string; message?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(details.message ?? ERROR_CODES[code].message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.param = details.param ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}
