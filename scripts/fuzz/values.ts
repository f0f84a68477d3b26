// Values for a JSON Schema: usually valid or at the limits, otherwise input of a hostile or careless client.

import fc from 'fast-check';
import type { JsonSchema } from '@/lib/api/openapi/json-schema';
import type { Memory } from './memory';
import type { Random } from './random';

export type Maker = {
  readonly random: Random;
  readonly memory: Memory;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
};

const SAMPLES = 40;
const sampled = new Map<string, readonly string[]>();

/** Texts of a regular expression; none when the library cannot parse it. */
function samplesOf(pattern: string): readonly string[] {
  const known = sampled.get(pattern);
  if (known) return known;
  let made: readonly string[] = [];
  try {
    made = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed: 1, numRuns: SAMPLES });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  sampled.set(pattern, made);
  return made;
}

/** A value that the schema allows, as far as one schema shows. `name` is the field's, and selects remembered texts. */
export function allowed(maker: Maker, schema: JsonSchema, name = ''): unknown {
  const { random } = maker;
  if (schema.$ref !== undefined) return allowed(maker, maker.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && choices.length > 0) return allowed(maker, random.pick(choices), name);
  const type = Array.isArray(schema.type) ? random.pick(schema.type as readonly string[]) : schema.type;
  switch (type) {
    case 'object':
      return object(maker, schema);
    case 'array':
      return list(maker, schema, name);
    case 'integer':
    case 'number':
      return number(random, schema);
    case 'boolean':
      return random.once(2);
    case 'null':
      return null;
    case 'string':
      return text(maker, schema, name);
    default:
      return random.pick([1, 'a', null, true, {}]);
  }
}

function object(
  maker: Maker,
  { properties = {}, required = [], additionalProperties, propertyNames }: JsonSchema,
): object {
  const { random } = maker;
  const rarity = random.pick([1, 2, 4, 8]);
  const own = Object.entries(properties)
    .filter(([name]) => required.includes(name) || random.once(rarity))
    .map(([name, schema]) => [name, allowed(maker, schema, name)]);
  const free = typeof additionalProperties === 'object' ? additionalProperties : null;
  const others = Array.from({ length: free ? random.below(4) : 0 }, () => [
    String(allowed(maker, propertyNames ?? { type: 'string', minLength: 1, maxLength: 12 })),
    allowed(maker, free ?? {}),
  ]);
  return Object.fromEntries([...own, ...others]) as object;
}

function list(maker: Maker, { items = {}, minItems = 0, maxItems = 4 }: JsonSchema, name: string): unknown[] {
  const { random } = maker;
  const length = random.once(60)
    ? maxItems + random.below(2)
    : minItems + random.below(Math.max(1, Math.min(3, maxItems - minItems + 1)));
  return Array.from({ length: Math.min(length, 200) }, () => allowed(maker, items, name));
}

function number(random: Random, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): number {
  if (random.once(8)) return random.pick([minimum, maximum, minimum + 1, maximum - 1]);
  return Math.min(maximum, minimum + random.below(random.pick([3, 100, 100_000])));
}

const CHARACTERS = [
  'a',
  'B',
  '7',
  ' ',
  '-',
  '_',
  'é',
  '中',
  '😀',
  '<',
  '"',
  "'",
  '\\',
  '/',
  '%',
  '&',
  '{',
  'ﷺ',
  'e\u0301',
];

function text({ random, memory }: Maker, { minLength = 0, maxLength = 60, pattern }: JsonSchema, name: string): string {
  const known = name === '' || random.once(3) ? null : memory.recall(random, name);
  if (known !== null && !(name.endsWith('_id') && random.once(2))) return known;
  const samples =
    pattern === undefined ? [] : samplesOf(pattern).filter((one) => one.length >= minLength && one.length <= maxLength);
  // Ids of orders and refunds must be fresh and consist of letters and digits.
  if (samples.length > 0 && !name.endsWith('_id') && random.once(2)) return random.pick(samples);
  const length = random.once(20)
    ? random.pick([minLength, maxLength])
    : Math.max(minLength, Math.min(maxLength, 8 + random.below(12)));
  if (random.once(4)) return Array.from({ length }, () => random.pick(CHARACTERS)).join('');
  return random.text(length);
}

const HOSTILE: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    1.5,
    1e21,
    2 ** 53,
    -(2 ** 53),
    1e-7,
    '',
    ' ',
    '0',
    '-1',
    '1e3',
    '12.50',
    'NaN',
    'null',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\u202e',
    '\ufeff',
    'x'.repeat(300),
    'x'.repeat(5000),
    '<script>',
    "' OR 1=1 --",
    '../..',
    '%00',
    '${7*7}',
  ],
  ...[
    'javascript:alert(1)',
    'https://u:p@a.example',
    'USD',
    'usdt',
    'EUR',
    'JPY',
    'XXX',
    'tron',
    'BSC',
    'payment',
    'crypto',
    '__proto__',
  ],
  ...[
    [],
    {},
    [[]],
    [null],
    { $gt: '' },
    { contains: 'a' },
    { constructor: { prototype: { polluted: 1 } } },
    ['a', 'b'],
  ],
];

/** The value with one to three parts replaced, doubled, removed or added. */
export function spoiled(random: Random, value: unknown): unknown {
  let made = value;
  for (let left = 1 + random.below(3); left > 0; left--) made = spoil(random, made);
  return made;
}

function spoil(random: Random, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || random.once(12)) return random.pick(HOSTILE);
  const entries = Object.entries(value);
  if (entries.length === 0) return random.once(2) ? random.pick(HOSTILE) : { a: random.pick(HOSTILE) };
  const at = random.below(entries.length);
  const [key, inner] = entries[at] as [string, unknown];
  const changed = random.once(3) ? spoil(random, inner) : random.pick(HOSTILE);
  const action = random.below(4);
  if (Array.isArray(value)) {
    if (action === 0) return value.toSpliced(at, 1);
    return action === 1 ? [...(value as unknown[]), inner] : value.with(at, changed);
  }
  if (action === 0) return Object.fromEntries(entries.toSpliced(at, 1));
  if (action === 1)
    return { ...value, [random.pick(['id', 'mode', 'status', 'environment', key.toUpperCase()])]: changed };
  return Object.fromEntries(entries.with(at, [key, changed]));
}
