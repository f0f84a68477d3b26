'use client';
// What a refusal says in the reader's language: by its code where the catalogue has a sentence, else as the server said it.

import { useWords, type MessageKey } from '@/components/ui/words';
import type { Fault } from './api';

/** Codes whose sentence in the catalogue says all; others carry what they mean in their own message. */
export function useFaultText(): (fault: Pick<Fault, 'code'> & Partial<Fault>) => string {
  const { t } = useWords();
  return ({ code, message }) => {
    if (code === 'network') return t('faultNetwork');
    const key = `fault_${code}` as MessageKey;
    if (t.has(key)) return t(key as 'fault_internal_error');
    return message || t('fault_internal_error');
  };
}
