// The frame of the operator console.

import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { Shell } from '@/components/dashboard/shell';
import { ResetNotice } from '@/components/operator/reset-notice';
import { services } from '@/lib/api/services';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { readOpenResets } from '@/lib/merchants/accounts/operator-reset/open-resets';
import { Frame } from '@/app/dashboard/frame';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await getDashboardWords();
  return { title: { template: `%s · ${t('navOperator')}`, default: t('navOperator') } };
}

export default function OperatorLayout({ children }: { children: ReactNode }) {
  return (
    <Frame>
      {(viewer) =>
        viewer ? (
          <Shell>
            {viewer.isOperator && <OpenResets />}
            {children}
          </Shell>
        ) : (
          children
        )
      }
    </Frame>
  );
}

async function OpenResets() {
  const { pool, clock } = services();
  const [words, resets] = await Promise.all([getDashboardWords(), readOpenResets(pool, clock.now())]);
  return <ResetNotice words={words} resets={resets} />;
}
