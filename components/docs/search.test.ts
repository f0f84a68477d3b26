import { expect, test } from 'vitest';
import { openApiDocument } from '@/lib/api/openapi/document';
import { docsIn } from './docs-text';
import { docsPages, neighboursOf } from './pages';
import { splitAtMatches, excerpt, MAX_FOUND, openSearch, plain } from './search';

const search = openSearch(openApiDocument('https://pay.example'), docsIn('en'));
const first = (query: string) => search(query)[0]?.path;

test.each([
  ['invalid_amount', '/docs/errors/INVALID_AMOUNT'],
  ['AMOUNT_MISMATCH', '/docs/errors/AMOUNT_MISMATCH'],
  ['refund.succeeded', '/docs/reference#onRefundSucceededEvent'],
  ['refund', '/docs/refunds'],
  ['payment links', '/docs/links'],
  ['rotate secret', '/docs/webhooks#rotating-the-secret'],
])('a search for %j finds %s first', (query, path) => {
  expect(first(query)).toBe(path);
});

test.each(['/api/v1/checkout/sessions/create', 'checkout sessions create'])('finds an operation by %j', (query) => {
  expect(search(query).map(({ path }) => path)).toContain('/docs/reference#createSession');
});

test('finds words by prefix and with one typing error', () => {
  expect(search('singature').map(({ path }) => path)).toContain('/docs/errors/invalid_signature');
  expect(search('idempot').length).toBeGreaterThan(0);
});

test('returns at most one page, and nothing for unknown words', () => {
  expect(search('the').length).toBeLessThanOrEqual(MAX_FOUND);
  expect(search('zzzzzzzz')).toEqual([]);
  expect(search('')).toEqual([]);
  expect(search('"(*[').length).toBe(0);
});

test('shows the text around the first match, without markup', () => {
  expect(plain('Use `amount` and [the guide](/docs/x), **Keys**.')).toBe('Use amount and the guide, Keys.');
  const text = `${'before '.repeat(60)}needle${' after'.repeat(60)}`;
  expect(excerpt(text, 'needle')).toMatch(/^… (before )+needle( after)+ …$/);
  expect(excerpt('short text', 'missing')).toBe('short text');
});

test('marks matches from the start of a word, whatever characters the query has', () => {
  expect(splitAtMatches('A Refund of a prerefund (x).', 'refund (x)')).toEqual([
    'A ',
    'Refund',
    ' of a prerefund ',
    '(x)',
    '.',
  ]);
  expect(splitAtMatches('申请退款。', '退款')).toEqual(['申请', '退款', '。']);
  expect(splitAtMatches('as it is', ' ')).toEqual(['as it is']);
});

test('finds a Chinese word inside a sentence and shows the text around it', () => {
  const chinese = openSearch(openApiDocument('https://pay.example'), docsIn('zh'));
  expect(chinese('退款').map(({ path }) => path)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\/docs\/refunds#/)]),
  );
  expect(excerpt(`${'前面的文字'.repeat(60)}退款${'后面的文字'.repeat(60)}`, '退款')).toMatch(/^… .*退款.* …$/);
});

test('links every page to the next one', () => {
  const pages = docsPages(docsIn('en'));
  let path: string | undefined = '/docs';
  const seen: string[] = [];
  while (path !== undefined) {
    seen.push(path);
    path = neighboursOf(pages, path).next?.path;
  }
  expect(seen).toEqual(pages.map((page) => page.path));
  expect(new Set(pages.map((page) => page.path)).size).toBe(pages.length);
  expect(neighboursOf(pages, '/docs').previous).toBeUndefined();
  expect(neighboursOf(pages, '/docs/search')).toEqual({});
});
