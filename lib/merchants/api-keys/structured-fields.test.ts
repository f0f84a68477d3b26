// Structured fields are accepted only in their canonical serialization.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBytes, readDictionary, readInnerList, readString } from './structured-fields';

describe('a dictionary', () => {
  test('is read member by member, for any values', () => {
    const list = '("@method" "@path";req a/b 1.5 ?0 :AA==:);created=1;nonce="a,\\"b\\\\";flag;keyid="x"';
    expect([...(readDictionary(`sig1=${list}, *b.c-d_=:AQID:;p=1 ,\te="), b=("`) ?? [])]).toEqual([
      ['sig1', list],
      ['*b.c-d_', ':AQID:;p=1'],
      ['e', '"), b=("'],
    ]);
  });

  test.each([
    ...['', ' ', 'a', 'a=', '=1', 'A=1', '1=1', ' a=1', 'a=1 ', 'a=1,', 'a=1, ', 'a=1,,b=2', 'a=1;b=2,', 'a=1 b=2'],
    ...[
      'a=1, a=1',
      'a=(1',
      'a=1)',
      'a=((1))',
      'a=(1  2)',
      'a=( 1)',
      'a=(1 )',
      'a=(1);',
      'a=(1); b=1',
      'a=(1);b=',
      'a=(1);B=1',
    ],
    ...[
      'a="',
      'a="\\a"',
      'a="\n"',
      'a="é"',
      'a=:é:',
      'a=:AA',
      'a=:A A:',
      'a=:===:',
      'a=?2',
      'a=1.',
      'a=.1',
      'a=1.0000',
      'a=--1',
    ],
    ...['a=1234567890123456', 'a=@1', 'a=%"x"', 'a=é', 'a=\u00a01', 'a=1\0', 'a=1\r\nb=2', `a=(${'"x" '.repeat(3)})`],
  ])('is not accepted in the form %j', (text) => {
    expect(readDictionary(text)).toBeNull();
  });

  test('from any text is read completely or refused', () => {
    const part = fc.constantFrom(
      'a',
      'sig1',
      '=',
      '(',
      ')',
      ';',
      ',',
      ' ',
      '"',
      '\\',
      ':',
      '?1',
      '1',
      '@',
      '.',
      'AA==',
      'é',
      '"@path"',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const members = readDictionary(text);
        if (!members) return;
        const again = [...members].map(([key, value]) => `${key}=${value}`).join(', ');
        expect(text.replaceAll(/[ \t]+/g, '')).toBe(again.replaceAll(/[ \t]+/g, ''));
        expect(readDictionary(again)).toEqual(members);
      }),
      { numRuns: 3000 },
    );
  });

  test('of many members is read in linear time', () => {
    const list = Array.from({ length: 200 }, (_, n) => `s${n}=("a" "b");c="${'x'.repeat(20)}"`).join(', ');
    const nested = `a=${'('.repeat(20_000)}`;
    const quoted = `a="${'\\"'.repeat(20_000)}`;
    const began = performance.now();
    expect(readDictionary(list)?.size).toBe(200);
    for (const text of [nested, quoted, `${list},`, `a=(${'"x" '.repeat(10_000)}`])
      expect(readDictionary(text)).toBeNull();
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

test('an inner list has its items and parameters, each as written', () => {
  expect(readInnerList('("@method" "@path";req);created=1;flag;nonce="a;b=\\"c\\""')).toEqual({
    items: ['"@method"', '"@path";req'],
    parameters: new Map([
      ['created', '1'],
      ['flag', '?1'],
      ['nonce', '"a;b=\\"c\\""'],
    ]),
  });
  expect(readInnerList('()')).toEqual({ items: [], parameters: new Map() });
});

test.each(['1', '"(a)"', ':AA==:', '(a);b=1;b=1', '(a);b;b=2'])(
  '%s is not an inner list with its own parameters',
  (text) => {
    expect(readInnerList(text)).toBeNull();
  },
);

test('a string is the unescaped text between its quotation marks', () => {
  expect(['"a"', '""', '"\\"\\\\\\""', 'a', '1'].map(readString)).toEqual(['a', '', '"\\"', null, null]);
});

test('bytes have exactly one accepted base64 text', () => {
  expect([':AQID:', '::', ':AA==:'].map(readBytes)).toEqual([
    Buffer.from([1, 2, 3]),
    Buffer.alloc(0),
    Buffer.from([0]),
  ]);
  expect([':AB==:', ':AA=:', ':AA:', ':AQID:;p=1', 'AQID', ':A-_D:', ':AQID\n:', ''].map(readBytes)).toEqual(
    Array(8).fill(null),
  );
});

test('a value of another kind is neither a string nor bytes, also when it ends like one', () => {
  expect(['x"', 'x', '1', ':AA==:', '("a")'].map(readString)).toEqual([null, null, null, null, null]);
  expect(['x:AA==:', ':AA==:;p', ':AA==:x', '"AA=="', 'AA==', ''].map(readBytes)).toEqual(Array(6).fill(null));
  expect([readString('""'), readBytes('::')]).toEqual(['', Buffer.alloc(0)]);
});
