// The frame of every page: language, direction, the one stylesheet, and the error texts, which are all that it sends to
// the browser's code.

import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import { FailureTexts, type Words } from '@/components/ui/failure-texts';
import { pageFrame } from '@/lib/i18n/page-frame';
import { getWords } from '@/lib/i18n/translate';
import './globals.css';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await getWords();
  return { title: t('productName'), referrer: 'no-referrer', formatDetection: { telephone: false, address: false } };
}

export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' };

export default async function RootLayout({ children }: { children: ReactNode }) {
  const [{ language, direction, theme }, { t }] = await Promise.all([pageFrame(), getWords()]);
  const { default: words } = (await import(`../messages/error/${language}.json`)) as { default: Words };
  return (
    <html lang={language} dir={direction} data-theme={theme}>
      <body>
        <FailureTexts words={{ ...words, product: t('productName') }}>{children}</FailureTexts>
      </body>
    </html>
  );
}
