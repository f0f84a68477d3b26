// A wallet that was not read, and one that does not exist, are never shown as an empty one.

import { renderToStaticMarkup } from 'react-dom/server';
import { createTranslator } from 'next-intl';
import { expect, test } from 'vitest';
import { dashboardFormat } from '@/lib/i18n/dashboard';
import english from '@/messages/dashboard/en.json';
import { placeColumns } from './place-columns';

test('a wallet that was not read says so, and one that the settings do not name has a dash', () => {
  const t = createTranslator({ locale: 'en', messages: english });
  const columns = placeColumns({ t, format: dashboardFormat('en') });
  const texts = (treasury: null | 'none') => {
    const row = { currency: 'USDT', refundWallet: null, treasury, cold: treasury, frozen: '0.00', frozenAddresses: 0 };
    return columns
      .filter(({ key }) => ['refunds', 'treasury', 'cold'].includes(key))
      .map(({ cell }) => renderToStaticMarkup(cell(row)).replaceAll(/<[^>]+>/g, ''));
  };
  expect(texts(null)).toEqual(['Not read yet', 'Not read yet', 'Not read yet']);
  expect(texts('none')).toEqual(['Not read yet', '–', '–']);
});
