// The frame of the operator console.

import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { Shell } from '@/components/dashboard/shell';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { Frame } from '@/app/dashboard/frame';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await getDashboardWords();
  return { title: { template: `%s · ${t('navOperator')}`, default: t('navOperator') } };
}

export default function OperatorLayout({ children }: { children: ReactNode }) {
  return <Frame>{(viewer) => (viewer ? <Shell>{children}</Shell> : children)}</Frame>;
}
