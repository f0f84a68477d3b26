// The charts of the levels over time: where a line and its marks are drawn, and what can be read without seeing it.

import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createTranslator } from 'next-intl';
import { describe, expect, test } from 'vitest';
import { dashboardFormat } from '@/lib/i18n/dashboard';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { WalletLine } from '@/lib/dashboard/operator/treasury/wallet-history';
import arabic from '@/messages/dashboard/ar.json';
import english from '@/messages/dashboard/en.json';
import { TokenLevels } from './levels-card';
import { HEIGHT, plotOf, WIDTH } from './plot';

describe('a line', () => {
  test('starts at 0, and its largest amount is the upper edge', () => {
    expect(plotOf(['0', '5.00', '10.00'], [])).toEqual({ top: '10.00', line: 'M2 78L150 40L298 2', marks: [] });
  });

  test('has a gap where nothing was read, and a short dash for a reading between two gaps', () => {
    expect(plotOf(['4', null, '4', null, '4', '4'], []).line).toBe('M0.5 2h3M118.9 2h3M238.8 2L298 2');
  });

  test('leaves room for a mark above all amounts', () => {
    const { top, line, marks } = plotOf(['1', '1'], ['4', '2']);
    expect({ top, line }).toEqual({ top: '4', line: 'M2 59L298 59' });
    expect(marks).toEqual([`M0 2H${WIDTH}`, 'M0 40H300']);
  });

  test('of an empty wallet lies on the lower edge', () => {
    expect(plotOf(['0.00', '0.00'], [])).toMatchObject({ top: '0', line: `M2 ${HEIGHT - 2}L298 ${HEIGHT - 2}` });
  });

  test('of one period is a short dash, and without a reading there is none', () => {
    expect(plotOf(['3'], []).line).toBe('M0.5 2h3');
    expect(plotOf([null, null], [])).toEqual({ top: '0', line: '', marks: [] });
  });
});

describe('the charts of a token', () => {
  const HOUR = 3600;
  const periods = [0, 1, 2].map((at) => 1_800_000_000 + at * 3 * HOUR);
  const lines: readonly WalletLine[] = [
    { wallet: 'refund', amounts: ['1200.500000', null, '800.000000'], marks: { low: '1000.0', high: '5000.0' } },
    { wallet: 'cold', amounts: [null, null, '90000.000000'], marks: null },
  ];
  const wordsOf = (locale: 'en' | 'ar', messages: typeof english) =>
    ({
      locale,
      t: createTranslator({ locale, messages }),
      format: dashboardFormat(locale),
    }) as unknown as DashboardWords;
  const token = { network: 'bsc', currency: 'USDT', lines };
  const draw = (words: DashboardWords, of: readonly WalletLine[] = lines) =>
    renderToStaticMarkup(createElement(TokenLevels, { words, span: 'week', periods, token: { ...token, lines: of } }));
  const html = draw(wordsOf('en', english));
  const text = (of: string): string => of.replaceAll(/<[^>]+>/g, '|').replaceAll(/\|+/g, '|');

  test('name each wallet, its last amount and its marks as text, and tell the marks apart by their dashes', () => {
    for (const one of ['Refund wallet', 'Cold wallet', 'Last: 800.00 USDT', 'Last: 90,000.00 USDT'])
      expect(text(html)).toContain(`|${one}|`);
    expect(text(html)).toContain('|High-water mark: 5,000.00 USDT|');
    expect(text(html)).toContain('|Low-water mark: 1,000.00 USDT|');
    // In the chart and beside its text.
    for (const dashes of ['8 4', '2 4']) expect(html.split(`stroke-dasharray="${dashes}"`)).toHaveLength(3);
    const { marks, ...unmarked } = lines[0]!;
    expect(marks).not.toBeNull();
    const plain = draw(wordsOf('en', english), [{ ...unmarked, marks: null }]);
    expect(plain).not.toContain('stroke-dasharray');
    expect(text(plain)).not.toContain('mark');
  });

  test('of a wallet that was empty all the time are left out, and that is said', () => {
    const empty = draw(wordsOf('en', english), [{ wallet: 'cold', amounts: ['0.00', null, '0.00'], marks: null }]);
    expect(empty).not.toContain('<svg');
    expect(text(empty)).toContain('|Empty at every reading|');
    expect(text(empty)).toContain('|Last: 0.00 USDT|');
    expect(text(html)).not.toContain('Empty');
  });

  test('have a table with the same numbers, the newest first, without periods in which nothing was read', () => {
    const [, table = ''] = /<details.*?<tbody>(.*)<\/tbody>/s.exec(html) ?? [];
    expect(text(table).split('|').filter(Boolean)).toEqual([
      ...[expect.stringContaining('UTC'), '800.00 USDT', '90,000.00 USDT'],
      ...[expect.stringContaining('UTC'), '1,200.50 USDT', 'not read'],
    ]);
    expect(table).toContain('title="1200.500000"');
    expect(html).toContain('<table class="w-full" aria-label="Levels over time: USDT · ');
  });

  test('hide the drawing from screen readers, mirror it in right-to-left text, and need neither scripts nor inline styles', () => {
    expect(html.match(/<svg/g)).toHaveLength(4);
    expect(html.match(/<svg[^>]* aria-hidden="true"/g)).toHaveLength(4);
    expect(html.match(/rtl:-scale-x-100/g)).toHaveLength(2);
    expect(html).not.toMatch(/<script|style=/);
  });

  test('are in the language of the reader', () => {
    const inArabic = text(draw(wordsOf('ar', arabic)));
    expect(inArabic).toContain('|المحفظة الباردة|');
    expect(inArabic).not.toMatch(/Refund|mark|Last/);
  });
});
