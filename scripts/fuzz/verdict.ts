// The faults of a response: against the document, against the rules for all responses, and against the request's
// signature. An empty list is a correct response.

import type { Api, Operation } from './document';
import type { Plan } from './plan';
import type { Answered } from './send';

/** The code with which the service must reject each kind of wrong signature. */
const REFUSALS: Readonly<Record<Exclude<Plan['signing'], 'right'>, RegExp>> = {
  signature: /^invalid_signature$/,
  nonce: /^invalid_nonce$/,
  time: /^(invalid_timestamp|timestamp_out_of_range)$/,
  missing: /^missing_header$/,
  key: /^invalid_api_key$/,
  replay: /^nonce_reused$/,
};
/** The one allowed failure of the service, where the document lists it. */
const MAY_FAIL = 'EXCHANGE_RATE_UNAVAILABLE';

export type Context = { readonly api: Api; readonly secrets: readonly string[] };

/** Sentences that describe the faults. */
export function faultsOf({ api, secrets }: Context, plan: Plan, { status, headers, text }: Answered): string[] {
  const faults: string[] = [];
  const header = (name: string) => String(headers[name] ?? '');
  if (secrets.some((secret) => text.includes(secret))) faults.push('the answer holds a secret');
  if (/\n\s+at .*:\d+:\d+/.test(text)) faults.push('the answer holds a stack trace');
  // Paths outside the API belong to the pages, which may answer in any way.
  if (header('x-page') !== '') return faults;
  if (!header('content-type').startsWith('application/json'))
    return [...faults, `Content-Type is ${header('content-type')}`];
  if (header('cache-control') !== 'no-store') faults.push('the answer may be cached');
  if (header('x-content-type-options') !== 'nosniff' && status !== 413) faults.push('the answer may be sniffed');
  if (!/^req_[0-9A-Za-z]{22}$/.test(header('x-request-id'))) faults.push(`X-Request-Id is ${header('x-request-id')}`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(header('service-version'))) faults.push('Service-Version is missing');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [...faults, 'the body is no JSON'];
  }
  if (status >= 400) faults.push(...refusalFaults(api, body, header('x-request-id')));
  const code = (body as { error?: { code?: string } } | null)?.error?.code ?? '';
  if (status >= 500 && code !== MAY_FAIL) faults.push(`the service failed with ${status} ${code}`);
  if (status === 429 || status === 503)
    if (!/^[1-9]\d*$/.test(header('retry-after'))) faults.push('Retry-After is missing');

  const found = api.find(plan.method, plan.path);
  // The service rejects an oversized body before it routes the request.
  if (found === null)
    return status === 404 || status === 413 || isOfPages(plan, status, header('allow'))
      ? faults
      : [...faults, `${status} at a path that is not described`];
  if (Array.isArray(found)) {
    const allow = header('allow').split(', ').toSorted().join();
    if (status === 413) return faults;
    if (status !== 405 || allow !== (found as string[]).toSorted().join())
      faults.push(`${status} with Allow ${allow} for a method that is not described`);
    return faults;
  }
  return [...faults, ...operationFaults(found as Operation, plan, { status, code, body })];
}

/** Paths outside the API have pages or nothing: they take GET and HEAD only. */
const isOfPages = ({ method, path }: Plan, status: number, allow: string): boolean =>
  status === 405 && allow === 'GET, HEAD' && !['GET', 'HEAD'].includes(method) && !/^\/(api|v1)(\/|$)/i.test(path);

function operationFaults(
  operation: Operation,
  { signing }: Plan,
  { status, code, body }: { status: number; code: string; body: unknown },
): string[] {
  const described = operation.responses.get(status);
  if (!described) return [`${status} ${code} is not described for ${operation.id}`];
  const faults = described.faults(body);
  if (status >= 400 && !described.codes.includes(code))
    faults.push(`the code ${code} is not described for ${operation.id}`);
  if (status === 413) return faults;
  if (signing === 'right' ? status === 401 : status !== 401 || !REFUSALS[signing].test(code))
    faults.push(`signed with ${signing}, answered ${status} ${code}`);
  return faults;
}

function refusalFaults(api: Api, body: unknown, requestId: string): string[] {
  const faults = api.errorFaults(body);
  const { error, request_id: id } = body as { error?: { code?: string; doc_url?: string }; request_id?: string };
  if (id !== requestId) faults.push('request_id and X-Request-Id differ');
  if (!error?.doc_url?.endsWith(`/docs/errors/${error.code}`)) faults.push('doc_url is about something else');
  return faults;
}
