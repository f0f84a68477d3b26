// A strict JSON reader for signed request bodies. Unlike JSON.parse it refuses duplicate keys, a byte-order mark, invalid
// UTF-8, NUL and lone surrogates in strings, a key `__proto__`, and more than sixteen levels. A number that is not a plainly
// written safe integer is kept as its text, so that nothing is rounded.

/** Why a text is not acceptable JSON, for the developer who sent it. `at` counts UTF-16 units from the start. */
export class JsonError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(`${message} at position ${at}`);
    this.name = 'JsonError';
    this.at = at;
  }
}

/** A number that is a fraction, has an exponent, is -0, or is beyond ±(2^53 - 1): its text, exactly as written. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /**
   * For JSON.stringify. Exact for every number that `hasOnlyCommonNumbers` (lib/platform/json/json-text) accepts, up to a double's
   * precision.
   */
  toJSON(): number {
    return Number(this.text);
  }
}

export type JsonValue = null | boolean | number | string | JsonNumber | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

const MAX_LEVELS = 16;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
/** Runs of ordinary characters: neither quote, backslash, control character nor half of a surrogate pair. */
const PLAIN = /[^"\\\u0000-\u001f\ud800-\udfff]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads bytes that must be one JSON object in UTF-8. Throws JsonError. */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new JsonError('the body is not valid UTF-8', 0);
    throw error;
  }
  const value = parseJson(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value) || value instanceof JsonNumber) {
    throw new JsonError('the body must be a JSON object', 0);
  }
  return value;
}

/** Reads one JSON value and nothing after it. Throws JsonError. */
export function parseJson(text: string): JsonValue {
  const reader = new Reader(text);
  reader.skipSpace();
  const value = reader.value(0);
  reader.skipSpace();
  if (reader.at < text.length) throw new JsonError('unexpected text after the end of the JSON value', reader.at);
  return value;
}

class Reader {
  at = 0;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  value(level: number): JsonValue {
    switch (this.text[this.at]) {
      case '{':
        return this.object(level + 1);
      case '[':
        return this.array(level + 1);
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private object(level: number): JsonObject {
    const members: JsonObject = this.open(level, {});
    if (this.ends('}')) return members;
    for (;;) {
      this.skipSpace();
      const start = this.at;
      if (this.text[this.at] !== '"') this.fail('expected a key in double quotes');
      const key = this.string();
      if (key === '__proto__') throw new JsonError('the key __proto__ is not accepted', start);
      if (Object.hasOwn(members, key))
        throw new JsonError(`the key ${JSON.stringify(key.slice(0, 60))} appears twice`, start);
      this.skipSpace();
      if (this.text[this.at] !== ':') this.fail('expected a colon');
      this.at++;
      this.skipSpace();
      members[key] = this.value(level);
      if (this.ends('}')) return members;
      this.comma();
    }
  }

  private array(level: number): JsonValue[] {
    const items: JsonValue[] = this.open(level, []);
    if (this.ends(']')) return items;
    for (;;) {
      this.skipSpace();
      items.push(this.value(level));
      if (this.ends(']')) return items;
      this.comma();
    }
  }

  private open<T>(level: number, empty: T): T {
    if (level > MAX_LEVELS) this.fail(`more than ${MAX_LEVELS} levels`);
    this.at++;
    return empty;
  }

  private ends(bracket: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== bracket) return false;
    this.at++;
    return true;
  }

  private comma(): void {
    if (this.text[this.at] !== ',') this.fail('expected a comma or the end of the list');
    this.at++;
  }

  private string(): string {
    const start = ++this.at;
    let built = '';
    for (;;) {
      PLAIN.lastIndex = this.at;
      PLAIN.test(this.text);
      const stop = PLAIN.lastIndex;
      built += this.text.slice(this.at, stop);
      this.at = stop;
      const code = this.text.charCodeAt(stop);
      if (code === 0x22) {
        this.at++;
        return built;
      }
      if (Number.isNaN(code)) throw new JsonError('a string is not ended', start - 1);
      built +=
        code === 0x5c
          ? this.escape()
          : code < 0x20
            ? this.fail('a control character must be escaped')
            : this.pair(code);
    }
  }

  private escape(): string {
    const letter = this.text[this.at + 1] ?? '';
    if (letter !== 'u') {
      const meant = ESCAPES[letter];
      if (meant === undefined) this.fail('unknown escape in a string');
      this.at += 2;
      return meant;
    }
    const high = this.unit();
    if (high === 0) this.fail('NUL is not accepted in a string');
    if (high < 0xd800 || high > 0xdfff) return String.fromCharCode(high);
    const low = high < 0xdc00 && this.text[this.at] === '\\' && this.text[this.at + 1] === 'u' ? this.unit() : 0;
    if (low < 0xdc00 || low > 0xdfff) this.fail('a lone surrogate is not a character');
    return String.fromCharCode(high, low);
  }

  /** Reads `\uXXXX` at the current position. */
  private unit(): number {
    const digits = this.text.slice(this.at + 2, this.at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('\\u needs four hexadecimal digits');
    this.at += 6;
    return Number.parseInt(digits, 16);
  }

  /** Reads a surrogate pair that is written as the character itself. */
  private pair(high: number): string {
    const low = this.text.charCodeAt(this.at + 1);
    if (high > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) this.fail('a lone surrogate is not a character');
    this.at += 2;
    return String.fromCharCode(high, low);
  }

  private word<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('unknown word');
    this.at += word.length;
    return value;
  }

  private number(): number | JsonNumber {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    if (!found) this.fail('expected a JSON value');
    const [text, fraction, exponent] = found;
    this.at += text.length;
    const value = Number(text);
    const plain =
      fraction === undefined && exponent === undefined && Number.isSafeInteger(value) && !Object.is(value, -0);
    return plain ? value : new JsonNumber(text);
  }

  private fail(message: string): never {
    throw new JsonError(message, this.at);
  }
}
