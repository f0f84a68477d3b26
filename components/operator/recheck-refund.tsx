// Releases a hold that only a person can end: the operator enters what they found, and the worker checks again.

import type { HeldRefund } from '@/lib/dashboard/operator/refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';

export function Recheck({ words: { t }, row }: { readonly words: DashboardWords; readonly row: HeldRefund }) {
  if (row.hold !== 'unclear') return null;
  return (
    <ConfirmButton
      isSmall
      trigger={t('operatorRecheck')}
      title={t('operatorRecheckTitle')}
      text={t('operatorRecheckText')}
      done={t('operatorRecheckDone')}
      path={`/operator/refunds/${row.id}/again`}
      field={{
        name: 'note',
        label: t('operatorRecheckNote'),
        hint: t('operatorRecheckNoteHint'),
        isRequired: true,
      }}
    />
  );
}
