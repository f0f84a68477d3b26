// The headers of a signed request in the OpenAPI document.

import words from '@/messages/docs/reference/en.json';
import type { JsonSchema } from './json-schema';
import type { Operation } from './operations';
import type { Parameter, Reference } from './types';

type Header = { readonly name: keyof typeof words.headers; readonly isVersion1?: true; readonly schema: JsonSchema };

/**
 * `isVersion1`: not sent with signature version 2, so optional. The patterns state what
 * lib/merchants/api-keys/request-signature.ts checks; a test applies both to the same values.
 */
const HEADERS = {
  Timestamp: { name: 'X-Service-Timestamp', isVersion1: true, schema: { type: 'string', pattern: '^[0-9]{10}$' } },
  Nonce: { name: 'X-Service-Nonce', isVersion1: true, schema: { type: 'string', pattern: '^[!-Z\\\\-z|}~]{1,255}$' } },
  Signature: {
    name: 'X-Service-Signature',
    isVersion1: true,
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  },
  Version: {
    name: 'Service-Version',
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  },
} as const satisfies Readonly<Record<string, Header>>;

/** The entries under components/parameters. */
export const headerParameters = (): Record<string, Parameter> =>
  Object.fromEntries(
    Object.entries<Header>(HEADERS).map(([key, { name, isVersion1, schema }]) => {
      const description = `${words.headers[name]}${isVersion1 ? ` ${words.requiredInVersion1}` : ''}`;
      return [key, { name, in: 'header', required: false, description, schema }];
    }),
  );

/** The headers of one operation. */
export const parameterRefs = ({ takesIdempotencyKey }: Operation): Reference[] =>
  (['Timestamp', 'Nonce', 'Signature', 'Version', ...(takesIdempotencyKey ? ['IdempotencyKey'] : [])] as const).map(
    (key) => ({
      $ref: `#/components/parameters/${key}`,
    }),
  );

/** The headers of every response. */
export const answerHeaders = () => ({
  'X-Request-Id': { description: words.headers['X-Request-Id'], schema: { type: 'string' } },
  'Service-Version': { description: words.appliedVersion, schema: { type: 'string' } },
  'RateLimit-Policy': { description: words.rateLimitPolicy, schema: { type: 'string' } },
  RateLimit: { description: words.rateLimit, schema: { type: 'string' } },
});
