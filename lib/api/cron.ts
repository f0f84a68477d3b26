// GET or POST /api/cron runs one bounded pass of the worker's steps. Passes may overlap with each other and with a worker: every
// step claims its work in the database.

import type { Config } from '@/lib/platform/config/config';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { runOnce } from '@/lib/worker/pass';
import { sameBytes, sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { errorResponse } from './answer';
import { MethodNotAllowed, withoutLastSlash } from './routes';
import type { Services } from './services';

/** Some hosts' schedulers can only send GET. HEAD is not among them: probes send it, and it must not start a pass. */
const METHODS = ['GET', 'POST'];

export const isCronPath = (path: string): boolean => withoutLastSlash(path) === '/api/cron';

type CronRequest = { readonly method: string; readonly authorization: string | null };

/**
 * Answers what each step did: 200 when all of them worked, 500 when one failed, because schedulers look at the status only.
 * The path does not exist while CRON_SECRET is not set.
 */
export async function answerCron(services: Services, request: CronRequest): Promise<ApiResponse> {
  const refusal = refusalOf(services, request);
  if (refusal) return errorResponse(services, refusal, newRequestId());
  const steps = await runOnce({ ...services, pool: workerPool(services) });
  return jsonResponse(steps.some(({ failed }) => failed) ? 500 : 200, JSON.stringify({ steps }));
}

/** A pass runs two steps at a time; the steps of refunds use a few connections at once. */
const CONNECTIONS = 10;
const pools = new WeakMap<Config, Pool>();

/** The worker's role writes what the web process may not; without an address of its own the installation has one role. */
function workerPool({ config, pool }: Services): Pool {
  if (config.WORKER_DATABASE_URL === undefined) return pool;
  const opened = pools.get(config) ?? openPool(config.WORKER_DATABASE_URL, CONNECTIONS);
  pools.set(config, opened);
  return opened;
}

function refusalOf({ config }: Services, { method, authorization }: CronRequest): ServiceError | null {
  const secret = config.CRON_SECRET;
  if (secret === undefined) return new ServiceError('NOT_FOUND');
  if (!METHODS.includes(method)) return new MethodNotAllowed(METHODS);
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
  return sameBytes(sha256(given), sha256(secret)) ? null : new ServiceError('invalid_api_key');
}
