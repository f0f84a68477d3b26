// Removes secrets and personal data from a text that leaves the installation. Two nets: the values that are known to be secret, and the
// shapes that secrets, addresses and mail addresses have. Pure.

/** A shorter value is no secret that was made for us, and would remove ordinary words. */
const LEAST_CHARACTERS = 6;
/** A part of a setting, such as the key in `1:KEY` or in the path of an endpoint. */
const LEAST_PART = 12;
/** Settings whose whole value or parts are secret, or personal. */
const SECRET_NAME = /KEY|SECRET|PASS|TOKEN|PIN|URL|PHRASE|MAIL|CONTACT|XPUB|ENDPOINT/i;

const MAIL = /[^\s"'<>@,:;()[\]]+@[^\s"'<>@,:;()[\]]+\.[a-z0-9-]+/gi;
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi, '[url]'],
  [MAIL, '[mail]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '[address]'],
  [/\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{0,4}/gi, '[address]'],
  // Hashes, addresses on a chain, ids with random bits, keys in hex, base58 or base64.
  [/(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{20,}={0,2}/g, '[removed]'],
];

/** Every secret value among the settings, and the parts that would still be one. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? withParts(value) : [],
  );
}

const withParts = (value: string): string[] => [
  value,
  ...value.split(/[\s,:;@/?&=|]+/).filter(({ length }) => length >= LEAST_PART),
  ...passwordsIn(value),
];

/** User and password of a URL, also where they are short. */
function passwordsIn(value: string): string[] {
  if (!URL.canParse(value)) return [];
  const { username, password } = new URL(value);
  return [password, decodeURIComponent(password), decodeURIComponent(username)];
}

/** Longest first: a value may contain another one. */
export function knownSecrets(values: readonly string[]): readonly string[] {
  const long = values.map((value) => value.trim()).filter(({ length }) => length >= LEAST_CHARACTERS);
  return [...new Set(long)].toSorted((one, other) => other.length - one.length);
}

/** For text of ours that names only what we put there: tables, states, numbers. */
export function withoutKnown(text: string, known: readonly string[]): string {
  let left = text;
  for (const value of known) left = left.replaceAll(value, '[removed]');
  return left.replaceAll(MAIL, '[mail]');
}

/** For text that others wrote: messages of errors, lines of logs. */
export function redact(text: string, known: readonly string[]): string {
  let left = withoutKnown(text, known);
  for (const [shape, shown] of SHAPES) left = left.replaceAll(shape, shown);
  return left;
}
