import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { languageOf, partsOf } from './highlight';
import { languagesOf } from './languages';

const marked = (sample: string, language = languageOf(sample)) =>
  partsOf(sample, language).flatMap(({ text, kind }) => (kind ? [`${kind}: ${text}`] : []));

test('the parts of every guide program add up to the program and include comments and strings', () => {
  for (const name of ['quick-start', 'signature-v2', 'webhook'] as const)
    for (const { title, extension } of languagesOf(name)) {
      const text = readFileSync(new URL(`../../docs/snippets/${name}.${extension}`, import.meta.url), 'utf8');
      const parts = partsOf(text, title);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      expect(new Set(parts.map(({ kind }) => kind))).toEqual(new Set(['comment', 'string', undefined]));
    }
});

test('a URL in a string is not a comment, and a quote in a comment does not start a string', () => {
  expect(marked("const at = 'https://pay.example'; // the shop's own\nconst b = 1;")).toEqual([
    "string: 'https://pay.example'",
    "comment: // the shop's own",
  ]);
  expect(marked('curl -d \'{"a":\n1}\' http://127.0.0.1/#x # it is local')).toEqual([
    'string: \'{"a":\n1}\'',
    'comment: # it is local',
  ]);
});

test('in JSON only values are strings, and keys are not', () => {
  expect(marked('{"a": "b", "c": ["d\\"e"], "f": 1}')).toEqual(['string: "b"', 'string: "d\\"e"']);
});

test('a request and the text that it signs are HTTP, and other text has no language', () => {
  const languages = ['POST /api HTTP/1.1\nHost: pay.example', '"@method": POST', 'opening <network>'].map(languageOf);
  expect(languages).toEqual(['HTTP', 'HTTP', 'Text']);
});

test('text that is not a program stays plain', () => {
  expect(marked('POST /api HTTP/1.1\nHost: "pay.example"')).toEqual([]);
});
