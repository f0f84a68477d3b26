// A wallet that was not read, and one that does not exist, are never shown as an empty one.

import { renderToStaticMarkup } from 'react-dom/server';
import { createTranslator } from 'next-intl';
import { expect, test } from 'vitest';
import { dashboardFormat } from '@/lib/i18n/dashboard';
import english from '@/messages/dashboard/en.json';
import { placeColumns } from './place-columns';

test('a wallet that was not read says so, and one that the settings do not name has no column', () => {
  const t = createTranslator({ locale: 'en', messages: english });
  const texts = (treasury: null | 'none', cold: null | 'none') => {
    const row = { currency: 'USDT', refundWallet: null, treasury, cold, frozen: '0.00', frozenAddresses: 0 };
    return placeColumns({ t, format: dashboardFormat('en') }, [row])
      .filter(({ key }) => ['refunds', 'treasury', 'cold'].includes(key))
      .map(({ header, cell }) => `${header}: ${renderToStaticMarkup(cell(row)).replaceAll(/<[^>]+>/g, '')}`);
  };
  const [refunds, treasury, cold] = ['Refund wallet', 'Treasury wallet', 'Cold wallet'].map(
    (one) => `${one}: Not read yet`,
  );
  expect(texts(null, null)).toEqual([refunds, treasury, cold]);
  expect(texts('none', null)).toEqual([refunds, cold]);
  expect(texts(null, 'none')).toEqual([refunds, treasury]);
});
