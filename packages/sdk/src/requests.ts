// Shared code of the resources' requests: path segments, and creation with an idempotency key.

import type { CallOptions } from './options';
import type { Call } from './transport';

/** Fields that may be omitted or undefined. */
export type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export type CreateOptions = CallOptions & {
  /** 1 to 255 printable ASCII characters. A key of your own survives a crash of your program; a generated one does not. */
  readonly idempotencyKey?: string | undefined;
};

/** @internal A POST that creates an object once, however often it arrives. Throws TypeError if the key cannot be a header value. */
export function creation(path: string, body: object, { idempotencyKey }: CreateOptions): Call {
  if (idempotencyKey !== undefined && !/^[!-~]([ -~]{0,253}[!-~])?$/.test(idempotencyKey)) {
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters, without spaces around them.');
  }
  return {
    method: 'POST',
    path,
    body,
    repeatable: 'always',
    idempotencyKey: idempotencyKey ?? crypto.randomUUID(),
  };
}

/**
 * @internal An id as one path segment. Throws TypeError for text that would change the path: version 1 signatures do not cover
 * paths, and an empty or dot segment leads elsewhere.
 */
export function segment(id: string, name: string): string {
  if (typeof id !== 'string' || /^(\.{0,2})$/.test(id)) throw new TypeError(`${name} must be the id, a text.`);
  return encodeURIComponent(id);
}
