// What a developer reads about a refused text: the cause and the place. The places also fix how far the reader got.

import { describe, expect, test } from 'vitest';
import { JsonError, JsonNumber, parseJson, parseJsonObject } from './json';

const messageOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
  return 'accepted';
};
const LONG = 'k'.repeat(70);

describe('a refusal names its cause and its place:', () => {
  test.each([
    ['nothing', '', 'expected a JSON value at position 0'],
    ['only space', ' \t', 'expected a JSON value at position 2'],
    ['an object that does not end', '{', 'expected a key in double quotes at position 1'],
    ['a key without quotes', '{ a:1}', 'expected a key in double quotes at position 2'],
    ['a number as key', '{1:1}', 'expected a key in double quotes at position 1'],
    ['a key alone', '{"a" }', 'expected a colon at position 5'],
    ['a key without its value', '{"a":}', 'expected a JSON value at position 5'],
    ['a second member without a comma', '{"a":1 "b":2}', 'expected a comma or the end of the list at position 7'],
    ['a comma at the end of an object', '{"a":1, }', 'expected a key in double quotes at position 8'],
    ['a list that does not end', '[1', 'expected a comma or the end of the list at position 2'],
    ['a list that ends as an object', '[1}', 'expected a comma or the end of the list at position 2'],
    ['an object that ends as a list', '{"a":1]', 'expected a comma or the end of the list at position 6'],
    ['two items without a comma', '[1 2]', 'expected a comma or the end of the list at position 3'],
    ['a comma at the end of a list', '[1,]', 'expected a JSON value at position 3'],
    ['a key twice', '{"a":1, "a":2}', 'the key "a" appears twice at position 8'],
    ['a long key twice', `{"${LONG}":1,"${LONG}":2}`, `the key "${LONG.slice(0, 60)}" appears twice at position 76`],
    ['the key of prototypes', '{ "__proto__":1}', 'the key __proto__ is not accepted at position 2'],
    ['a string that does not end', ' "abc', 'a string is not ended at position 1'],
    ['a string that ends in an escaped quote', '"abc\\"', 'a string is not ended at position 0'],
    ['a line end in a string', '"a\n"', 'a control character must be escaped at position 2'],
    ['the last control character', '"\u001f"', 'a control character must be escaped at position 1'],
    ['an unknown escape', '"a\\x"', 'unknown escape in a string at position 2'],
    ['an escape of nothing', '"\\', 'unknown escape in a string at position 1'],
    ['too few digits', '"\\u12"', '\\u needs four hexadecimal digits at position 1'],
    ['a digit that is none', '"\\u12g4"', '\\u needs four hexadecimal digits at position 1'],
    ['NUL', '"\\u0000"', 'NUL is not accepted in a string at position 7'],
    ['half of a pair', '"\\ud800"', 'a lone surrogate is not a character at position 7'],
    ['half of a pair before a letter', '"\\ud800\\u0041"', 'a lone surrogate is not a character at position 13'],
    ['half of a pair before another escape', '"\\ud800\\n"', 'a lone surrogate is not a character at position 7'],
    ['half of a pair before a plain u', '"\\ud800u1234"', 'a lone surrogate is not a character at position 7'],
    ['two first halves', '"\\ud800\\udbff"', 'a lone surrogate is not a character at position 13'],
    ['a second half beyond its range', '"\\ud800\\ue000"', 'a lone surrogate is not a character at position 13'],
    ['the last second half', '"\\udfff"', 'a lone surrogate is not a character at position 7'],
    [
      'half of a pair before text like the other half',
      '"\\ud800xudc00"',
      'a lone surrogate is not a character at position 7',
    ],
    ['two second halves', '"\\udc00\\udc00"', 'a lone surrogate is not a character at position 7'],
    ['an unescaped half', '"a\ud800"', 'a lone surrogate is not a character at position 2'],
    ['two unescaped first halves', '"\ud800\udbff"', 'a lone surrogate is not a character at position 1'],
    ['two unescaped second halves', '"\udc00\udc00"', 'a lone surrogate is not a character at position 1'],
    ['an unescaped half before a character', '"\udbff\ue000"', 'a lone surrogate is not a character at position 1'],
    ['half of a word', '[tru]', 'unknown word at position 1'],
    ['another word', '[falsy]', 'unknown word at position 1'],
    ['a word in capitals', 'nULL', 'unknown word at position 0'],
    ['a second value', '{} x', 'unexpected text after the end of the JSON value at position 3'],
    ['a value after space', 'true \n1', 'unexpected text after the end of the JSON value at position 6'],
    ['a leading zero', '01', 'unexpected text after the end of the JSON value at position 1'],
    ['a point without digits', '1.', 'unexpected text after the end of the JSON value at position 1'],
    ['an exponent without digits', '1e+', 'unexpected text after the end of the JSON value at position 1'],
    ['a sign alone', '-', 'expected a JSON value at position 0'],
    ['seventeen levels of lists', '['.repeat(17), 'more than 16 levels at position 16'],
    ['seventeen levels of objects', '{"a":'.repeat(17), 'more than 16 levels at position 80'],
  ])('%s', (_, text, message) => {
    expect(messageOf(() => parseJson(text))).toBe(message);
  });

  test.each(['null', '[]', '"{}"', 'true', '1', '1.5'])('a body that is %s', (text) => {
    expect(messageOf(() => parseJsonObject(Buffer.from(text)))).toBe('the body must be a JSON object at position 0');
  });

  test('a body that is not UTF-8', () => {
    expect(messageOf(() => parseJsonObject(Uint8Array.of(0x7b, 0xff)))).toBe(
      'the body is not valid UTF-8 at position 0',
    );
  });

  test('with the place as a number', () => {
    const error = new JsonError('it is wrong', 7);
    expect([error.name, error.at, error.message]).toEqual(['JsonError', 7, 'it is wrong at position 7']);
  });
});

describe('everything that the format allows is read', () => {
  test('space of the four kinds around every part, and of no other kind', () => {
    const space = ' \n\r\t';
    const parts = ['', '{', '"a"', ':', '[', '1', ',', 'null', ']', ',', '"b"', ':', '{', '}', '}', ''];
    expect(parseJson(parts.join(space))).toEqual({ a: [1, null], b: {} });
    expect(parseJson(`[${space}]`)).toEqual([]);
    for (const other of ['\f', '\v', '\u00a0', '\u2028', '\ufeff', '\b']) {
      expect(messageOf(() => parseJson(`[${other}1]`))).toBe('expected a JSON value at position 1');
    }
  });

  test('every escape, in either case of its digits', () => {
    expect(parseJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u00E9\\u001f"')).toBe('"\\/\b\f\n\r\tAéé\u001f');
  });

  test('every character, escaped or not, up to the ends of each range', () => {
    for (const character of [
      '\u0020',
      '\u007f',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{1f600}',
      '\u{10ffff}',
    ]) {
      const escaped = [...Array(character.length).keys()]
        .map((n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`)
        .join('');
      expect(parseJson(`"a${escaped}b"`)).toBe(`a${character}b`);
      expect(parseJson(`"a${character}b"`)).toBe(`a${character}b`);
    }
  });

  test('the three words, sixteen levels, and keys that objects inherit', () => {
    expect(parseJson('[true,false,null]')).toEqual([true, false, null]);
    const deep = `${'['.repeat(16)}${']'.repeat(16)}`;
    expect(JSON.stringify(parseJson(deep))).toBe(deep);
    expect(parseJson('{"constructor":1,"toString":2}')).toEqual({ constructor: 1, toString: 2 });
  });

  test('numbers: small integers as numbers, all others as they were written', () => {
    expect(parseJson('[0,-1,120,9007199254740991,-9007199254740991]')).toEqual([
      ...[0, -1, 120, 9_007_199_254_740_991, -9_007_199_254_740_991],
    ]);
    for (const text of ['-0', '0.0', '10.25', '1e5', '1E+5', '1e-5', '1.5e10', '9007199254740992']) {
      expect(parseJson(text)).toEqual(new JsonNumber(text));
    }
    expect(JSON.stringify({ n: new JsonNumber('1.50') })).toBe('{"n":1.5}');
  });
});
