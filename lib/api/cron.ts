// GET or POST /api/cron makes one bounded run of the worker's steps. Runs may overlap with each other and with a worker, because
// every step leases its work in the database.

import type { Config } from '@/lib/platform/config/config';
import { logChanges } from '@/lib/platform/database/changes';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { runOnce } from '@/lib/worker/run-once';
import { sameBytes, sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { errorResponse } from './answer';
import { MethodNotAllowed } from './routes';
import type { Services } from './services';

/** Some hosts' schedulers can only send GET. HEAD is excluded: probes send it, and they must not start a run. */
const METHODS = ['GET', 'POST'];

type CronRequest = { readonly method: string; readonly authorization: string | null };

/**
 * Responds with the result of each step: 200 when all succeeded, 500 when one failed, because schedulers check the status only.
 * The path does not exist while CRON_SECRET is not set.
 */
export async function answerCron(services: Services, request: CronRequest): Promise<ApiResponse> {
  const refusal = refusalOf(services, request);
  if (refusal) return errorResponse(services, refusal, newRequestId());
  const steps = await runOnce({ ...services, pool: workerPool(services) });
  return jsonResponse(steps.some(({ failed }) => failed) ? 500 : 200, JSON.stringify({ steps }));
}

/** A run executes two steps at a time. The refund steps use a few connections at once. */
const CONNECTIONS = 10;
const pools = new WeakMap<Config, Pool>();

/** The worker's role may write what the web process may not. Without a database URL of its own, the installation has one role. */
function workerPool({ config, pool, log }: Services): Pool {
  if (config.WORKER_DATABASE_URL === undefined) return pool;
  const opened = pools.get(config) ?? openPool(config.WORKER_DATABASE_URL, CONNECTIONS, config);
  pools.set(config, opened);
  logChanges(opened, log);
  return opened;
}

function refusalOf({ config }: Services, { method, authorization }: CronRequest): ServiceError | null {
  const secret = config.CRON_SECRET;
  if (secret === undefined) return new ServiceError('NOT_FOUND');
  if (!METHODS.includes(method)) return new MethodNotAllowed(METHODS);
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
  return sameBytes(sha256(given), sha256(secret)) ? null : new ServiceError('invalid_api_key');
}
