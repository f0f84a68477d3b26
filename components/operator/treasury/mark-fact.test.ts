// The marks of a treasury wallet or a sponsor on the page Treasury, as text.

import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createTranslator } from 'next-intl';
import { expect, test } from 'vitest';
import { dashboardFormat } from '@/lib/i18n/dashboard';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { MarkRow } from '@/lib/dashboard/operator/treasury/read';
import { WordsProvider } from '@/components/ui/words';
import english from '@/messages/dashboard/en.json';
import { MarkFact } from './mark-fact';

const words = {
  locale: 'en',
  t: createTranslator({ locale: 'en', messages: english }),
  format: dashboardFormat('en'),
} as unknown as DashboardWords;
const page = { locale: 'en', messages: english, now: 0 } as const;
const shown = (mark: MarkRow): string =>
  renderToStaticMarkup(
    createElement(() => WordsProvider({ ...page, children: createElement(MarkFact, { words, mark }) })),
  )
    .replaceAll(/<[^>]+>/g, '|')
    .replaceAll(/\|+/g, '|')
    .replaceAll(' ', ' ');
const treasury: MarkRow = {
  wallet: 'treasury',
  asset: 'USDT',
  amount: '99.5',
  low: '100.0',
  high: '5000.0',
  outside: null,
};

test.each([
  ['low', 'Below its low-water mark'],
  ['high', 'Above its high-water mark'],
] as const)('say that the amount is outside (%s)', (outside, text) => {
  const html = shown({ ...treasury, outside });
  for (const one of ['Treasury wallet · USDT', '99.50', text, 'Marks: 100.00 USDT to 5,000.00 USDT'])
    expect(html).toContain(one);
});

test('name no fault between the marks, and show coin with more decimals', () => {
  const html = shown({
    wallet: 'sponsor',
    asset: 'ETH',
    amount: '0.123456789',
    low: '0.05',
    high: '0.5',
    outside: null,
  });
  expect(html).toContain('Sponsor · ETH');
  expect(html).toContain('0.123456');
  expect(html).not.toContain('water mark');
});

test('say that nothing was read lately', () => {
  expect(shown({ ...treasury, amount: null })).toContain('Not read yet');
});
