// The printable receipt of a payment.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { PaymentReceiptPage } from '@/components/refund/receipt';
import { services } from '@/lib/api/services';
import { getWords } from '@/lib/i18n/translate';
import { readPaymentReceipt } from '@/lib/sessions/receipt';

type Props = { readonly params: Promise<{ session_id: string }> };

/** Read once per request, for the title and the page. */
const read = cache((sessionId: string) => readPaymentReceipt(services(), sessionId));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ session_id }, { t }] = await Promise.all([params, getWords()]);
  const receipt = await read(session_id);
  const title = receipt ? t('titleReceipt', { store: receipt.storeName }) : t('notFoundReceiptTitle');
  return { title, robots: { index: false, follow: false } };
}

export default async function PaymentReceiptRoute({ params }: Props) {
  const receipt = await read((await params).session_id);
  if (!receipt) notFound();
  return <PaymentReceiptPage receipt={receipt} />;
}
