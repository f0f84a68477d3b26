// What the resources' requests have in common: names in paths, and creating with an idempotency key.

import type { CallOptions } from './options';
import type { Call } from './transport';

/** Fields that may be left out, or given as undefined. */
export type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export type CreateOptions = CallOptions & {
  /** 1 to 255 printable ASCII characters. Yours survives a crash of your program; one that is made for the call does not. */
  readonly idempotencyKey?: string | undefined;
};

/** @internal A POST that creates something once, however often it arrives. Throws TypeError when the key cannot be a header. */
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
 * @internal An id as one segment of a path. Throws TypeError for text that would lead elsewhere: paths are not part of the signature,
 * and an empty segment or one of dots means another path.
 */
export function segment(id: string, name: string): string {
  if (typeof id !== 'string' || /^(\.{0,2})$/.test(id)) throw new TypeError(`${name} must be the id, a text.`);
  return encodeURIComponent(id);
}
