// Checks a body against a schema whose messages are error codes. The error names the first invalid parameter.

import type { z } from 'zod';
import { ERROR_CODES, ServiceError, type ErrorCode } from '@/lib/platform/errors/errors';
import { JsonError, JsonNumber, parseJsonObject, type JsonObject, type JsonValue } from '@/lib/platform/json/json';

/** Reads the body of a signed request and checks it. Throws ServiceError: INVALID_JSON, or the code of the broken rule. */
export const readApiBody = <Schema extends z.ZodType>(bytes: Uint8Array, schema: Schema): z.output<Schema> =>
  checkBody(readFields(bytes), schema);

/** The fields of a signed request's body. A null field counts as absent. Throws INVALID_JSON. */
export const readFields = (bytes: Uint8Array): JsonObject => withoutNulls(readObject(bytes));

/** Fields that are returned as the merchant sent them, including their nulls. */
const KEPT_AS_SENT = new Set(['metadata', 'line_items']);

const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, isObject(value) && !KEPT_AS_SENT.has(name) ? withoutNulls(value) : value]),
  );

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** Reads a JSON object from bytes and checks it. Throws ServiceError: INVALID_JSON, or the code of the broken rule. */
export const readBody = <Schema extends z.ZodType>(bytes: Uint8Array, schema: Schema): z.output<Schema> =>
  checkBody(readObject(bytes), schema);

/** Checks a value that was read before. Throws ServiceError with the code of the broken rule. */
export function checkBody<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const code = issue && issue.message in ERROR_CODES ? (issue.message as ErrorCode) : 'INVALID_PARAMETER';
  const param = parameterName(issue?.path ?? []);
  throw new ServiceError(code, param === '' ? {} : { param, message: `${param}: ${ERROR_CODES[code].message}` });
}

/** Reads a JSON object from bytes. Throws INVALID_JSON. */
function readObject(bytes: Uint8Array): JsonObject {
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    if (error instanceof JsonError)
      throw new ServiceError('INVALID_JSON', { message: `The body is not acceptable JSON: ${error.message}.` });
    throw error;
  }
}

/** `line_items[0].price_data.unit_amount`. A merchant's own metadata keys are truncated so that a response stays small. */
const parameterName = (path: readonly PropertyKey[]): string =>
  path
    .map((part, n) => (typeof part === 'number' ? `[${part}]` : `${n > 0 ? '.' : ''}${String(part).slice(0, 60)}`))
    .join('');
