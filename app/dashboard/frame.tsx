// The frame of every page of the dashboard, the operator console and the accounts: the stylesheet, the texts, and the
// viewer. It authorizes nothing: every page does that itself.

import type { ReactNode } from 'react';
import { StepUpProvider } from '@/components/dashboard/step-up';
import { ViewerProvider, type Viewer } from '@/components/dashboard/viewer';
import { ToastProvider } from '@/components/ui/toast';
import { WordsProvider } from '@/components/ui/words';
import { services } from '@/lib/api/services';
import { unixSeconds } from '@/lib/platform/clock';
import { pageVisitor } from '@/lib/dashboard/page';
import { readViewer } from '@/lib/dashboard/viewer';
import { browserMessages, dashboardLocale } from '@/lib/i18n/dashboard-words';
import './dashboard.css';

type Props = { readonly children: (viewer: Viewer | null) => ReactNode };

export async function Frame({ children }: Props) {
  const context = services();
  const locale = await dashboardLocale();
  const [messages, viewer] = await Promise.all([
    browserMessages(locale),
    pageVisitor(context).then((who) => readViewer(context, who)),
  ]);
  return (
    <WordsProvider locale={locale} messages={messages} now={unixSeconds(context.clock.now())}>
      <ViewerProvider viewer={viewer}>
        <ToastProvider>
          <StepUpProvider>{children(viewer)}</StepUpProvider>
        </ToastProvider>
      </ViewerProvider>
    </WordsProvider>
  );
}
