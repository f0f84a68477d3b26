// The public status as JSON, and the metrics for Prometheus. The status is public within the rate limit of the public pages. The
// metrics require METRICS_TOKEN. Neither is part of the signed API.

import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { METRICS_TYPE, readMetrics } from '@/lib/installation/metrics/metrics';
import { isMetricsToken } from '@/lib/installation/metrics/token';
import { readStatus } from '@/lib/installation/status/read';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { checkPageRate } from './session-status';
import type { Services } from '@/lib/api/services';

const METRICS_OFF = 'Metrics are switched off: the operator has not set METRICS_TOKEN.';
const METRICS_CLOSED =
  'Metrics are shown only with the header Authorization: Bearer and the METRICS_TOKEN of this installation.';

/** GET /status.json: 200, or 429 when this address sends too many requests. */
export async function answerStatus(services: Services, address: string): Promise<ApiResponse> {
  try {
    await checkPageRate(services, address);
    return jsonResponse(200, JSON.stringify(await readStatus(services)));
  } catch (error) {
    return refuse(services, error);
  }
}

/** GET /metrics: 404 without METRICS_TOKEN in the settings, 401 without it in the request. */
export async function answerMetrics(services: Services, authorization: string | null): Promise<ApiResponse> {
  try {
    if (services.config.METRICS_TOKEN === undefined) throw new ServiceError('NOT_FOUND', { message: METRICS_OFF });
    if (!isMetricsToken(services.config, authorization))
      throw new ServiceError('invalid_api_key', { message: METRICS_CLOSED });
    const [own, pages] = await Promise.all([readMetrics(services), services.readPagesMetrics()]);
    const body = own + pages + services.requestTimes.text();
    return { status: 200, headers: { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' }, body };
  } catch (error) {
    return refuse(services, error);
  }
}

function refuse(services: Services, error: unknown): ApiResponse {
  const requestId = newRequestId();
  return errorResponse(services, toServiceError(services, error, requestId), requestId);
}
