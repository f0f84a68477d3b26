// The table of the operations that need no signature of a merchant and no page. The direct adapter answers them itself, and so do
// the route files below app/ that Next runs without it. Each applies its own limits.

import type { ApiResponse } from '@/lib/platform/http';
import { REPORT_PATH } from '@/lib/platform/security/page-policy';
import { answerCron } from '@/lib/api/cron';
import { answerOpenApi } from '@/lib/api/openapi/serve';
import { matchPath, withoutLastSlash } from '@/lib/api/routes';
import type { Services } from '@/lib/api/services';
import { answerHealth, answerLive, answerReady } from './health';
import { answerPolicyReport } from './policy-report';
import { answerReservesKeys } from './reserves-keys';
import { answerPublicStatus } from './session-status';
import { answerMetrics, answerStatus } from './status';

type PublicRequest = {
  readonly method: string;
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
  readonly authorization: string | null;
  readonly contentType: string;
  /** Null if the body is larger than LARGEST_BODY. */
  readonly readBody: () => Promise<Uint8Array | null>;
};

export type PublicOperation = {
  readonly path: string;
  /** `any`: the operation itself refuses the methods that it does not accept. */
  readonly method: 'GET' | 'any';
  readonly handle: (services: Services, request: PublicRequest) => Promise<ApiResponse> | ApiResponse;
};

export type PublicMatch = {
  readonly operation: PublicOperation;
  readonly params: Readonly<Record<string, string>>;
};

export const PUBLIC_OPERATIONS: readonly PublicOperation[] = [
  {
    path: '/pay/{session_id}/status',
    method: 'GET',
    handle: (services, { params, address }) => answerPublicStatus(services, params.session_id as string, address),
  },
  { path: '/health', method: 'any', handle: answerHealth },
  { path: '/livez', method: 'any', handle: answerLive },
  { path: '/readyz', method: 'any', handle: answerReady },
  // Monitoring machines request it every few seconds.
  { path: '/metrics', method: 'GET', handle: (services, { authorization }) => answerMetrics(services, authorization) },
  { path: '/status.json', method: 'GET', handle: (services, { address }) => answerStatus(services, address) },
  {
    path: '/reserves-keys.json',
    method: 'GET',
    handle: (services, { address }) => answerReservesKeys(services, address),
  },
  { path: '/openapi.json', method: 'GET', handle: (services, { address }) => answerOpenApi(services, address) },
  { path: REPORT_PATH, method: 'any', handle: answerPolicyReport },
  { path: '/api/cron', method: 'any', handle: answerCron },
];

const BY_PATH = new Map(PUBLIC_OPERATIONS.map((operation) => [operation.path, operation]));
const WITH_PARAMETERS = PUBLIC_OPERATIONS.filter(({ path }) => path.includes('{'));

/** The operation of a path of the table, as a route file names it. Throws for any other path. */
export function publicOperationOf(path: string): PublicOperation {
  const found = BY_PATH.get(path);
  if (!found) throw new Error(`lib/api/public/operations.ts has no operation at ${path}`);
  return found;
}

/** The public operation of a request; null for a page, a file and the signed API. */
export function findPublicOperation(method: string, sentPath: string): PublicMatch | null {
  const path = withoutLastSlash(sentPath);
  const literal = BY_PATH.get(path);
  if (literal && !literal.path.includes('{'))
    return accepts(literal, method) ? { operation: literal, params: {} } : null;
  for (const operation of WITH_PARAMETERS) {
    const params = matchPath(operation.path, path);
    if (params) return accepts(operation, method) ? { operation, params } : null;
  }
  return null;
}

const accepts = (operation: PublicOperation, method: string): boolean =>
  operation.method === 'any' || operation.method === method;
