// The three session endpoints: read the request, call one use case, return its result.

import { sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiRequest } from '@/lib/platform/http';
import type { JsonObject } from '@/lib/platform/json/json';
import { cancelSession } from '@/lib/payments/sessions/cancel';
import { createSession } from '@/lib/payments/sessions/create/create';
import type { Idempotency } from '@/lib/payments/sessions/create/statement';
import { isQuickStart } from '@/lib/payments/sessions/create/quick-start';
import { readSession } from '@/lib/payments/sessions/read';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';
import { canceledView } from '@/lib/payments/sessions/view';
import type { Handler } from '@/lib/api/handler';
import { createQuickStart } from './quick-start';
import { readSessionView } from './session-view';
import { checkBody, readFields } from '@/lib/api/validate';
import { hasVersion } from '@/lib/api/version';

/** POST /api/v1/checkout/sessions/create, in either of its two shapes. */
export const createSessionRoute: Handler = async ({ services, request, caller }) => {
  const idempotency = readIdempotency(request);
  const body = readCreateFields(request.body);
  if (isQuickStart(body, { hasVersion: hasVersion(request) }))
    return jsonResponse(200, await createQuickStart(services, caller, body, idempotency));
  const fields = checkBody(body, createSessionSchema);
  return jsonResponse(200, await createSession(services, caller, fields, { idempotency }));
};

/** GET /api/v1/checkout/sessions/{session_id} */
export const readSessionRoute: Handler = async ({ services, caller, params }) => {
  const session = await readSession(services, caller, params.session_id as string);
  return jsonResponse(200, JSON.stringify(readSessionView(session, services)));
};

/** POST /api/v1/checkout/sessions/{session_id}/cancel. Any body is ignored. */
export const cancelSessionRoute: Handler = async ({ services, caller, params }) => {
  const session = await cancelSession(services, caller, params.session_id as string);
  return jsonResponse(200, JSON.stringify(canceledView(session, services.config.PUBLIC_URL)));
};

/** The fields of a create request. An empty list of items counts as absent. Throws INVALID_JSON. */
function readCreateFields(bytes: Uint8Array): JsonObject {
  const { line_items: items, ...others } = readFields(bytes);
  return items === undefined || (Array.isArray(items) && items.length === 0)
    ? others
    : { ...others, line_items: items };
}

/** The optional Idempotency-Key, and what identifies the same request: its path and the bytes of its body. */
function readIdempotency(request: ApiRequest): Idempotency | null {
  const values = request.header('idempotency-key');
  if (values.length === 0) return null;
  const key = values[0] as string;
  if (values.length > 1 || !/^[ -~]{1,255}$/.test(key))
    throw new ServiceError('INVALID_PARAMETER', { param: 'Idempotency-Key' });
  return { key, requestHash: sha256(Buffer.concat([Buffer.from(`${request.path}\n`), request.body])) };
}
