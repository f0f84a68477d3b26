// An independent check of lib/platform/json/json.ts. JSON.parse decides whether the text is JSON, and a scanner over
// its tokens decides whether it breaks our own rules. It shares no code with json.ts.

import { isUtf8 } from 'node:buffer';

/** Why an input must be rejected, or the value that it must give. Numbers are text that begins with NUMBER_MARK. */
export type Verdict = { readonly refused: string } | { readonly refused: null; readonly value: unknown };

/** No valid string contains this character: NUL is rejected, so a marked number cannot be a string. */
export const NUMBER_MARK = '\u0000';
const MAX_LEVELS = 16;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{}:,]|true|false|null/gs;

/** Decides on the bytes of a body. */
export function judge(bytes: Buffer): Verdict {
  if (!isUtf8(bytes)) return { refused: 'not UTF-8' };
  const text = bytes.toString('utf8');
  let plain: unknown;
  try {
    plain = JSON.parse(text);
  } catch {
    return { refused: text.startsWith('\ufeff') ? 'byte-order mark' : 'not JSON' };
  }
  if (plain === null || typeof plain !== 'object' || Array.isArray(plain)) return { refused: 'not an object' };
  const broken = brokenRule(text);
  if (broken !== null) return { refused: broken };
  // With every number as marked text, JSON.parse preserves the digits as written.
  const marked = text.replace(TOKEN, (token) => (/^[-\d]/.test(token) ? `"\\u0000${token}"` : token));
  return { refused: null, value: JSON.parse(marked) as unknown };
}

/** The rule that a JSON text breaks, or null. */
function brokenRule(text: string): string | null {
  /** One per open bracket: the keys so far, or null inside a list. */
  const open: (Set<string> | null)[] = [];
  let isKey = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null);
      if (open.length > MAX_LEVELS) return 'too deep';
      isKey = token === '{';
    } else if (token === '}' || token === ']') {
      open.pop();
      isKey = false;
    } else if (token === ',') {
      isKey = open.at(-1) instanceof Set;
    } else if (token === ':') {
      isKey = false;
    } else if (token.startsWith('"')) {
      const meant = JSON.parse(token) as string;
      if (meant.includes('\0')) return 'NUL';
      if (/\p{Surrogate}/u.test(meant)) return 'lone surrogate';
      if (!isKey) continue;
      if (meant === '__proto__') return 'prototype key';
      const keys = open.at(-1) as Set<string>;
      if (keys.has(meant)) return 'duplicate key';
      keys.add(meant);
    }
  }
  return null;
}

/** Whether a number is written plainly and a double holds it exactly. */
export const isPlainNumber = (text: string): boolean => {
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return false;
  const value = BigInt(text);
  return value <= 9007199254740991n && value >= -9007199254740991n;
};
