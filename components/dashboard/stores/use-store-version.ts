'use client';
// A store form sends the version that it shows. After another change, every retry would fail too. So the page is
// reloaded with a message, and the form, keyed by version, starts with the current values.

import { useRouter } from 'next/navigation';
import { useToast } from '@/components/ui/toast';
import { useWords } from '@/components/ui/words';
import type { Answer } from '@/components/dashboard/api';

/** Passes a response on; if the store has changed, reloads the page's data. */
export function useStoreVersion(): <Value>(answer: Answer<Value>) => Answer<Value> {
  const { t } = useWords();
  const toast = useToast();
  const router = useRouter();
  return (answer) => {
    if ('fault' in answer && answer.fault.code === 'STORE_CHANGED') {
      // The form is rendered again, which would remove a message inside it.
      toast(t('storeChangedMeanwhile'), 'bad');
      router.refresh();
    }
    return answer;
  };
}
