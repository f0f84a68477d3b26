// The frame of the sign-in and account pages.

import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { AccountFrame } from '@/components/dashboard/account/frame';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { Frame } from '@/app/dashboard/frame';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await getDashboardWords();
  return { title: { template: `%s · ${t('productName')}`, default: t('productName') } };
}

export default async function AccountLayout({ children }: { children: ReactNode }) {
  const { t } = await getDashboardWords();
  return <Frame>{() => <AccountFrame product={t('productName')}>{children}</AccountFrame>}</Frame>;
}
