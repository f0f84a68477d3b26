// One line in the log for each request to the signed API: who asked for what, how it was answered and how long that took. It has the ids
// that lead to the lines of state changes, and never a secret, a body, a query or a path as it was sent. docs/operate/logs.md lists the fields.

import type { Caller } from '@/lib/merchants/api-keys/nonces';
import type { ApiResponse } from '@/lib/platform/http';
import type { Log } from '@/lib/platform/log';
import { traceIdOf } from '@/lib/platform/tracing/tracing';
import type { EndpointMatch } from './routes';

/** Longer than any id of ours. Merchants choose their own ids for refunds and payouts. */
const MAX_ID = 128;

type Access = {
  readonly requestId: string;
  readonly method: string;
  /** The template of its route. */
  readonly route: string;
  /** Null unless the signature was right. */
  readonly caller: Caller | null;
  readonly match: EndpointMatch | null;
  readonly response: ApiResponse;
  readonly milliseconds: number;
};

export const logAccess = (log: Log, access: Access): void => log.info(fieldsOf(access), 'request');

/** Ids in the path are named for callers with a right signature only: anyone else could write what they like into the log. */
function fieldsOf({ requestId, method, route, caller, match, response, milliseconds }: Access) {
  return {
    request_id: requestId,
    method: METHODS.has(method) ? method : 'other',
    route,
    status: response.status,
    ms: Math.round(milliseconds * 10) / 10,
    ...(caller && {
      store: caller.key.storeId,
      key: caller.key.id,
      environment: caller.key.environment,
      ...idsOf(match),
    }),
    ...(caller?.traceparent && { trace_id: traceIdOf(caller.traceparent) }),
  };
}

/** The same as the span of the request. */
export function spanOf(access: Access) {
  const fields = fieldsOf(access);
  return { name: `${fields.method} ${fields.route}`, attributes: fields, isError: fields.status >= 500 };
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** `session_id` is named as in the lines of changes. */
function idsOf(match: EndpointMatch | null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(match?.params ?? {}).map(([name, value]) => [
      name === 'session_id' ? 'session' : name,
      value.slice(0, MAX_ID),
    ]),
  );
}
