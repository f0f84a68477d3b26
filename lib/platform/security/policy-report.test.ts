// Which parts of a browser's report are read, and which are never stored.

import { expect, test } from 'vitest';
import { MAX_REPORTS, readViolations } from './policy-report';

const REPORTS = 'application/reports+json';
const REPORT = 'application/csp-report';
const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const modern = (body: object, type = 'csp-violation') => ({ type, age: 5, url: 'https://pay.example/', body });
const PAGE = 'https://pay.example/pay/cs_live_secret?method=bsc-USDT';
const inline = {
  documentURL: PAGE,
  effectiveDirective: 'script-src-elem',
  blockedURL: 'inline',
  sample: 'alert(1)',
  originalPolicy: `default-src 'none'`,
  statusCode: 200,
};

test('reads both formats as a kind of page and a directive, never as an address', () => {
  const expected = [{ page: 'pay', directive: 'script-src-elem' }];
  expect(readViolations(REPORTS, bytes([modern(inline)]))).toEqual(expected);
  const old = { 'document-uri': PAGE, 'effective-directive': 'script-src-elem', 'blocked-uri': 'inline' };
  expect(readViolations(`${REPORT}; charset=utf-8`, bytes({ 'csp-report': old }))).toEqual(expected);
  const oldest = { 'document-uri': 'https://pay.example/', 'violated-directive': `script-src 'self'` };
  expect(readViolations(REPORT, bytes({ 'csp-report': oldest }))).toEqual([{ page: 'home', directive: 'script-src' }]);
});

test('keeps no text that the sender chose', () => {
  const forged = [
    { documentURL: 'https://pay.example/st_secret/x', effectiveDirective: 'x'.repeat(60_000) },
    { documentURL: 'not an address', effectiveDirective: '__proto__' },
    { documentURL: 7, effectiveDirective: { a: 'b' } },
    {},
  ];
  const other = { page: 'other', directive: 'other' };
  expect(readViolations(REPORTS, bytes(forged.map((body) => modern(body))))).toEqual([other, other, other, other]);
});

test.each(['chrome-extension://abc/x.js', 'moz-extension://abc', 'safari-web-extension', 'chrome-extension'])(
  'ignores what the browser extension %s causes',
  (cause) => {
    for (const name of ['blockedURL', 'sourceFile'])
      expect(readViolations(REPORTS, bytes([modern({ ...inline, [name]: cause })]))).toEqual([]);
    for (const name of ['blocked-uri', 'source-file']) {
      const report = { 'document-uri': PAGE, 'effective-directive': 'img-src', [name]: cause };
      expect(readViolations(REPORT, bytes({ 'csp-report': report }))).toEqual([]);
    }
  },
);

test('ignores reports of other types, and those beyond the limit of one body', () => {
  expect(readViolations(REPORTS, bytes([modern(inline, 'deprecation'), 'x', null, 5]))).toEqual([]);
  const many = Array.from({ length: MAX_REPORTS + 1 }, () => modern(inline));
  expect(readViolations(REPORTS, bytes(many))).toHaveLength(MAX_REPORTS);
});

test.each([
  ['application/json', [modern(inline)]],
  ['text/plain', '{}'],
  ['', '[]'],
  [REPORTS, '{"a":'],
  [REPORTS, '{}'],
  [REPORT, '[]'],
  [REPORT, '{"csp-report":1.5}'],
  [REPORT, '[['.repeat(30_000)],
])('accepts nothing else as a report: %s', (type, body) => {
  expect(readViolations(type, bytes(body))).toBeNull();
});
