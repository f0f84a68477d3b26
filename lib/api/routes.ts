// The API's table of method and path to operation. The direct adapter, the route files below app/ and the OpenAPI document
// read it.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import { ServiceError } from '@/lib/platform/errors/errors';
import { decideExceptionRoute, listExceptionsRoute, readExceptionRoute } from './operations/exception-routes';
import { findPaymentRoute } from './operations/find-route';
import type { Handler } from './handler';
import { listEventsRoute, listSessionsRoute } from './operations/list-routes';
import { listenEventsRoute } from './operations/listen-route';
import { cancelPayoutRoute, createPayoutRoute, listPayoutsRoute, readPayoutRoute } from './operations/payout-routes';
import { isQuickStartPath, readQuickStartRoute } from './operations/quick-start';
import { cancelRefundRoute, createRefundRoute, listRefundsRoute, readRefundRoute } from './operations/refund-routes';
import { cancelSessionRoute, createSessionRoute, readSessionRoute } from './operations/session-routes';
import {
  ageSessionRoute,
  expireSessionRoute,
  failRefundRoute,
  mineRoute,
  paySessionRoute,
  reorgRoute,
} from './operations/test-helper-routes';

export type Route = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly scope: Scope;
  /** Alternative scopes. The handler decides what each of them can access. */
  readonly orScopes?: readonly Scope[];
  /** Only with test keys, and only in a sandbox. */
  readonly testOnly?: true;
  /**
   * The handler waits for external systems, which have their own limits. It takes no place from requests that need the database
   * only.
   */
  readonly waitsOutside?: true;
  readonly handle: Handler;
};

const SESSIONS = '/api/v1/checkout/sessions';
const REFUNDS = '/api/v1/refunds';
const PAYOUTS = '/api/v1/payouts';
const EXCEPTIONS = '/api/v1/payment_exceptions';
const QUICK_START = '/v1/payment/sessions';
const HELPERS = '/api/v1/test_helpers';

export const ROUTES: readonly Route[] = [
  { method: 'POST', path: `${SESSIONS}/create`, scope: 'sessions:write', handle: createSessionRoute },
  { method: 'GET', path: SESSIONS, scope: 'sessions:read', handle: listSessionsRoute },
  {
    method: 'GET',
    path: '/api/v1/events',
    scope: 'sessions:read',
    orScopes: ['refunds:read', 'payouts:read'],
    handle: listEventsRoute,
  },
  // The handler waits for events and takes no place from requests that are processed.
  {
    method: 'GET',
    path: '/api/v1/events/listen',
    scope: 'sessions:read',
    orScopes: ['refunds:read', 'payouts:read'],
    waitsOutside: true,
    handle: listenEventsRoute,
  },
  { method: 'GET', path: `${SESSIONS}/{session_id}`, scope: 'sessions:read', handle: readSessionRoute },
  {
    method: 'GET',
    path: `${SESSIONS}/{session_id}/find`,
    scope: 'sessions:read',
    waitsOutside: true,
    handle: findPaymentRoute,
  },
  { method: 'POST', path: `${SESSIONS}/{session_id}/cancel`, scope: 'sessions:write', handle: cancelSessionRoute },
  { method: 'POST', path: `${REFUNDS}/create`, scope: 'refunds:write', handle: createRefundRoute },
  { method: 'GET', path: REFUNDS, scope: 'refunds:read', handle: listRefundsRoute },
  { method: 'GET', path: `${REFUNDS}/{refund_id}`, scope: 'refunds:read', handle: readRefundRoute },
  { method: 'POST', path: `${REFUNDS}/{refund_id}/cancel`, scope: 'refunds:write', handle: cancelRefundRoute },
  { method: 'POST', path: `${PAYOUTS}/create`, scope: 'payouts:write', handle: createPayoutRoute },
  { method: 'GET', path: PAYOUTS, scope: 'payouts:read', handle: listPayoutsRoute },
  { method: 'GET', path: `${PAYOUTS}/{payout_id}`, scope: 'payouts:read', handle: readPayoutRoute },
  { method: 'POST', path: `${PAYOUTS}/{payout_id}/cancel`, scope: 'payouts:write', handle: cancelPayoutRoute },
  { method: 'GET', path: EXCEPTIONS, scope: 'sessions:read', handle: listExceptionsRoute },
  { method: 'GET', path: `${EXCEPTIONS}/{exception_id}`, scope: 'sessions:read', handle: readExceptionRoute },
  // Every decision concerns money that was not counted. A developer may create keys without this scope only, and may make no
  // decision.
  { method: 'POST', path: `${EXCEPTIONS}/{exception_id}/decide`, scope: 'refunds:write', handle: decideExceptionRoute },
  { method: 'GET', path: `${QUICK_START}/{session_id}/`, scope: 'sessions:read', handle: readQuickStartRoute },
  {
    method: 'POST',
    path: `${HELPERS}/checkout/sessions/{session_id}/pay`,
    scope: 'sessions:write',
    testOnly: true,
    waitsOutside: true,
    handle: paySessionRoute,
  },
  {
    method: 'POST',
    path: `${HELPERS}/checkout/sessions/{session_id}/expire`,
    scope: 'sessions:write',
    testOnly: true,
    waitsOutside: true,
    handle: expireSessionRoute,
  },
  {
    method: 'POST',
    path: `${HELPERS}/checkout/sessions/{session_id}/age`,
    scope: 'sessions:write',
    testOnly: true,
    handle: ageSessionRoute,
  },
  {
    method: 'POST',
    path: `${HELPERS}/refunds/{refund_id}/fail`,
    scope: 'refunds:write',
    testOnly: true,
    handle: failRefundRoute,
  },
  {
    method: 'POST',
    path: `${HELPERS}/networks/{network}/mine`,
    scope: 'sessions:write',
    testOnly: true,
    waitsOutside: true,
    handle: mineRoute,
  },
  {
    method: 'POST',
    path: `${HELPERS}/networks/{network}/reorg`,
    scope: 'sessions:write',
    testOnly: true,
    waitsOutside: true,
    handle: reorgRoute,
  },
];

/** The normalized path: a trailing slash is ignored. A redirect would lose the request's signature and body. */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A path of the API with its operations by method. */
export type Endpoint = { readonly path: string; readonly operations: readonly Route[] };
export type EndpointMatch = { readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> };

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  ROUTES.map(({ path }) => [
    withoutLastSlash(path),
    { path: withoutLastSlash(path), operations: ROUTES.filter((route) => route.path === path) },
  ]),
);
const WITH_PARAMETERS = [...ENDPOINTS.values()].filter(({ path }) => path.includes('{'));

/** The endpoint of a path of the table, as a route file names it. Throws for any other path. */
export function endpointOf(path: string): Endpoint {
  const found = ENDPOINTS.get(path);
  if (!found) throw new Error(`lib/api/routes.ts has no operation at ${path}`);
  return found;
}

/** The endpoint at a request's path, without its last slash. A literal segment wins over a parameter, as in Next. */
export function findEndpoint(path: string): EndpointMatch | null {
  const literal = ENDPOINTS.get(path);
  if (literal && !literal.path.includes('{')) return { endpoint: literal, params: {} };
  for (const endpoint of WITH_PARAMETERS) {
    const params = matchPath(endpoint.path, path);
    if (params) return { endpoint, params };
  }
  return null;
}

/** The operation of a request. Throws NOT_FOUND, or METHOD_NOT_ALLOWED with the methods that the path accepts. */
export function operationOf(endpoint: Endpoint | null, method: string): Route {
  if (endpoint === null) throw new ServiceError('NOT_FOUND');
  const found = endpoint.operations.find((one) => one.method === method);
  if (!found) throw new MethodNotAllowed(endpoint.operations.map((one) => one.method));
  return found;
}

/**
 * Whether a path belongs to the signed API, with or without an operation. Next answers the pages' own requests. The cron run is a
 * public operation (public/operations.ts).
 */
export const isApiPath = (path: string): boolean =>
  path === '/api' || (path.startsWith('/api/') && !OTHER_API.test(path)) || isQuickStartPath(path);

const OTHER_API = /^\/api\/(?:(?:auth|dashboard)(?:\/|$)|cron\/?$)/;

/** Whether the path accepts a create request, whose body decides which of two shapes it has. */
export const isCreatePath = (path: string): boolean => path === `${SESSIONS}/create`;

export class MethodNotAllowed extends ServiceError {
  readonly allow: string;
  constructor(methods: readonly string[]) {
    super('METHOD_NOT_ALLOWED');
    this.allow = methods.join(', ');
  }
}

/** The parameters of a path, decoded; null if it does not match the pattern. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  if (expected.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [n, segment] of expected.entries()) {
    const found = given[n] as string;
    if (!segment.startsWith('{')) {
      if (segment !== found) return null;
      continue;
    }
    const value = decoded(found);
    if (value === null || value === '') return null;
    params[segment.slice(1, -1)] = value;
  }
  return params;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
