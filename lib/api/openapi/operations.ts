// The description of each route in the OpenAPI document: the schemas of its bodies, its own error codes, and examples. The key is
// method and path as in the table of routes; a test fails when a route has no row here.

import { z } from 'zod';
import type { ErrorCode } from '@/lib/platform/errors/errors';
import { exceptionsQuerySchema } from '@/lib/api/operations/exception-routes';
import { LONGEST_TRANSACTION } from '@/lib/api/operations/find-view';
import { eventsQuerySchema, listenQuerySchema, sessionsQuerySchema } from '@/lib/api/list-query';
import { payoutsQuerySchema } from '@/lib/api/operations/payout-routes';
import { refundsQuerySchema } from '@/lib/api/operations/refund-query';
import { EVENT_LIST, LISTEN_RESPONSE } from './event-examples';
import * as examples from './examples';
import { CANCELED_PAYOUT, CREATE_PAYOUT, PAYOUT, PAYOUT_LIST } from './payout-examples';
import type { SchemaName } from './schemas';

type Tag = 'sessions' | 'refunds' | 'payouts' | 'exceptions' | 'events' | 'quickstart' | 'test';
/** Several schemas: a body has one of these shapes. */
type Body = {
  readonly schema: SchemaName | readonly SchemaName[];
  readonly examples: Readonly<Record<string, unknown>>;
};

export type Operation = {
  readonly id: string;
  readonly tag: Tag;
  /** Query parameters. Their descriptions are under `parameters` in the reference's texts. */
  readonly query?: z.ZodObject;
  readonly takesIdempotencyKey?: true;
  readonly request?: Body;
  readonly answer: Body & { readonly status: 200 | 201 | 202 };
  /** Codes in addition to those that every request can return. */
  readonly errors: readonly ErrorCode[];
};

const SESSIONS = '/api/v1/checkout/sessions';
const REFUNDS = '/api/v1/refunds';
const PAYOUTS = '/api/v1/payouts';
const EXCEPTIONS = '/api/v1/payment_exceptions';
const QUICK_START = '/v1/payment/sessions';
const HELPERS = '/api/v1/test_helpers';

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  [`POST ${SESSIONS}/create`]: {
    id: 'createSession',
    tag: 'sessions',
    takesIdempotencyKey: true,
    request: { schema: ['CreateSession', 'QuickStart'], examples: examples.CREATE_SESSION },
    answer: { status: 200, schema: ['PaymentSession', 'QuickStartSession'], examples: examples.PAYMENT_SESSION },
    errors: [
      'INVALID_AMOUNT',
      'INVALID_CURRENCY',
      'AMOUNT_MISMATCH',
      'CURRENCY_MISMATCH',
      'SESSION_LIMIT_EXCEEDED',
      'DAILY_VOLUME_EXCEEDED',
      'DUPLICATE_ORDER_ID',
      'IDEMPOTENCY_KEY_REUSED',
      'EXCHANGE_RATE_UNAVAILABLE',
    ],
  },
  [`GET ${SESSIONS}`]: {
    id: 'listSessions',
    tag: 'sessions',
    query: sessionsQuerySchema,
    answer: { status: 200, schema: 'SessionList', examples: examples.SESSION_LIST },
    errors: ['INVALID_PARAMETER'],
  },
  'GET /api/v1/events': {
    id: 'listEvents',
    tag: 'events',
    query: eventsQuerySchema,
    answer: { status: 200, schema: 'EventList', examples: EVENT_LIST },
    errors: ['INVALID_PARAMETER'],
  },
  'GET /api/v1/events/listen': {
    id: 'listenEvents',
    tag: 'events',
    query: listenQuerySchema,
    answer: { status: 200, schema: 'HeardEvents', examples: LISTEN_RESPONSE },
    errors: ['INVALID_PARAMETER'],
  },
  [`GET ${SESSIONS}/{session_id}`]: {
    id: 'readSession',
    tag: 'sessions',
    answer: { status: 200, schema: 'ReadSession', examples: examples.READ_SESSION },
    errors: ['SESSION_NOT_FOUND'],
  },
  [`GET ${SESSIONS}/{session_id}/find`]: {
    id: 'findPayment',
    tag: 'sessions',
    query: z.object({ transaction: z.string().min(1).max(LONGEST_TRANSACTION) }),
    answer: { status: 200, schema: 'FoundPayment', examples: examples.FOUND_PAYMENT },
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  },
  [`POST ${SESSIONS}/{session_id}/cancel`]: {
    id: 'cancelSession',
    tag: 'sessions',
    answer: { status: 200, schema: 'CanceledSession', examples: examples.CANCELED_SESSION },
    errors: ['SESSION_NOT_FOUND', 'SESSION_EXPIRED', 'SESSION_ALREADY_PAID', 'SESSION_FAILED', 'PAYMENT_IN_PROGRESS'],
  },
  [`POST ${REFUNDS}/create`]: {
    id: 'createRefund',
    tag: 'refunds',
    request: { schema: 'CreateRefund', examples: examples.CREATE_REFUND },
    answer: { status: 201, schema: 'CreatedRefund', examples: examples.CREATED_REFUND },
    errors: [
      'MISSING_CHARGE',
      'MISSING_REFUND_ID',
      'INVALID_AMOUNT',
      'INVALID_CURRENCY',
      'REFUND_ID_CONFLICT',
      'SESSION_NOT_FOUND',
      'session_access_denied',
      'INVALID_SESSION_STATUS',
      'REFUND_TIME_EXPIRED',
      'REFUND_AMOUNT_EXCEEDED',
      'DAILY_REFUND_LIMIT_EXCEEDED',
      'INSUFFICIENT_BALANCE',
    ],
  },
  [`GET ${REFUNDS}`]: {
    id: 'listRefunds',
    tag: 'refunds',
    query: refundsQuerySchema,
    answer: { status: 200, schema: 'RefundList', examples: examples.REFUND_LIST },
    errors: ['INVALID_PARAMETER'],
  },
  [`GET ${REFUNDS}/{refund_id}`]: {
    id: 'readRefund',
    tag: 'refunds',
    answer: { status: 200, schema: 'Refund', examples: examples.REFUND },
    errors: ['REFUND_NOT_FOUND', 'FORBIDDEN'],
  },
  [`POST ${REFUNDS}/{refund_id}/cancel`]: {
    id: 'cancelRefund',
    tag: 'refunds',
    answer: { status: 200, schema: 'CanceledRefund', examples: examples.CANCELED_REFUND },
    errors: ['REFUND_NOT_FOUND', 'FORBIDDEN', 'CANNOT_CANCEL_REFUND'],
  },
  [`POST ${PAYOUTS}/create`]: {
    id: 'createPayout',
    tag: 'payouts',
    request: { schema: 'CreatePayout', examples: CREATE_PAYOUT },
    answer: { status: 201, schema: 'Payout', examples: { pending: PAYOUT.pending } },
    errors: [
      'INVALID_AMOUNT',
      'INVALID_CURRENCY',
      'PAYOUT_ID_CONFLICT',
      'NO_PAYOUT_ADDRESS',
      'INSUFFICIENT_BALANCE',
      'TOO_MANY_PAYOUTS',
    ],
  },
  [`GET ${PAYOUTS}`]: {
    id: 'listPayouts',
    tag: 'payouts',
    query: payoutsQuerySchema,
    answer: { status: 200, schema: 'PayoutList', examples: PAYOUT_LIST },
    errors: ['INVALID_PARAMETER'],
  },
  [`GET ${PAYOUTS}/{payout_id}`]: {
    id: 'readPayout',
    tag: 'payouts',
    answer: { status: 200, schema: 'Payout', examples: PAYOUT },
    errors: ['PAYOUT_NOT_FOUND'],
  },
  [`POST ${PAYOUTS}/{payout_id}/cancel`]: {
    id: 'cancelPayout',
    tag: 'payouts',
    answer: { status: 200, schema: 'CanceledPayout', examples: CANCELED_PAYOUT },
    errors: ['PAYOUT_NOT_FOUND', 'CANNOT_CANCEL_PAYOUT'],
  },
  [`GET ${EXCEPTIONS}`]: {
    id: 'listExceptions',
    tag: 'exceptions',
    query: exceptionsQuerySchema,
    answer: { status: 200, schema: 'PaymentExceptionList', examples: examples.EXCEPTION_LIST },
    errors: ['INVALID_PARAMETER'],
  },
  [`GET ${EXCEPTIONS}/{exception_id}`]: {
    id: 'readException',
    tag: 'exceptions',
    answer: { status: 200, schema: 'PaymentException', examples: examples.EXCEPTION },
    errors: ['CASE_NOT_FOUND'],
  },
  [`POST ${EXCEPTIONS}/{exception_id}/decide`]: {
    id: 'decideException',
    tag: 'exceptions',
    request: { schema: 'DecideException', examples: examples.DECIDE_EXCEPTION },
    answer: { status: 200, schema: 'PaymentException', examples: { accepted: examples.EXCEPTION.accepted } },
    errors: ['CASE_NOT_FOUND', 'CASE_ALREADY_DECIDED'],
  },
  [`GET ${QUICK_START}/{session_id}/`]: {
    id: 'readQuickStart',
    tag: 'quickstart',
    answer: { status: 200, schema: 'QuickStartSession', examples: examples.QUICK_START_SESSION },
    errors: ['SESSION_NOT_FOUND'],
  },
  [`POST ${HELPERS}/checkout/sessions/{session_id}/pay`]: {
    id: 'testPay',
    tag: 'test',
    request: { schema: 'TestPay', examples: { exact: { network: 'tron', currency: 'USDT' }, ...examples.TEST_PAY } },
    answer: { status: 202, schema: 'TestPayment', examples: examples.TEST_PAYMENT },
    errors: ['INVALID_AMOUNT', 'NOT_FOUND', 'SESSION_NOT_FOUND'],
  },
  [`POST ${HELPERS}/checkout/sessions/{session_id}/expire`]: {
    id: 'testExpire',
    tag: 'test',
    answer: { status: 200, schema: 'TestExpiry', examples: examples.TEST_EXPIRY },
    errors: ['NOT_FOUND', 'SESSION_NOT_FOUND'],
  },
  [`POST ${HELPERS}/checkout/sessions/{session_id}/age`]: {
    id: 'testAge',
    tag: 'test',
    request: { schema: 'TestAge', examples: { beyondTheWindow: { days: 181 } } },
    answer: { status: 200, schema: 'AgedSession', examples: examples.AGED_SESSION },
    errors: ['NOT_FOUND', 'SESSION_NOT_FOUND'],
  },
  [`POST ${HELPERS}/refunds/{refund_id}/fail`]: {
    id: 'testFail',
    tag: 'test',
    request: { schema: 'TestFail', examples: { blocked: { reason: 'recipient is blocked' } } },
    answer: { status: 200, schema: 'TestFailure', examples: { blocked: { refund_id: 'refund-1001' } } },
    errors: ['NOT_FOUND', 'REFUND_NOT_FOUND'],
  },
  [`POST ${HELPERS}/networks/{network}/mine`]: {
    id: 'testMine',
    tag: 'test',
    request: { schema: 'TestMine', examples: { three: { blocks: 3 } } },
    answer: { status: 200, schema: 'MinedBlocks', examples: { three: { blocks: 3, tip: 1207 } } },
    errors: ['NOT_FOUND'],
  },
  [`POST ${HELPERS}/networks/{network}/reorg`]: {
    id: 'testReorg',
    tag: 'test',
    request: { schema: 'TestReorg', examples: { two: { depth: 2 } } },
    answer: { status: 200, schema: 'ReplacedBlocks', examples: { two: { depth: 2 } } },
    errors: ['NOT_FOUND'],
  },
};
