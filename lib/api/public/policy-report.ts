// POST /csp-report: browsers report violations of the pages' Content-Security-Policy. Each is counted as a security event by kind
// of page and directive. Any client can send a report, so a flood costs memory counters of fixed size and no SQL statement.

import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { readViolations } from '@/lib/platform/security/policy-report';
import { noteSecurity } from '@/lib/platform/security/events';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { takeReportToken } from '@/lib/api/limits/limits';
import { MethodNotAllowed } from '@/lib/api/routes';
import type { Services } from '@/lib/api/services';

type Sent = {
  readonly method: string;
  readonly address: string;
  readonly contentType: string;
  /** Null if the body is larger than LARGEST_BODY, which holds about forty reports. */
  readonly readBody: () => Promise<Uint8Array | null>;
};

/** 204 for a report. Never throws. */
export async function answerPolicyReport(services: Services, sent: Sent): Promise<ApiResponse> {
  try {
    if (sent.method !== 'POST') throw new MethodNotAllowed(['POST']);
    takeReportToken(services, sent.address);
    const body = await sent.readBody();
    if (body === null) throw new ServiceError('request_too_large');
    const violations = readViolations(sent.contentType, body);
    if (violations === null) throw new ServiceError('unsupported_media_type', { message: NO_REPORT });
    for (const { page, directive } of violations)
      noteSecurity(services, { kind: 'policy_violated', policy: `${page} ${directive}` });
    return { status: 204, headers: { 'Cache-Control': 'no-store' }, body: '' };
  } catch (error) {
    const requestId = newRequestId();
    return errorResponse(services, toServiceError(services, error, requestId), requestId);
  }
}

const NO_REPORT = 'The body must be a report as application/reports+json or application/csp-report.';
