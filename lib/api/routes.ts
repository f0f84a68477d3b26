// The API's table of method and path to handler. Both HTTP adapters and the OpenAPI document read it.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import { ServiceError } from '@/lib/platform/errors/errors';
import { decideExceptionRoute, listExceptionsRoute, readExceptionRoute } from './operations/exception-routes';
import { findPaymentRoute } from './operations/find-route';
import type { Handler } from './handler';
import { listEventsRoute, listSessionsRoute } from './operations/list-routes';
import { listenEventsRoute } from './operations/listen-route';
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
  /** An alternative scope. The handler decides what each of the two can access. */
  readonly orScope?: Scope;
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
    orScope: 'refunds:read',
    handle: listEventsRoute,
  },
  // The handler waits for events and takes no place from requests that are processed.
  {
    method: 'GET',
    path: '/api/v1/events/listen',
    scope: 'sessions:read',
    orScope: 'refunds:read',
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

type Segments = readonly string[];
const TABLE = ROUTES.map((route) => ({ route, segments: withoutLastSlash(route.path).split('/') }));

/** Whether a path belongs to the signed API, with or without a route. The pages' own requests are handled by Next. */
export const isApiPath = (path: string): boolean =>
  path === '/api' || (path.startsWith('/api/') && !isPagesApiPath(path)) || isQuickStartPath(path);

const isPagesApiPath = (path: string): boolean => /^\/api\/(auth|dashboard)(\/|$)/.test(path);

/** Whether the path accepts a create request, whose body decides which of two shapes it has. */
export const isCreatePath = (path: string): boolean => path === `${SESSIONS}/create`;

/** The route of a request. Throws NOT_FOUND, or METHOD_NOT_ALLOWED with the methods that the path accepts. */
export function findRoute(method: string, path: string): { route: Route; params: Record<string, string> } {
  const segments = path.split('/');
  const allowed: string[] = [];
  // A literal segment wins over a parameter, so POST …/create never reaches {session_id}.
  for (const one of TABLE) {
    const params = matchSegments(one.segments, segments);
    if (!params) continue;
    if (one.route.method === method) return { route: one.route, params };
    allowed.push(one.route.method);
    if (!one.route.path.includes('{')) break;
  }
  if (allowed.length === 0) throw new ServiceError('NOT_FOUND');
  throw new MethodNotAllowed([...new Set(allowed)]);
}

export class MethodNotAllowed extends ServiceError {
  readonly allow: string;
  constructor(methods: readonly string[]) {
    super('METHOD_NOT_ALLOWED');
    this.allow = methods.join(', ');
  }
}

function matchSegments(pattern: Segments, given: Segments): Record<string, string> | null {
  if (pattern.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [n, expected] of pattern.entries()) {
    const found = given[n] as string;
    if (!expected.startsWith('{')) {
      if (expected !== found) return null;
      continue;
    }
    const value = decoded(found);
    if (value === null || value === '') return null;
    params[expected.slice(1, -1)] = value;
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
