// The headers of a signed request as the OpenAPI document tells of them.

import words from '@/messages/docs/reference/en.json';
import type { JsonSchema } from './json-schema';
import type { Operation } from './operations';
import type { Parameter, Reference } from './types';

type Header = { readonly name: keyof typeof words.headers; readonly required: boolean; readonly schema: JsonSchema };

/** The patterns say what lib/auth/request-signature.ts checks; a test tries both on the same values. */
const HEADERS = {
  Timestamp: { name: 'X-Service-Timestamp', required: true, schema: { type: 'string', pattern: '^[0-9]{10}$' } },
  Nonce: { name: 'X-Service-Nonce', required: true, schema: { type: 'string', pattern: '^[!-\\-/-~]{1,255}$' } },
  Signature: {
    name: 'X-Service-Signature',
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  },
  Version: {
    name: 'Service-Version',
    required: false,
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    required: false,
    schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  },
} as const satisfies Readonly<Record<string, Header>>;

/** What stands under components/parameters. */
export const headerParameters = (): Record<string, Parameter> =>
  Object.fromEntries(
    Object.entries(HEADERS).map(([key, { name, required, schema }]) => [
      key,
      { name, in: 'header', required, description: words.headers[name], schema },
    ]),
  );

/** The headers of one operation. */
export const parameterRefs = ({ takesIdempotencyKey }: Operation): Reference[] =>
  (['Timestamp', 'Nonce', 'Signature', 'Version', ...(takesIdempotencyKey ? ['IdempotencyKey'] : [])] as const).map(
    (key) => ({
      $ref: `#/components/parameters/${key}`,
    }),
  );

/** The headers of every answer. */
export const answerHeaders = () => ({
  'X-Request-Id': { description: words.headers['X-Request-Id'], schema: { type: 'string' } },
  'Service-Version': { description: words.appliedVersion, schema: { type: 'string' } },
  'RateLimit-Policy': { description: words.rateLimitPolicy, schema: { type: 'string' } },
  RateLimit: { description: words.rateLimit, schema: { type: 'string' } },
});
