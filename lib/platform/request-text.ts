// How text in requests is checked: by length in characters and without invisible characters. Each rule names the code of its
// refusal and describes itself as JSON Schema for the OpenAPI document.

import { z } from 'zod';
import type { ErrorCode } from './errors/errors';

/** The code with which a rule refuses. */
export const refusal = (name: ErrorCode): { readonly error: ErrorCode } => ({ error: name });
export const PARAMETER = refusal('INVALID_PARAMETER');
/** Refuses a value that is missing, null or empty with a code of its own. */
export const required = (name: ErrorCode): { readonly error: (issue: { readonly input?: unknown }) => ErrorCode } => ({
  error: ({ input }) => (input === undefined || input === null || input === '' ? name : 'INVALID_PARAMETER'),
});
type Refusal = ReturnType<typeof refusal> | ReturnType<typeof required>;

/** C0 and C1 controls, DEL, and the controls that reverse the direction of text. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** The same, but text of several lines may hold tabs and line ends. */
const CONTROL_IN_PROSE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Whether text has a control character. NUL is one, and PostgreSQL cannot store it in text. */
const hasControls = (text: string): boolean => CONTROL.test(text);

/** Length in code points, as people count characters. */
const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};
/** The rules of `refine` as JSON Schema, which counts characters the same way. */
const without = (controls: RegExp): string => `^[^${controls.source.slice(1)}*$`;

/** Text of one line, `least` to `most` characters long. */
export const line = (least: number, most: number, otherwise: Refusal = PARAMETER) =>
  z
    .string(otherwise)
    .refine(
      (text) => text.length >= least && text.length <= 2 * most && characters(text) <= most && !CONTROL.test(text),
      otherwise,
    )
    .meta({ minLength: least, maxLength: most, pattern: without(CONTROL) });

/** Text of any number of lines, at most `most` characters long. */
export const prose = (most: number) =>
  z
    .string(PARAMETER)
    .refine((text) => text.length <= 2 * most && characters(text) <= most && !CONTROL_IN_PROSE.test(text), PARAMETER)
    .meta({ maxLength: most, pattern: without(CONTROL_IN_PROSE) });

/** Ids that cannot be read by path: dots denote folders, and `create` is a route. */
const UNREADABLE = new Set(['.', '..', 'create']);

/**
 * A merchant's own id of an object that is read by it, in Unicode's composed form, so that ids that look the same name the same object.
 * Leading and trailing spaces are refused, because they are invisible.
 */
export const merchantId = (otherwise: Refusal) =>
  line(1, 128, otherwise)
    .normalize('NFC')
    .refine((text) => text.trim() === text && !UNREADABLE.has(text), PARAMETER);

/** Such an id from a path, in stored form; null for text that cannot be one. */
export const merchantIdIn = (path: string): string | null => (hasControls(path) ? null : path.normalize('NFC'));

/** A merchant's own order id. */
export const orderId = line(1, 128);

/** Limits of a request's metadata: number of entries and length of their keys. */
export const METADATA = { keys: 50, key: 40 } as const;
