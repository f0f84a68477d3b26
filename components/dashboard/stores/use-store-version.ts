'use client';
// A form of a store names the version that it shows. Once the store is another one, each further try would be refused as well,
// so the page is read anew and the reader told; the form, keyed by the version, then begins with what the store is now.

import { useRouter } from 'next/navigation';
import { useToast } from '@/components/ui/toast';
import { useWords } from '@/components/ui/words';
import type { Answer } from '@/components/dashboard/api';

/** Passes an answer on; when it says that the store was changed, reads the page anew. */
export function useStoreVersion(): <Value>(answer: Answer<Value>) => Answer<Value> {
  const { t } = useWords();
  const toast = useToast();
  const router = useRouter();
  return (answer) => {
    if ('fault' in answer && answer.fault.code === 'STORE_CHANGED') {
      // The form is drawn anew, and what is said inside it would be gone.
      toast(t('storeChangedMeanwhile'), 'bad');
      router.refresh();
    }
    return answer;
  };
}
