// Payment exceptions on the API: the same use cases as in the dashboard (lib/payments/exceptions), for the key's own store and
// environment. Those use cases define which decisions are allowed and what a repeated decision does.

import { z } from 'zod';
import { spendNonce, type Caller } from '@/lib/merchants/api-keys/nonces';
import { decide, LONGEST_NOTE } from '@/lib/payments/exceptions/decide';
import { listExceptions, readException, type ExceptionActor } from '@/lib/payments/exceptions/read';
import { EXCEPTION_ACTIONS, EXCEPTION_STATES } from '@/lib/payments/exceptions/states';
import { jsonResponse } from '@/lib/platform/http';
import { orderId, PARAMETER, prose } from '@/lib/platform/request-text';
import { exceptionView } from './exception-view';
import type { Handler } from '@/lib/api/handler';
import { badCursor, common, decodeCursor, encodeCursor, isCursorInteger, readQuery } from '@/lib/api/list-query';
import { readApiBody } from '@/lib/api/validate';

export const exceptionsQuerySchema = z.object({
  ...common,
  state: z.enum(EXCEPTION_STATES, PARAMETER).optional(),
  session_id: orderId.optional(),
});

export const decideSchema = z.object({
  action: z.enum(EXCEPTION_ACTIONS, PARAMETER),
  note: prose(LONGEST_NOTE).optional(),
});

/** GET /api/v1/payment_exceptions: newest first. */
export const listExceptionsRoute: Handler = async ({ services, request, caller }) => {
  const query = readQuery(request.query, exceptionsQuerySchema);
  const before = readExceptionCursor(query.cursor);
  await spendNonce(services.pool, caller);
  const found = await listExceptions(services, {
    by: userOf(caller),
    ...(query.state !== undefined && { state: query.state }),
    ...(query.session_id !== undefined && { sessionId: query.session_id }),
    ...(query.created_from !== undefined && { from: query.created_from }),
    ...(query.created_to !== undefined && { to: query.created_to }),
    ...(before !== null && { before }),
    // One more than the page holds, to detect the last page.
    limit: query.limit + 1,
  });
  const page = found.slice(0, query.limit);
  const last = found.length > query.limit ? page.at(-1) : undefined;
  const next_cursor = last === undefined ? null : exceptionCursor(last.id);
  return jsonResponse(
    200,
    JSON.stringify({ data: page.map((one) => exceptionView(one, services.config)), next_cursor }),
  );
};

/** GET /api/v1/payment_exceptions/{exception_id} */
export const readExceptionRoute: Handler = async ({ services, caller, params }) => {
  await spendNonce(services.pool, caller);
  const found = await readException(services, { caseId: params.exception_id as string, by: userOf(caller) });
  return jsonResponse(200, JSON.stringify(exceptionView(found, services.config)));
};

/** POST /api/v1/payment_exceptions/{exception_id}/decide. Repeating the same decision is a no-op with the same response. */
export const decideExceptionRoute: Handler = async ({ services, request, caller, params }) => {
  const { action, note = '' } = readApiBody(request.body, decideSchema);
  const decided = await decide(
    services,
    {
      caseId: params.exception_id as string,
      by: userOf(caller),
      address: request.address,
      begin: (tx) => spendNonce(tx, caller),
      ...(note.trim() !== '' && { note: note.trim() }),
    },
    action,
  );
  return jsonResponse(200, JSON.stringify(exceptionView(decided, services.config)));
};

const userOf = ({ key }: Caller): ExceptionActor => ({
  kind: 'key',
  keyId: key.id,
  storeId: key.storeId,
  environment: key.environment,
});

const EXCEPTIONS = 'x1';

const exceptionCursor = (id: string): string => encodeCursor(EXCEPTIONS, id);

/** Throws INVALID_PARAMETER for anything but a cursor of the exceptions' list. */
function readExceptionCursor(text: string | undefined): string | null {
  if (text === undefined) return null;
  const [kind, id, ...rest] = decodeCursor(text);
  if (kind !== EXCEPTIONS || !isCursorInteger(id) || rest.length > 0) throw badCursor();
  return id;
}
