// Answers one API request: selects the operation, authenticates and authorizes the caller, runs the handler, and converts every
// error into the one error envelope.

import type { MerchantKey } from '@/lib/merchants/api-keys/verify-key';
import { authenticate, authorize, identify } from '@/lib/merchants/api-keys/authenticate';
import { spendRefused, type Caller } from '@/lib/merchants/api-keys/nonces';
import { unixSeconds } from '@/lib/platform/clock';
import { isDatabaseAway } from '@/lib/platform/database/away';
import { sqlState } from '@/lib/platform/database/db';
import { ERROR_CODES, errorType, ServiceError, usualParam } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiRequest, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { tracing } from '@/lib/platform/tracing/tracing';
import { countObjective } from '@/lib/platform/metrics/objectives';
import { callerOf, type AdmissionCaller } from './limits/admission';
import { checkFailures, countFailure, recordSuccess, RateLimited, takeKeyToken } from './limits/limits';
import { isQuickStartPath, isQuickStartRequest } from './operations/quick-start';
import { logAccess, spanOf } from './access-log';
import { noteRefusal } from './refusal-events';
import {
  findEndpoint,
  isCreatePath,
  MethodNotAllowed,
  operationOf,
  withoutLastSlash,
  type EndpointMatch,
} from './routes';
import type { Services } from './services';
import { checkVersion, CURRENT_VERSION, VERSION_HEADER } from './version';

/** Seconds until the retry that a caller is offered when the database is not reachable. */
const RETRY_SECONDS = 2;

/** The metrics label for a path or method without a route. The sender must not choose label values. */
const NO_ROUTE = 'none';

/**
 * Never throws: every error becomes a response. `match`: the endpoint at the request's path, null if there is none. Next has found
 * it already, as a route file.
 */
export async function answer(
  services: Services,
  sent: ApiRequest,
  match: EndpointMatch | null = findEndpoint(withoutLastSlash(sent.path)),
): Promise<ApiResponse> {
  const request = { ...sent, path: withoutLastSlash(sent.path) };
  const started = performance.now();
  const requestId = newRequestId();
  const span = tracing()?.request(sent.header('traceparent')[0]);
  let template = NO_ROUTE;
  let limits: Record<string, string> = {};
  let caller: Caller | null = null;
  const admitted = callerOf(request.address, request.header('authorization')[0]);
  let isInside = false;
  const observed = (response: ApiResponse): ApiResponse => {
    const milliseconds = performance.now() - started;
    services.requestTimes.observe(template, response.status, milliseconds);
    countObjective('api', response.status < 500);
    logAccess(services.log, {
      requestId,
      method: request.method,
      route: template,
      caller,
      match,
      response,
      milliseconds,
    });
    span?.end(spanOf({ requestId, method: request.method, route: template, caller, match, response, milliseconds }));
    return withHeaders(response, { ...limits, 'X-Request-Id': requestId });
  };
  try {
    const route = operationOf(match?.endpoint ?? null, request.method);
    template = route.path;
    if (!route.waitsOutside) {
      services.admission.enter(admitted);
      isInside = true;
    }
    // Version 2 signs the path as it was sent, including a trailing slash.
    caller = { ...(await signIn(services, sent)), requestId, traceparent: span?.traceparent };
    limits = await takeKeyToken(services, caller.key.id, request.address);
    if (route.testOnly) checkTestOnly(services, caller.key.environment);
    authorize(caller, route.scope, route.orScopes);
    checkVersion(request);
    checkBodyForm(request);
    return observed(await route.handle({ services, request, caller, params: match?.params ?? {} }));
  } catch (error) {
    const refusal = await afterSpending(services, caller, toServiceError(services, error, requestId), requestId);
    if (caller !== null || error instanceof RateLimited)
      noteRefusal(services, refusal, { address: request.address, key: caller?.key ?? null });
    const isSignedIn = caller !== null;
    const hasBase = isQuickStartRequest(request, { isCreate: isCreatePath(request.path), isSignedIn });
    return observed(errorResponse(services, refusal, requestId, { hasBase }));
  } finally {
    if (isInside) services.admission.leave(admitted);
  }
}

/**
 * Refuses a request after its nonce is spent, so that its headers cannot be used for another one; nonce_reused if they were used
 * before. A request above its key's rate causes no database load, and a request that failed here may be sent again.
 */
async function afterSpending(
  services: Services,
  caller: Caller | null,
  refusal: ServiceError,
  requestId: string,
): Promise<ServiceError> {
  const { status } = ERROR_CODES[refusal.code];
  if (caller === null || status >= 500 || refusal instanceof RateLimited || refusal.code === 'nonce_reused')
    return refusal;
  try {
    await spendRefused(services, caller);
    return refusal;
  } catch (error) {
    return toServiceError(services, error, requestId);
  }
}

/** The 503 for a caller above its share of requests, before its body is read; null while there is room. */
export function refuseWhenFull(services: Services, path: string, caller: AdmissionCaller): ApiResponse | null {
  if (!services.admission.isFull(caller)) return null;
  const refusal = services.admission.refuse();
  services.requestTimes.observe(NO_ROUTE, ERROR_CODES[refusal.code].status, 0);
  countObjective('api', false);
  return errorResponse(services, refusal, newRequestId(), { hasBase: isQuickStartPath(path) });
}

/**
 * The envelope of an error. `hasBase` adds the `base` of the quick-start variant. `isForm` is for the dashboard, whose forms show
 * a message at the field that `param` names: there, only a field with an error is named.
 */
export function errorResponse(
  { clock, config }: Pick<Services, 'clock' | 'config'>,
  error: ServiceError,
  requestId: string,
  { hasBase = false, isForm = false }: { hasBase?: boolean; isForm?: boolean } = {},
): ApiResponse {
  const { status } = ERROR_CODES[error.code];
  const param = error.param ?? (isForm ? null : usualParam(error.code));
  const body = {
    ...(hasBase ? { base: { code: status, message: error.message } } : {}),
    error: {
      type: errorType(error.code),
      code: error.code,
      message: error.message,
      ...(param === null ? {} : { param }),
      doc_url: `${config.PUBLIC_URL}/docs/errors/${error.code}`,
    },
    request_id: requestId,
    timestamp: unixSeconds(clock.now()),
  };
  const headers: Record<string, string> = { 'X-Request-Id': requestId, [VERSION_HEADER]: CURRENT_VERSION };
  if (error instanceof MethodNotAllowed) headers.Allow = error.allow;
  if (error instanceof RateLimited) Object.assign(headers, error.headers);
  if (error.retryAfter !== null) headers['Retry-After'] = String(error.retryAfter);
  return jsonResponse(status, JSON.stringify(body), headers);
}

/** Returns a refusal that was thrown. Any other error is logged here and not disclosed. */
export function toServiceError({ log }: Pick<Services, 'log'>, error: unknown, requestId: string): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDatabaseAway(error, sqlState(error))) {
    log.error({ err: error, requestId }, 'the database cannot answer now');
    return new ServiceError('SERVICE_UNAVAILABLE', { retryAfter: RETRY_SECONDS });
  }
  log.error({ err: error, requestId }, 'a request failed unexpectedly');
  return new ServiceError('internal_error');
}

/**
 * Authenticates the caller. Throws the reason for a refusal. An address that fails too often is blocked for a while, except for
 * the keys that signed in from there before: other clients behind the same proxy or NAT cannot lock them out.
 */
async function signIn(services: Services, request: ApiRequest): Promise<Caller> {
  const { address } = request;
  const [authorization = ''] = request.header('authorization');
  const from = { address, authorization };
  checkFailures(services, from);
  let key: MerchantKey | null = null;
  try {
    key = await identify(request, services.findKey);
    const caller = authenticate(request, key, services);
    recordSuccess(services, from);
    services.noteUse(caller.key.id);
    return caller;
  } catch (error) {
    if (error instanceof ServiceError) {
      await countFailure(services, from, error.code);
      noteRefusal(services, error, { address, key });
    }
    throw error;
  }
}

/** Test helpers do not exist for live keys, nor outside of a sandbox. */
function checkTestOnly({ config }: Services, environment: string): void {
  if (environment !== 'test' || config.SANDBOX_ORIGIN === undefined) throw new ServiceError('NOT_FOUND');
}

/**
 * Throws unless the request has no body, or one that is plain JSON by its headers and its beginning. A body that does not begin
 * as a JSON object or list is refused on every path, also where the body is ignored. Otherwise part of a nonce could be read as a
 * body, and two requests could share one signature of version 1.
 */
function checkBodyForm(request: ApiRequest): void {
  if (request.body.length === 0) return;
  if (request.method !== 'GET') checkMediaType(request);
  if (!beginsAsJson(request.body)) throw new ServiceError('INVALID_JSON');
}

function checkMediaType(request: ApiRequest): void {
  if (request.header('content-encoding').length > 0)
    throw new ServiceError('unsupported_media_type', { param: 'Content-Encoding' });
  const [type = '', ...others] = request.header('content-type');
  if (others.length > 0 || !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type.trim()))
    throw new ServiceError('unsupported_media_type');
}

/** Whether the first byte after JSON's white space is `{` or `[`. */
function beginsAsJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  return first === 0x7b || first === 0x5b;
}

const withHeaders = (response: ApiResponse, headers: Record<string, string>): ApiResponse => ({
  ...response,
  headers: { ...response.headers, ...headers, [VERSION_HEADER]: CURRENT_VERSION },
});
