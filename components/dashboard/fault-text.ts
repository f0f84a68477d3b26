'use client';
// The text of a refusal in the reader's language: by its code if the catalogue has a sentence, otherwise the server's
// message. A temporary refusal also says when it ends.

import { useWords, type MessageKey } from '@/components/ui/words';
import type { Fault } from './api';

type Refusal = Pick<Fault, 'code'> & Partial<Fault>;

/** Codes whose catalogue sentence is complete; others carry their details in their own message. */
export function useFaultText(): (fault: Refusal) => string {
  const { t, format } = useWords();
  return (fault) => faultSentence({ t, format }, fault);
}

/** The same outside of components. */
export function faultSentence(
  { t, format }: Pick<ReturnType<typeof useWords>, 't' | 'format'>,
  { code, message, retryAfter }: Refusal,
): string {
  if (code === 'network') return t('faultNetwork');
  // Some limits reset within minutes and others within a day.
  if (code === 'RATE_LIMITED' && retryAfter !== undefined)
    return t('faultTryAgainIn', { wait: format.wait(retryAfter) });
  const key = `fault_${code}` as MessageKey;
  if (t.has(key)) return t(key as 'fault_internal_error');
  return message || t('fault_internal_error');
}
