// The exports of a route file: `export const { GET, POST, … } = endpoint('/api/v1/…')`. The file's folder is the endpoint, and the
// table of lib/api/routes.ts has its operations. A test compares both. Every method is exported, because Next would answer the
// others itself, without the API's error envelope.

import { answerPublicWeb, answerWeb } from './next-adapter';
import { publicOperationOf } from '@/lib/api/public/operations';
import { endpointOf } from '@/lib/api/routes';
import { services } from '@/lib/api/services';

type Handle = (request: Request) => Promise<Response>;
type Methods = Record<'DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'POST' | 'PUT', Handle>;

const everyMethod = (handle: Handle): Methods => ({
  DELETE: handle,
  GET: handle,
  HEAD: handle,
  OPTIONS: handle,
  PATCH: handle,
  POST: handle,
  PUT: handle,
});

/** The handlers of one path of the signed API. `path`: as in the table, without a last slash. */
export function endpoint(path: string): Methods {
  const found = endpointOf(path);
  return everyMethod((request) => answerWeb(services(), request, found));
}

/** The handlers of all paths that have no route file: NOT_FOUND in the API's error envelope. */
export const noEndpoint = (): Methods => everyMethod((request) => answerWeb(services(), request, null));

/** The handler of a path of lib/api/public/operations.ts. A file exports only the methods that the operation accepts. */
export function publicEndpoint(path: string): Methods {
  const operation = publicOperationOf(path);
  return everyMethod((request) => answerPublicWeb(services(), request, operation));
}
