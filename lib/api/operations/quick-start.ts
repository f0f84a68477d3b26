// The quick-start variant on the API (decisions: Quick-start variant): its create, its own path to a session, and which
// refusals carry a `base` beside the ordinary envelope.

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

/** The paths of the quick-start flow; nothing else begins so. */
export const isQuickStartPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

/** Creates a session from a request that is the variant and returns the answer's JSON text. */
export function createQuickStart(
  services: Services,
  caller: Caller,
  body: JsonObject,
  idempotency: Idempotency | null,
): Promise<string> {
  const fields = checkBody(body, quickStartSchema);
  const request = checkBody(inMinorUnits(body), createSessionSchema);
  const choice = readChoice(fields, request.currency, { ...caller.key, config: services.config });
  return createSession(services, settlingIn(caller, choice), request, {
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

/** The body of a caller that is not authenticated is parsed only up to this size, so that it costs next to nothing. */
const STRANGERS_BODY = 8 * 1024;

/** Whether an error carries `base`. `isCreate`: the path takes both shapes, and the body tells which one this is. */
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

/** For this one request the store settles in, and offers for dollars, the token that the request names and no other. */
const settlingIn = (caller: Caller, { token }: Choice): Caller =>
  token === null
    ? caller
    : { ...caller, original: caller, key: { ...caller.key, usdCurrencies: [token], settlementCurrency: token } };
