import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonError, JsonNumber, parseJson, parseJsonObject } from './json';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('strict JSON', () => {
  test('every value that JSON.stringify writes is read back unchanged', () => {
    const plain = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value);
        if (/\\u0000|\\ud[89a-f]/.test(text)) return;
        expect(asPlain(parseJson(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  test('JSON.parse accepts every accepted text and reads the same value', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"\\u0061"',
      '1',
      '-0',
      '1.5',
      '1e3',
      'true',
      'null',
      ' ',
      '01',
      "'",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (parts) => {
        const text = parts.join('');
        const ours = attempt(() => asPlain(parseJson(text)));
        if (ours.failed) return;
        expect(ours.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 20_000 },
    );
  });

  test.each([
    ['duplicate key', '{"a":1,"a":2}'],
    ['duplicate key by escape', '{"a":1,"\\u0061":2}'],
    ['prototype key', '{"x":{"__proto__":1}}'],
    ['escaped prototype key', '{"\\u005f_proto__":1}'],
    ['lone surrogate', '{"a":"\\ud800"}'],
    ['surrogates the wrong way round', '{"a":"\\udc00\\ud800"}'],
    ['NUL', '{"a":"\\u0000"}'],
    ['raw control character', '{"a":"\n"}'],
    ['trailing text', '{} x'],
    ['second document', '{}{}'],
    ['trailing comma', '{"a":1,}'],
    ['leading zero', '{"a":01}'],
    ['leading plus', '{"a":+1}'],
    ['not a number', '{"a":NaN}'],
    ['byte-order mark', '\ufeff{}'],
    ['seventeen levels', `{"a":${'['.repeat(16)}${']'.repeat(16)}}`],
    ['a hundred thousand levels', `{"a":${'['.repeat(100_000)}`],
    ['not an object', '[]'],
    ['nothing', ''],
  ])('%s is refused', (_, text) => {
    expect(() => parseJsonObject(bytes(text))).toThrow(JsonError);
  });

  test('sixteen levels are read', () => {
    expect(() => parseJsonObject(bytes(`{"a":${'['.repeat(15)}${']'.repeat(15)}}`))).not.toThrow();
  });

  test('bytes that are not UTF-8 are refused', () => {
    expect(() => parseJsonObject(Uint8Array.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]))).toThrow(JsonError);
  });

  test('a number that a double cannot hold is kept as its text, never rounded', () => {
    expect(parseJson('9007199254740991')).toBe(9007199254740991);
    for (const text of ['9007199254740992', '9007199254740993', '1.0', '1e3', '-0', '1'.repeat(400)]) {
      expect(parseJson(text)).toEqual(new JsonNumber(text));
    }
  });

  test('reading never changes a prototype', () => {
    parseJson('{"constructor":{"prototype":{"polluted":true}}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

function asPlain(value: unknown): unknown {
  if (value instanceof JsonNumber) return JSON.parse(value.text);
  if (Array.isArray(value)) return value.map(asPlain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asPlain(inner)]));
}

function attempt<T>(work: () => T): { failed: true } | { failed: false; value: T } {
  try {
    return { failed: false, value: work() };
  } catch (error) {
    if (error instanceof JsonError) return { failed: true };
    throw error;
  }
}
