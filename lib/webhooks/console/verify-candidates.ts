// Common mistakes of a merchant's verifier: other bytes for the body, another string before the HMAC, another secret,
// another notation of the result. Each has a name and is tried when the documented way does not match.

import { createHmac } from 'node:crypto';

export type SecretName = 'present' | 'previous' | 'api' | 'other_environment' | 'other_environment_previous';
type BodyName =
  | 'raw'
  | 'compact'
  | 'sorted'
  | 'pretty'
  | 'pretty_tab'
  | 'with_newline'
  | 'without_newline'
  | 'crlf'
  | 'ascii_escaped'
  | 'slashes_escaped'
  | 'empty';
type FormName =
  | 'documented'
  | 'nonce_first'
  | 'no_nonce'
  | 'no_timestamp'
  | 'no_dots'
  | 'body_only'
  | 'colon_separated'
  | 'secret_without_prefix';
type NotationName = 'hex' | 'uppercase_hex' | 'base64' | 'base64url' | 'prefixed' | 'plain_sha1';

export type Match = {
  readonly secret: SecretName;
  readonly body: BodyName;
  readonly form: FormName;
  readonly notation: NotationName;
};

export type Pasted = {
  readonly signature: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: string;
};
export type NamedSecret = { readonly name: SecretName; readonly secret: string };

/**
 * The first combination that yields the pasted signature: the documented one first, then by the number of differences.
 * Null when none does. Computes at most a few thousand HMACs of one body.
 */
export function findMatch(pasted: Pasted, secrets: readonly NamedSecret[]): Match | null {
  const bodies = bodiesOf(pasted.body);
  let best: { match: Match; differences: number } | null = null;
  for (const { name, secret } of secrets) {
    for (const [bodyName, body] of bodies) {
      for (const [form, { key, text }] of formsOf(pasted, secret, body)) {
        const notation = notationOf(pasted.signature, key, text);
        if (notation === null) continue;
        const match: Match = { secret: name, body: bodyName, form, notation };
        const differences = differencesOf(match);
        if (best === null || differences < best.differences) best = { match, differences };
      }
    }
  }
  return best?.match ?? null;
}

const differencesOf = ({ secret, body, form, notation }: Match): number =>
  [secret !== 'present', body !== 'raw', form !== 'documented', notation !== 'hex'].filter(Boolean).length;

/** The distinct bodies, each under its first name. */
function bodiesOf(raw: string): Map<BodyName, string> {
  const bodies = new Map<BodyName, string>();
  const texts = new Set<string>();
  const add = (name: BodyName, text: string): void => {
    if (texts.has(text) || text.length > Math.max(SHORT, raw.length * MAX_GROWTH)) return;
    texts.add(text);
    bodies.set(name, text);
  };
  add('raw', raw);
  const parsed = parsedOf(raw);
  if (isShallow(parsed)) {
    const compact = JSON.stringify(parsed);
    add('compact', compact);
    add('sorted', JSON.stringify(sorted(parsed)));
    add('pretty', JSON.stringify(parsed, null, 2));
    add('pretty_tab', JSON.stringify(parsed, null, '\t'));
    add('ascii_escaped', escaped(compact));
    add('slashes_escaped', compact.replaceAll('/', '\\/'));
  }
  add('with_newline', `${raw}\n`);
  add('without_newline', raw.replace(/\r?\n$/, ''));
  add('crlf', raw.replace(/\r?\n/g, '\r\n'));
  add('empty', '');
  return bodies;
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** No event is nested deeper. A pasted text may be anything, and indenting a deep one would multiply its size. */
const MAX_LEVELS = 16;
/** No event grows by more than this in another notation, unless it is short. */
const MAX_GROWTH = 4;
const SHORT = 4096;

/** Also false for text that is not JSON. */
function isShallow(value: unknown, levels = MAX_LEVELS): boolean {
  if (value === undefined || levels === 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((one) => isShallow(one, levels - 1));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}

/** The escapes of Python's json.dumps for non-ASCII characters. */
const escaped = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

function formsOf(
  { timestamp, nonce }: Pasted,
  secret: string,
  body: string,
): Map<FormName, { key: string; text: string }> {
  const documented = `${timestamp}.${nonce}.${body}`;
  const texts: Record<Exclude<FormName, 'secret_without_prefix'>, string> = {
    documented,
    nonce_first: `${nonce}.${timestamp}.${body}`,
    no_nonce: `${timestamp}.${body}`,
    no_timestamp: `${nonce}.${body}`,
    no_dots: `${timestamp}${nonce}${body}`,
    body_only: body,
    colon_separated: `${timestamp}:${nonce}:${body}`,
  };
  const forms = new Map<FormName, { key: string; text: string }>();
  for (const [form, text] of Object.entries(texts)) forms.set(form as FormName, { key: secret, text });
  const bare = /^(?:whsec|as_live|as_test)_(.+)$/.exec(secret)?.[1];
  if (bare !== undefined) forms.set('secret_without_prefix', { key: bare, text: documented });
  return forms;
}

const SHA1_DIGITS = 40;

function notationOf(signature: string, key: string, text: string): NotationName | null {
  const mac = createHmac('sha256', key).update(text).digest();
  const hex = mac.toString('hex');
  if (signature === hex) return 'hex';
  if (signature === hex.toUpperCase()) return 'uppercase_hex';
  if (signature === mac.toString('base64')) return 'base64';
  if (signature === mac.toString('base64url')) return 'base64url';
  if (/^(?:sha256=|v1=|v1,|hmac-sha256=)/i.test(signature) && signature.toLowerCase().endsWith(hex)) return 'prefixed';
  if (signature.length !== SHA1_DIGITS) return null;
  return signature === createHmac('sha1', key).update(text).digest('hex') ? 'plain_sha1' : null;
}
