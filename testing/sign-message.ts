// A merchant's signature of version 2, written from RFC 9421 and RFC 9530 alone: it shares no code with the service.

import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { TestStore } from './fixtures';

export const COVERED = ['@method', '@path', '@query', 'content-digest'] as const;

/** A request to sign. `path` includes the query, as sent over the wire. */
export type Message = {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly created: number;
  readonly nonce?: string;
};
/** Changes to a correct signature. */
export type MessageChange = {
  readonly label?: string;
  /** The covered components as written, including quotation marks. */
  readonly components?: readonly string[];
  /** Parameters by name; null omits one. Values as written. */
  readonly parameters?: Readonly<Record<string, string | null>>;
  /** Follows the parameters. */
  readonly more?: string;
  readonly digest?: string;
};

/** RFC 9530: the Content-Digest of a body. */
export const contentDigest = (body: string): string =>
  `sha-256=:${createHash('sha256').update(body, 'utf8').digest('base64')}:`;

/** The headers of a signed request, without Content-Type. */
export function signMessage(
  { apiKey, apiSecret }: Pick<TestStore, 'apiKey' | 'apiSecret'>,
  { method, path, body = '', created, nonce = randomUUID() }: Message,
  {
    label = 'sig1',
    components = COVERED.map((name) => `"${name}"`),
    parameters,
    more = '',
    digest,
  }: MessageChange = {},
): Record<'Authorization' | 'Content-Digest' | 'Signature-Input' | 'Signature', string> {
  const given = {
    created: String(created),
    nonce: `"${nonce.replaceAll(/["\\]/g, '\\$&')}"`,
    keyid: `"${apiKey}"`,
    alg: '"hmac-sha256"',
    tag: '"stabletill-api"',
    ...parameters,
  };
  const listed = Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [`;${name}=${value}`]));
  const input = `(${components.join(' ')})${listed.join('')}${more}`;
  const [pathname = '', ...query] = path.split('?');
  const values: Readonly<Record<string, string>> = {
    '"@method"': method,
    '"@path"': pathname,
    '"@query"': `?${query.join('?')}`,
    '"content-digest"': digest ?? contentDigest(body),
  };
  const base = [...components.map((name) => `${name}: ${values[name] ?? ''}`), `"@signature-params": ${input}`].join(
    '\n',
  );
  return {
    Authorization: `Bearer ${apiKey}`,
    'Content-Digest': digest ?? contentDigest(body),
    'Signature-Input': `${label}=${input}`,
    Signature: `${label}=:${createHmac('sha256', apiSecret).update(base, 'utf8').digest('base64')}:`,
  };
}
