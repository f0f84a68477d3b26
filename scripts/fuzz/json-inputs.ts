// Inputs for the JSON reader: valid ones, valid ones with a few changed bytes, and inputs for each of its rules. All
// draws are seeded, so the number of an input under a seed reproduces it.

import type { Random } from './random';

/** The kinds of inputs, by name. */
export const KINDS: Readonly<Record<string, (random: Random) => Buffer>> = {
  valid: (random) => Buffer.from(object(random, 3)),
  mutated: (random) => mutated(random, Buffer.from(object(random, 3))),
  soup: (random) => Buffer.from(random.once(3) ? soup(random) : `{"a":${soup(random)}}`),
  numbers: (random) => Buffer.from(`{"n":${number(random)}}`),
  strings: (random) => Buffer.from(`{"s":${text(random)},${text(random)}:0}`),
  deep: (random) => Buffer.from(deep(random)),
  keys: (random) => Buffer.from(keys(random)),
  bytes: (random) => withRawBytes(random),
  ends: (random) => Buffer.from(`${random.pick(FRONTS)}${object(random, 1)}${random.pick(BACKS)}`),
};

const SPACES = ['', '', '', '', ' ', '\n', '\t', '\r\n  '];
const FRONTS = ['', '', ' ', '\ufeff', '\u00a0', '\0', '[', '\v', '0'];
const BACKS = ['', '', '\n', '{}', ' x', '\0', ',', ']', '}', '\ufeff', '\u2028', '//', 'null'];
const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"b"',
    '"\\u0061"',
    '1',
    '-',
    '-0',
    '0',
    '1.5',
    '1e3',
    '.5',
    '01',
    '+1',
  ],
  ...[
    'true',
    'false',
    'null',
    'tru',
    'True',
    'NaN',
    'Infinity',
    'undefined',
    ' ',
    '\n',
    '\u00a0',
    "'",
    "'a'",
    '//',
    '/**/',
  ],
  ...['\\', '{"a":1}', '[1]', '0x10', '1_0', '"__proto__"', '\u2028'],
];
const ESCAPES = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0041', '\\u00e9', '\\u2028', '\\uFEFF'];
const WRONG_ESCAPES = ['\\', '\\x41', '\\u12', '\\u00g0', '\\U0041', "\\'", '\\0', '\\u 041', '\\u+041'];
const UNITS = ['\\u0000', '\\ud83d', '\\ude00', '\\uD83D\\uDE00', '\\ud83d\ude00', '\\udbff\\udfff', '\\udc00\\ud800'];
const CHARACTERS = ['é', '中', '😀', '\u2028', '\u007f', '\u0080', '\u202e', '\uffff', '\ufeff', '\u00a0', '𝒳'];
const CONTROLS = ['\n', '\t', '\u0000', '\u001f', '\r'];
const KEYS = [
  'a',
  'b',
  'id',
  'amount',
  '',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '0',
  'é',
];

const space = (random: Random): string => random.pick(SPACES);

/** A JSON value that breaks our own rules only by chance. */
function value(random: Random, levels: number): string {
  switch (random.below(levels > 0 ? 9 : 6)) {
    case 0:
      return 'true';
    case 1:
      return 'null';
    case 2:
      return String(random.below(2 ** 31));
    case 3:
      return random.once(4) ? number(random) : String(random.below(100));
    case 4:
    case 5:
      return random.once(6) ? text(random) : JSON.stringify(random.text(random.below(9)));
    case 6:
      return list(random, levels - 1);
    default:
      return object(random, levels - 1);
  }
}

function list(random: Random, levels: number): string {
  const items = Array.from(
    { length: random.below(4) },
    () => `${space(random)}${value(random, levels)}${space(random)}`,
  );
  return `[${items.join(',')}${space(random)}]`;
}

function object(random: Random, levels: number): string {
  const members = Array.from({ length: random.below(4) }, (_, n) => {
    const key = random.once(30) ? JSON.stringify(random.pick(KEYS)) : `"${random.text(3)}${n}"`;
    return `${space(random)}${key}${space(random)}:${space(random)}${value(random, levels)}${space(random)}`;
  });
  return `${space(random)}{${members.join(',')}${space(random)}}${space(random)}`;
}

const soup = (random: Random): string =>
  Array.from({ length: 1 + random.below(8) }, () => random.pick(PIECES)).join('');

const DIGITS = ['0', '1', '9', '00', '01', '9007199254740991', '9007199254740992', '9007199254740993', '1'.repeat(30)];
const FRACTIONS = ['', '', '', '.0', '.5', '.', '.05', '.00000000000000000001'];
const EXPONENTS = ['', '', '', 'e0', 'E3', 'e-7', 'e+400', 'e400', 'e', 'e1.5', 'e+'];

function number(random: Random): string {
  const digits = random.once(2) ? random.pick(DIGITS) : String(random.bits());
  return `${random.pick(['', '', '', '-', '+', '--'])}${digits}${random.pick(FRACTIONS)}${random.pick(EXPONENTS)}`;
}

function text(random: Random): string {
  const from = [ESCAPES, ESCAPES, CHARACTERS, CHARACTERS, ['x', 'ab', ' '], UNITS];
  const parts = Array.from({ length: random.below(5) }, () => {
    if (random.once(25)) return random.pick(WRONG_ESCAPES);
    if (random.once(25)) return random.pick(CONTROLS);
    return random.pick(random.pick(from));
  });
  return `"${parts.join('')}"`;
}

/** About sixteen levels of lists and objects, usually closed correctly; sometimes very many levels. */
function deep(random: Random): string {
  const levels = random.once(2000) ? 5000 : 13 + random.below(6);
  let [front, back] = ['{"a":', '}'];
  for (let level = 1; level < levels; level++) {
    const isList = random.once(2);
    front += isList ? random.pick(['[', '[0,', '[{},']) : random.pick(['{"b":', '{"c":[],"b":']);
    back = `${isList ? ']' : '}'}${back}`;
  }
  return `${front}${random.pick(['1', '[]', '{}', '""'])}${random.once(12) ? back.slice(1) : back}`;
}

/** Objects whose keys are often equal but written differently. */
function keys(random: Random): string {
  const members = Array.from({ length: 1 + random.below(4) }, () => {
    const inner = random.once(5) ? keys(random) : '1';
    return `${spelled(random, random.pick(KEYS))}:${random.once(6) ? `[${inner}]` : inner}`;
  });
  return `{${members.join(',')}}`;
}

/** A key with some of its characters as escapes. */
function spelled(random: Random, key: string): string {
  const unit = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `"${[...key].map((one) => (random.once(4) ? unit(one) : one)).join('')}"`;
}

const RAW = [
  '80',
  'ff',
  'c328',
  'c080',
  'eda080',
  'f4908080',
  'e28280',
  'f09f98',
  'f09f9880',
  'efbbbf',
  'c3a9',
  '00',
  'edb080',
];

function withRawBytes(random: Random): Buffer {
  const raw = Buffer.from(random.pick(RAW), 'hex');
  const where = random.below(4);
  if (where === 0) return Buffer.concat([raw, Buffer.from('{}')]);
  if (where === 1) return Buffer.concat([Buffer.from('{}'), raw]);
  return Buffer.concat([Buffer.from(where === 2 ? '{"a":"x' : '{"a'), raw, Buffer.from(where === 2 ? '"}' : '":1}')]);
}

/** The bytes with one to three small changes. */
export function mutated(random: Random, bytes: Buffer): Buffer {
  let made = bytes;
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(made.length + 1);
    const end = Math.min(made.length, at + 1 + random.below(4));
    const [before, within, after] = [made.subarray(0, at), made.subarray(at, end), made.subarray(end)];
    switch (random.below(6)) {
      case 0:
        made = Buffer.concat([before, after]);
        break;
      case 1:
        made = Buffer.concat([before, within, within, after]);
        break;
      case 2:
        made = Buffer.concat([before, Buffer.from(random.pick(PIECES)), made.subarray(at)]);
        break;
      case 3:
        made = Buffer.concat([before, Buffer.from([random.below(256)]), after]);
        break;
      case 4:
        made = made.subarray(0, at);
        break;
      default:
        made = Buffer.concat([before, Buffer.from(random.pick(['"', ',', '}', '{', ':', '\\', '0', ' '])), after]);
    }
  }
  return made;
}
