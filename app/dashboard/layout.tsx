// The frame of the merchants' pages.

import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { Shell } from '@/components/dashboard/shell';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { Frame } from './frame';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await getDashboardWords();
  return { title: { template: `%s · ${t('productName')}`, default: t('productName') } };
}

export default function DashboardLayout({ children }: { children: ReactNode }) {
  return <Frame>{(viewer) => (viewer ? <Shell>{children}</Shell> : children)}</Frame>;
}
