'use client';
// Optional fields that most users leave unchanged, folded at first.

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
