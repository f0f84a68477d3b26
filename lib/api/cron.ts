// POST /api/cron: one bounded pass of the very steps that the worker runs in a loop. Two at once, or one beside a worker, do
// no harm: every step claims its work in the database.

import { runOnce } from '@/lib/worker/pass';
import { sameBytes, sha256 } from '@/lib/crypto';
import { ServiceError } from '@/lib/errors';
import { jsonResponse, type ApiResponse } from '@/lib/http';
import { newRequestId } from '@/lib/ids';
import { errorResponse } from './answer';
import type { Services } from './services';

/** Answers what each step did. Without CRON_SECRET in the settings the path does not exist. */
export async function answerCron(services: Services, authorization: string | null): Promise<ApiResponse> {
  const secret = services.config.CRON_SECRET;
  if (secret === undefined) return errorResponse(services, new ServiceError('NOT_FOUND'), newRequestId());
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
  if (!sameBytes(sha256(given), sha256(secret)))
    return errorResponse(services, new ServiceError('invalid_api_key'), newRequestId());
  return jsonResponse(200, JSON.stringify({ steps: await runOnce(services) }));
}
