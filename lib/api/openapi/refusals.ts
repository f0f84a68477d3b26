// The error responses of an operation, by status, from the table of errors.

import type { Route } from '@/lib/api/routes';
import { ERROR_CODES, errorType, usualParam, type ErrorCode } from '@/lib/platform/errors/errors';
import { DASHBOARD_ERRORS } from '@/lib/platform/errors/dashboard-errors';
import words from '@/messages/docs/reference/en.json';
import { answerHeaders } from './parameters';
import type { Response } from './types';

const ALWAYS: readonly ErrorCode[] = [
  ...(Object.keys(ERROR_CODES) as ErrorCode[]).filter(
    (code) => ERROR_CODES[code].status === 401 && !Object.hasOwn(DASHBOARD_ERRORS, code),
  ),
  'INVALID_VERSION',
  // This also applies where the body is ignored: it must be empty or begin as a JSON object or list.
  'INVALID_JSON',
  'insufficient_scope',
  'store_not_active',
  'RATE_LIMITED',
  'internal_error',
  'SERVICE_UNAVAILABLE',
];
const OF_POST: readonly ErrorCode[] = ['request_too_large', 'unsupported_media_type'];
const OF_BODY: readonly ErrorCode[] = ['INVALID_PARAMETER'];

/** The codes that any request of this kind can return. */
export const sharedErrors = ({ method }: Pick<Route, 'method'>, hasBody: boolean): ErrorCode[] => [
  ...(hasBody ? OF_BODY : []),
  ...(method === 'POST' ? OF_POST : []),
  ...ALWAYS,
];

/** A response for every status among these codes: a description of its codes, and an example of each. */
export function errorResponses(codes: readonly ErrorCode[], publicUrl: string): Record<string, Response> {
  const statuses = [...new Set(codes.map((code) => ERROR_CODES[code].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = [...new Set(codes.filter((code) => ERROR_CODES[code].status === status))];
      return [String(status), response(own, publicUrl)];
    }),
  );
}

function response(codes: readonly ErrorCode[], publicUrl: string): Response {
  const isBusy = codes.some((code) => [429, 503].includes(ERROR_CODES[code].status));
  return {
    description: codes.join(', '),
    headers: {
      ...answerHeaders(),
      ...(isBusy && { 'Retry-After': { description: words.retryAfter, schema: { type: 'integer', minimum: 1 } } }),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code, publicUrl) }])),
      },
    },
  };
}

/** The error envelope of this installation for a code. */
export function errorExample(code: ErrorCode, publicUrl: string) {
  const { message } = ERROR_CODES[code];
  const param = usualParam(code);
  return {
    error: {
      type: errorType(code),
      code,
      message,
      ...(param === null ? {} : { param }),
      doc_url: `${publicUrl}/docs/errors/${code}`,
    },
    request_id: 'req_7Zc2VbqTn4Wm1XkPdR8sLa',
    timestamp: 1_700_000_000,
  };
}
