'use client';
// Cancels a payout after a question, while nothing is signed for it.

import { Confirm } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';
import type { Answer } from '@/components/dashboard/api';
import type { Api } from '@/components/dashboard/step-up';
import { useAction } from '@/components/dashboard/use-action';

type Canceled = { readonly is_canceled: boolean };

export function CancelPayout({ api, id }: { api: string; id: string }) {
  const { t } = useWords();
  const { run } = useAction(
    async (call: Api, _: null): Promise<Answer<Canceled>> => {
      const answer = await call.post<Canceled>(`${api}/payouts/${id}/cancel`);
      if ('fault' in answer || answer.value.is_canceled) return answer;
      return { fault: { code: 'too_late', message: t('pouCancelLate'), param: null } };
    },
    { done: t('pouCanceled') },
  );
  return (
    <Confirm
      trigger={t('pouCancel')}
      isSmall
      title={t('pouCancelTitle')}
      text={t('pouCancelText')}
      confirm={t('pouCancel')}
      isDangerous
      onConfirm={() => run(null)}
    />
  );
}
