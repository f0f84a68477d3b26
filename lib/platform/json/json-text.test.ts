import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './json';
import { canonicalJson, hasOnlyCommonNumbers, jsonText } from './json-text';

const written = fc.json({ maxDepth: 6 }).filter((text) => !text.includes('__proto__'));

test('a value is written as it was read, without whitespace', () => {
  fc.assert(
    fc.property(written, (text) => {
      expect(jsonText(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { examples: [['{"a":[1,null,true,"x"]}']] },
  );
});

test.each(['1.10', '-0', '-0.0', '1e-7', '1E5', '0.12345678901234567890', '12345678901234567890', '1e400'])(
  'the number %s keeps every digit',
  (text) => {
    expect(jsonText(parseJson(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
  },
);

test('the canonical text is the same for every order of keys and differs for every other value', () => {
  const text = '{"b":{"d":1,"c":[{"y":1,"x":2}]},"a":1.0}';
  expect(canonicalJson(parseJson(text))).toBe('{"a":1.0,"b":{"c":[{"x":2,"y":1}],"d":1}}');
  const others = [
    '{"a":1.0,"b":{"d":1,"c":[{"y":2,"x":1}]}}',
    '{"a":1.0}',
    '{"a":"1.0","b":{"d":1,"c":[{"y":1,"x":2}]}}',
  ];
  for (const other of others) expect(canonicalJson(parseJson(other))).not.toBe(canonicalJson(parseJson(text)));
});

test.each([
  ['{"a":[9007199254740991,-9007199254740991,0.1,1e15]}', true],
  ['{"a":[null,true,false,"9007199254740992",[],{}]}', true],
  ['[9007199254740991.0,-9007199254740991.0]', true],
  ['{"a":9007199254740992}', false],
  ['[1,9007199254740992,1]', false],
  ['{"a":1,"b":9007199254740992}', false],
  ['[[-9007199254740992]]', false],
  ['{"a":{"b":1e16}}', false],
  ['{"a":1e400}', false],
])('whether every number of %s is common: %s', (text, expected) => {
  expect(hasOnlyCommonNumbers(parseJson(text))).toBe(expected);
});
