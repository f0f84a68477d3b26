import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { languageOf, partsOf } from './highlight';
import { languagesOf } from './languages';

const marked = (sample: string, language = languageOf(sample)) =>
  partsOf(sample, language).flatMap(({ text, kind }) => (kind ? [`${kind}: ${text}`] : []));

test('the parts of every program of the guides are the program, and some of each are comments and texts', () => {
  for (const name of ['quick-start', 'signature-v2', 'webhook'] as const)
    for (const { title, extension } of languagesOf(name)) {
      const text = readFileSync(new URL(`../../docs/snippets/${name}.${extension}`, import.meta.url), 'utf8');
      const parts = partsOf(text, title);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      expect(new Set(parts.map(({ kind }) => kind))).toEqual(new Set(['comment', 'string', undefined]));
    }
});

test('an address within a text is no comment, and a quote within a comment begins no text', () => {
  expect(marked("const at = 'https://pay.example'; // the shop's own\nconst b = 1;")).toEqual([
    "string: 'https://pay.example'",
    "comment: // the shop's own",
  ]);
  expect(marked('curl -d \'{"a":\n1}\' http://127.0.0.1/#x # it is local')).toEqual([
    'string: \'{"a":\n1}\'',
    'comment: # it is local',
  ]);
});

test('in JSON only values are texts', () => {
  expect(marked('{"a": "b", "c": ["d\\"e"], "f": 1}')).toEqual(['string: "b"', 'string: "d\\"e"']);
});

test('what is no program stays plain', () => {
  expect(marked('POST /api HTTP/1.1\nHost: "pay.example"')).toEqual([]);
});
