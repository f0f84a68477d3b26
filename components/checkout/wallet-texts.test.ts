// A customer may type an amount from any sentence of the page into a wallet or an exchange. A point means thousands to
// some readers, so each page writes such amounts in one way: `1234.50`, as the copy button copies them.

import { createTranslator } from 'next-intl';
import { expect, test } from 'vitest';
import { findSentences } from '@/lib/payments/finder/sentence';
import { networkNames } from '@/lib/i18n/network-names';
import type { BrowserPayment } from '@/lib/payments/checkout/browser/payment';
import type { PayMethod } from '@/lib/payments/checkout/view';
import arabic from '@/messages/ar.json';
import german from '@/messages/de.json';
import french from '@/messages/fr.json';
import { walletTexts } from './wallet-texts';

const payment = { network: 'tron', amount: '1234.50', currency: 'USDT', coin: { symbol: 'TRX' } } as BrowserPayment;
const method = { network: 'tron', currency: 'USDT' } as PayMethod;

test.each([
  ['ar', arabic],
  ['de', german],
  ['fr', french],
])('%s writes the amount to pay as it is typed into a wallet', (locale, catalogue) => {
  const messages = catalogue;
  const t = createTranslator({ locale, messages });
  const network = (name: string) => networkNames(() => null, name);
  const shown = walletTexts({ t, network }, { payment, method, methods: [method], specs: [] });
  expect(shown.confirm).toContain('1234.50 USDT');
  expect(shown.no_funds).toContain('1234.50 USDT');
  const found = { verdict: 'counted', network: 'tron', currency: 'USDT', amount: '1000.00', short: '1234.50' } as const;
  const sentences = findSentences(found, {
    t: (key, values) => t(key, values as never),
    network,
    list: (names) => names.join(', '),
  }).join(' ');
  expect(sentences).toMatch(/1000\.00.*1234\.50/s);
});
