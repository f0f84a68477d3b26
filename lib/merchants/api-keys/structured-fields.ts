// The part of Structured Field Values (RFC 8941) that message signatures need: dictionaries of byte sequences and of inner
// lists. It accepts only the RFC's canonical serialization, so a parsed value equals the signed value. It refuses duplicate
// keys, although the RFC lets the last one win: two parsers must not see different signatures.

const KEY = String.raw`[a-z*][a-z0-9_.*-]*`;
const STRING = String.raw`"(?:[ !#-\[\]-~]|\\["\\])*"`;
const BYTES = String.raw`:[A-Za-z0-9+/]*={0,2}:`;
const NUMBER = String.raw`-?[0-9]{1,15}(?:\.[0-9]{1,3})?`;
const TOKEN = String.raw`[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_|~\x60-]*`;
const BARE = `(?:${STRING}|${BYTES}|${NUMBER}|${TOKEN}|\\?[01])`;
const PARAMETERS = `(?:;${KEY}(?:=${BARE})?)*`;
const ITEM = `${BARE}${PARAMETERS}`;
const INNER_LIST = `\\((?:${ITEM}(?: ${ITEM})*)?\\)${PARAMETERS}`;

const MEMBER = new RegExp(`(${KEY})=(${ITEM}|${INNER_LIST})(?:[ \\t]*,[ \\t]*|$)`, 'y');
const ITEMS_AND_PARAMETERS = new RegExp(`^\\(((?:${ITEM}(?: ${ITEM})*)?)\\)(${PARAMETERS})$`);
const EACH_ITEM = new RegExp(ITEM, 'g');
const EACH_PARAMETER = new RegExp(`;(${KEY})(?:=(${BARE}))?`, 'g');

/** The text of each member of a dictionary, by its key. Null unless the text is a dictionary whose keys differ. */
export function readDictionary(text: string): ReadonlyMap<string, string> | null {
  const members = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    MEMBER.lastIndex = at;
    const [whole = '', key = '', value = ''] = MEMBER.exec(text) ?? [];
    if (whole === '' || members.has(key)) return null;
    members.set(key, value);
    at += whole.length;
    // A comma requires another member.
    if (at === text.length && whole.length > key.length + 1 + value.length) return null;
  }
  return members.size === 0 ? null : members;
}

/** The items of an inner list and its parameters, each as text. Null for another value, or when a parameter is repeated. */
export function readInnerList(
  text: string,
): { readonly items: readonly string[]; readonly parameters: ReadonlyMap<string, string> } | null {
  const parts = ITEMS_AND_PARAMETERS.exec(text);
  if (!parts) return null;
  const [, items = '', parameters = ''] = parts;
  const pairs = [...parameters.matchAll(EACH_PARAMETER)].map(([, key = '', value = '?1']) => [key, value] as const);
  const map = new Map(pairs);
  return map.size === pairs.length ? { items: items.match(EACH_ITEM) ?? [], parameters: map } : null;
}

/** The characters of a String. Null for another value. */
export function readString(text: string): string | null {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : null;
}

/** The bytes of a Byte Sequence without parameters. Null for another value, and for non-canonical base64. */
export function readBytes(text: string): Buffer | null {
  const [, encoded] = /^:([^:]*):$/.exec(text) ?? [];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes : null;
}
