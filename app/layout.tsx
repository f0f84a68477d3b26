// The frame of every page: language, direction and the one stylesheet. It brings no client code and no provider.

import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import { pageFrame } from '@/lib/i18n/page-frame';
import { getWords } from '@/lib/i18n/translate';
import './globals.css';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await getWords();
  return { title: t('productName'), referrer: 'no-referrer', formatDetection: { telephone: false, address: false } };
}

export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' };

export default async function RootLayout({ children }: { children: ReactNode }) {
  const { language, direction, theme } = await pageFrame();
  return (
    <html lang={language} dir={direction} data-theme={theme}>
      <body>{children}</body>
    </html>
  );
}
