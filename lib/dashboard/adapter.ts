// Answers one request of the dashboard's pages. It checks the origin, finds the route, identifies and authorizes the user,
// validates the body and calls the route's handler. The only catch: every error becomes the API's error envelope.

import { signedInUser } from '@/lib/merchants/accounts/sign-in/cookie';
import { requestSource } from '@/lib/merchants/accounts/request-source';
import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import { checkOrigin, checkReader } from '@/lib/merchants/accounts/origin';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { readBody } from '@/lib/api/validate';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiRequest, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { authorize, type Actor } from './authorize';
import { matchRoute } from './match';
import { noteRefusal } from './note-refusal';
import type { Call, DashboardRoute } from './route';

/** Never throws. `table`: the routes. */
export async function answerDashboard(
  context: Context,
  request: ApiRequest,
  table: readonly DashboardRoute[],
): Promise<ApiResponse | Response> {
  const requestId = newRequestId();
  let who: Who | null = null;
  try {
    const { route, params } = matchRoute(table, request.method, request.path);
    const header = (name: string): string | null => request.header(name)[0] ?? null;
    if (route.method !== 'GET') {
      checkOrigin(context.config, header);
      checkMediaType(request);
    } else checkReader(header);
    if (route.access !== 'anyone') who = await signedInUser(context, header('cookie'));
    const actor = letIn(context, who, route, params);
    if (request.body.length > route.largestBody) throw new ServiceError('request_too_large');
    const from = requestSource(request.address, header('user-agent') ?? undefined);
    const body = route.body === null ? null : readBody(request.body, route.body);
    const call: Call<unknown, Actor | null> = {
      context,
      actor,
      params,
      query: new URLSearchParams(request.query),
      body,
      from,
    };
    const handled = await route.handle(call as Call<never, never>);
    if (handled instanceof Response) return handled;
    return jsonResponse(200, JSON.stringify(handled), { 'X-Request-Id': requestId });
  } catch (error) {
    const refusal = toServiceError(context, error, requestId);
    noteRefusal(context, refusal, { address: request.address, account: who?.userId });
    return errorResponse(context, refusal, requestId, { isForm: true });
  }
}

/** The authorized user; null for a route that is open to everyone. Throws. */
function letIn(
  context: Context,
  who: Who | null,
  { access, isInStore, stepUp }: DashboardRoute,
  params: Readonly<Record<string, string>>,
): Actor | null {
  if (access === 'anyone') return null;
  const { store_id: storeId, environment } = isInStore ? params : {};
  return authorize(context, who, { permission: access, storeId, environment, stepUp });
}

function checkMediaType(request: ApiRequest): void {
  const [type = '', ...others] = request.header('content-type');
  const isJson = others.length === 0 && /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type.trim());
  if (!isJson || request.header('content-encoding').length > 0) throw new ServiceError('unsupported_media_type');
}
