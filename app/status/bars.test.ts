// The bars of the status page: time before the first measurement never looks like a failure.

import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Words } from '@/lib/i18n/translate';
import type { Day } from '@/lib/installation/status/history';
import { Bars } from './bars';

const words = {
  locale: 'en',
  t: (key: string, values?: { readonly date: string }) => [key, values?.date].filter(Boolean).join(' '),
} as unknown as Words;
const none = { good: 0, impaired: 0, down: 0, unknown: 86_400 };
const days = (...last: readonly Partial<Day>[]): Day[] =>
  [...Array.from({ length: 4 - last.length }, () => ({})), ...last].map((day, n) => ({
    ...{ ...none, date: `2026-11-2${n}` },
    ...day,
  }));
const draw = (of: readonly Day[]) => renderToStaticMarkup(createElement(Bars, { words, days: of }));
const heights = (html: string) => [...html.matchAll(/<rect[^>]* height="(\d+)"/g)].map(([, height]) => Number(height));

test('draws days before the first measurement as a line, and the first measured day in full', () => {
  const html = draw(days({ good: 60, unknown: 3600 }));
  expect(heights(html)).toEqual([24]);
  expect(html).toContain('d="M0 23h11v1H0zM12 0h3v24h-3z"');
  expect(html).toContain('statusMeasuredSince Nov 23, 2026');
});

test('draws the unmeasured part of a later day in grey', () => {
  const html = draw(days({ good: 86_400, unknown: 0 }, {}, { good: 43_200, unknown: 43_200 }));
  expect(heights(html)).toEqual([24, 12]);
  expect(html.match(/M\d+ 0h3v24/g)).toHaveLength(3);
});

test('draws a line without bars when nothing was measured', () => {
  const html = draw(days());
  expect(heights(html)).toEqual([]);
  expect(html).toContain('d="M0 23h15v1H0z"');
  expect(html).not.toContain('statusMeasuredSince');
});
