// The printable receipt of a refund.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { RefundReceiptPage } from '@/components/refund/receipt';
import { services } from '@/lib/api/services';
import { getWords } from '@/lib/i18n/translate';
import { readRefundReceipt } from '@/lib/refunds/receipt';

type Props = { readonly params: Promise<{ receipt_number: string }> };

/** Read once per request, for the title and the page. */
const read = cache((receiptNumber: string) => readRefundReceipt(services(), receiptNumber));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ receipt_number }, { t }] = await Promise.all([params, getWords()]);
  const receipt = await read(receipt_number);
  const title = receipt ? t('titleReceipt', { store: receipt.storeName }) : t('notFoundReceiptTitle');
  return { title, robots: { index: false, follow: false } };
}

export default async function RefundReceiptRoute({ params }: Props) {
  const receipt = await read((await params).receipt_number);
  if (!receipt) notFound();
  return <RefundReceiptPage receipt={receipt} />;
}
