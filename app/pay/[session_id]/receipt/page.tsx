// The printable receipt of a payment.

import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { PaymentReceiptPage } from '@/components/refund/receipt';
import { services } from '@/lib/api/services';
import { isReceiptMailed } from '@/lib/payments/receipts/mail';
import { getWords } from '@/lib/i18n/translate';
import { isTlsUrl, pageCookieName } from '@/lib/platform/security/page-cookies';
import { readPaymentReceipt } from '@/lib/payments/receipts/receipt';

type Props = {
  readonly params: Promise<{ session_id: string }>;
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Read once per request, for the title and the page. */
const read = cache((sessionId: string) => readPaymentReceipt(services(), sessionId));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ session_id }, { t }] = await Promise.all([params, getWords()]);
  const receipt = await read(session_id);
  const title = receipt ? t('titleReceipt', { store: receipt.storeName }) : t('notFoundReceiptTitle');
  return { title, robots: { index: false, follow: false } };
}

export default async function PaymentReceiptRoute({ params, searchParams }: Props) {
  const [{ session_id: sessionId }, { mail }, jar] = await Promise.all([params, searchParams, cookies()]);
  const receipt = await read(sessionId);
  if (!receipt) notFound();
  const payerToken = jar.get(pageCookieName('payer', isTlsUrl(services().config.PUBLIC_URL)))?.value;
  const isMailed = await isReceiptMailed(services(), { sessionId, payerToken });
  return <PaymentReceiptPage receipt={receipt} mail={isMailed ? { result: mail } : null} />;
}
