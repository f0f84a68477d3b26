// The quick-start variant on the API: its create request, its own path to a session, and the errors that carry a `base` beside
// the ordinary envelope.

import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { jsonResponse, type ApiRequest } from '@/lib/platform/http';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { JsonObject } from '@/lib/platform/json/json';
import { createSession } from '@/lib/payments/sessions/create/create';
import type { Idempotency } from '@/lib/payments/sessions/create/statement';
import {
  inMinorUnits,
  isQuickStart,
  quickStartSchema,
  quickStartView,
  readChoice,
  type Choice,
} from '@/lib/payments/sessions/create/quick-start';
import { readSession } from '@/lib/payments/sessions/read';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';
import type { Handler } from '@/lib/api/handler';
import type { Services } from '@/lib/api/services';
import { checkBody, readFields } from '@/lib/api/validate';
import { hasVersion } from '@/lib/api/version';

/** The prefix of the quick-start paths; no other path begins with it. */
export const isQuickStartPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

/** Creates a session from a request of the variant and returns the response's JSON text. */
export function createQuickStart(
  services: Services,
  caller: Caller,
  body: JsonObject,
  idempotency: Idempotency | null,
): Promise<string> {
  const fields = checkBody(body, quickStartSchema);
  const request = checkBody(inMinorUnits(body), createSessionSchema);
  const choice = readChoice(fields, request.currency, { ...caller.key, config: services.config });
  return createSession(services, withSettlementToken(caller, choice), request, {
    idempotency,
    network: choice.network ?? undefined,
    view: quickStartView,
  });
}

/** GET /v1/payment/sessions/{session_id}/ */
export const readQuickStartRoute: Handler = async ({ services, caller, params }) => {
  const session = await readSession(services, caller, params.session_id as string);
  return jsonResponse(200, JSON.stringify(quickStartView(session, services.config.PUBLIC_URL)));
};

/** The body of an unauthenticated caller is parsed only up to this size, so that it costs next to nothing. */
const STRANGERS_BODY = 8 * 1024;

/** Whether an error carries `base`. `isCreate`: the path accepts both shapes, and the body decides which one this is. */
export function isQuickStartRequest(
  request: ApiRequest,
  { isCreate, isSignedIn }: { isCreate: boolean; isSignedIn: boolean },
): boolean {
  const { path, body } = request;
  if (isQuickStartPath(path)) return true;
  if (!isCreate || (!isSignedIn && body.length > STRANGERS_BODY)) return false;
  try {
    return isQuickStart(readFields(body), { hasVersion: hasVersion(request) });
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** For this one request, the store settles in the token that the request names, and offers only that token for dollars. */
const withSettlementToken = (caller: Caller, { token }: Choice): Caller =>
  token === null
    ? caller
    : { ...caller, original: caller, key: { ...caller.key, usdCurrencies: [token], settlementCurrency: token } };
