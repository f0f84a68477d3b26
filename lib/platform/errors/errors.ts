// Every refusal of the API in one table, and the error that carries one of its codes. The caller gets the code and a sentence
// to act on; the internal cause stays in the log. Rows marked "ours" are codes that the specification does not name.

import { DASHBOARD_ERRORS } from './dashboard-errors';

export type ErrorType = 'invalid_request_error' | 'api_error';

/** A refusal that the caller can act on. The code that throws it may name a closer `param`. */
type Refusal = { readonly status: number; readonly param: string; readonly message: string };
/** A failure of the service, or a refusal that only the dashboard's forms see. Neither concerns a parameter of the API. */
type Unnamed = { readonly status: number; readonly message: string };
type ErrorRow = Refusal | Unnamed;

const authentication = (param: string, message: string): Refusal => ({ status: 401, param, message });
const invalid = (status: number, param: string, message: string): Refusal => ({ status, param, message });

export const ERROR_CODES = {
  missing_header: authentication('headers', 'A signing header is missing, empty or sent more than once.'),
  invalid_api_key: authentication(
    'Authorization',
    'The API key is missing, unknown, revoked, or may not be used from this address.',
  ),
  invalid_timestamp: authentication(
    'X-Service-Timestamp',
    'X-Service-Timestamp must be the Unix time in seconds, exactly ten digits.',
  ),
  timestamp_out_of_range: authentication(
    'X-Service-Timestamp',
    'X-Service-Timestamp is more than 300 seconds away from the time of the service.',
  ),
  invalid_nonce: authentication(
    'X-Service-Nonce',
    'X-Service-Nonce must be 1 to 255 visible ASCII characters other than { and [.',
  ),
  invalid_signature: authentication(
    'X-Service-Signature',
    'X-Service-Signature does not match the timestamp, the nonce and the bytes of the body.',
  ),
  nonce_reused: authentication(
    'X-Service-Nonce',
    'X-Service-Nonce was used before with this key. Send a new one with every request.',
  ),
  // Ours: the key was set to require the second signature version.
  signature_version_required: authentication(
    'Signature-Input',
    'This API key requires signature version 2: send Content-Digest, Signature-Input and Signature (RFC 9421) instead of X-Service-*.',
  ),
  insufficient_scope: invalid(403, 'Authorization', 'The API key lacks the scope that this call needs.'),
  store_not_active: invalid(403, 'Authorization', 'The store is not approved, or it is suspended.'),

  INVALID_JSON: invalid(400, 'body', 'The body is not a JSON object as this service reads it.'),
  INVALID_PARAMETER: invalid(400, 'body', 'A parameter has a value that is not accepted.'),
  INVALID_AMOUNT: invalid(400, 'amount', 'An amount must be a JSON integer in minor units, within its limits.'),
  INVALID_VERSION: invalid(400, 'Service-Version', 'Service-Version must be a date such as 2026-11-22.'),
  INVALID_CURRENCY: invalid(400, 'currency', 'The currency is not supported.'),
  AMOUNT_MISMATCH: invalid(400, 'amount', 'The amount differs from the sum of its line items, tax and shipping.'),
  CURRENCY_MISMATCH: invalid(400, 'currency', 'A line item has another currency than the session.'),
  SESSION_LIMIT_EXCEEDED: invalid(400, 'amount', 'The session asks for more than a session of this store may.'),
  DAILY_VOLUME_EXCEEDED: {
    status: 429,
    param: 'amount',
    message: 'The sessions of this UTC day would ask for more than the store may. Try again after midnight UTC.',
  },
  DUPLICATE_ORDER_ID: invalid(400, 'order_id', 'A session with this order_id exists already.'),
  IDEMPOTENCY_KEY_REUSED: invalid(400, 'Idempotency-Key', 'This Idempotency-Key was used with another request.'),
  SESSION_NOT_FOUND: invalid(404, 'session_id', 'There is no such payment session.'),
  SESSION_EXPIRED: invalid(400, 'session_id', 'The session has expired or was canceled already.'),
  SESSION_ALREADY_PAID: invalid(400, 'session_id', 'The session is paid and can no longer be canceled.'),
  SESSION_FAILED: invalid(400, 'session_id', 'The session has failed and can no longer be canceled.'),
  PAYMENT_IN_PROGRESS: invalid(
    400,
    'session_id',
    'A payment to this session was seen on the chain, so it can no longer be canceled.',
  ),

  MISSING_CHARGE: invalid(400, 'session_id', 'session_id is missing.'),
  MISSING_REFUND_ID: invalid(400, 'refund_id', 'refund_id is missing.'),
  REFUND_ID_CONFLICT: invalid(400, 'refund_id', 'A refund with this refund_id and other content exists already.'),
  INVALID_SESSION_STATUS: invalid(400, 'session_id', 'Only paid sessions can be refunded.'),
  REFUND_AMOUNT_EXCEEDED: invalid(400, 'amount', 'The refunds of the session would be more than its price.'),
  REFUND_TIME_EXPIRED: invalid(400, 'session_id', 'The payment is too old to be refunded.'),
  DAILY_REFUND_LIMIT_EXCEEDED: {
    status: 429,
    param: 'amount',
    message: 'The refunds of this UTC day would be more than the store may make. Try again after midnight UTC.',
  },
  CANNOT_CANCEL_REFUND: invalid(
    400,
    'refund_id',
    'The refund has ended or is on its way to the chain, and can no longer be canceled.',
  ),
  REFUND_NOT_FOUND: invalid(404, 'refund_id', 'There is no such refund.'),
  FORBIDDEN: invalid(403, 'refund_id', 'The refund belongs to another store.'),
  session_access_denied: invalid(403, 'session_id', 'The session belongs to another store.'),
  // Ours: withdrawals from a store's balance other than refunds.
  INSUFFICIENT_BALANCE: invalid(400, 'amount', 'The store has less than this amount left.'),
  PAYOUT_ID_CONFLICT: invalid(400, 'payout_id', 'A payout with this payout_id and other content exists already.'),
  NO_PAYOUT_ADDRESS: invalid(
    400,
    'network',
    'The store has no payout address on this network. An owner adds one in the dashboard.',
  ),
  TOO_MANY_PAYOUTS: {
    status: 429,
    param: 'payout_id',
    message: 'The store requested as many payouts within a day as it may. Wait as long as Retry-After says.',
  },
  PAYOUT_NOT_FOUND: invalid(404, 'payout_id', 'There is no such payout.'),
  CANNOT_CANCEL_PAYOUT: invalid(
    400,
    'payout_id',
    'The payout has ended or is on its way to the chain, and can no longer be canceled.',
  ),

  // Ours: decisions about payment exceptions.
  CASE_NOT_FOUND: invalid(404, 'case_id', 'There is no such case.'),
  CASE_ALREADY_DECIDED: invalid(400, 'case_id', 'This payment was decided about otherwise already.'),

  // Ours: paths and methods that the specification does not cover.
  NOT_FOUND: invalid(404, 'path', 'There is nothing at this path.'),
  METHOD_NOT_ALLOWED: invalid(405, 'method', 'This path does not take this method; Allow names those it takes.'),
  request_too_large: invalid(413, 'body', 'The body is larger than 64 KiB.'),
  unsupported_media_type: invalid(
    400,
    'Content-Type',
    'A body must be sent as Content-Type: application/json, without Content-Encoding.',
  ),
  RATE_LIMITED: {
    status: 429,
    param: 'Authorization',
    message: 'Too many requests. Wait as long as Retry-After says.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong here. Try again, and tell us the request id if it stays.',
  },
  EXCHANGE_RATE_UNAVAILABLE: {
    status: 503,
    message:
      'There is no trustworthy exchange rate for this currency now. Try again shortly, or charge in USD, USDT or USDC.',
  },
  // Ours: a valid request that cannot be served right now.
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service cannot answer now. Try the same request again shortly.',
  },

  // Ours: the dashboard's.
  ...DASHBOARD_ERRORS,
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** `error.type` of a code: the caller can correct every 4xx; every 5xx is ours. */
export const errorType = (code: ErrorCode): ErrorType =>
  ERROR_CODES[code].status >= 500 ? 'api_error' : 'invalid_request_error';

/**
 * The parameter that a refusal with this code usually concerns; null for failures of the service and the dashboard's own codes.
 */
export const usualParam = (code: ErrorCode): string | null => {
  const row: ErrorRow = ERROR_CODES[code];
  return 'param' in row ? row.param : null;
};

/** A refusal with a code of the table. `param` names the faulty parameter or header; `message` replaces the usual sentence. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** The faulty field or header, if the code that throws knows it. The envelope falls back to `usualParam`. */
  readonly param: string | null;
  /** Seconds after which a retry can succeed; null if a retry alone cannot help. */
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
