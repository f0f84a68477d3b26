'use client';
// What most people leave as it is in a form, folded away until it is asked for.

import type { ReactNode } from 'react';
import { useWords } from './words';

export function More({ children }: { children: ReactNode }) {
  const { t } = useWords();
  return (
    <details className="grid gap-4">
      <summary className="w-fit cursor-pointer py-2 font-semibold text-accent">{t('uiMoreSettings')}</summary>
      <div className="mt-2 grid gap-4">{children}</div>
    </details>
  );
}
