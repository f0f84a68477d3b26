// Shows that an approved store changed its public identity, until an operator confirms having reviewed it.

import { Note } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { unixSeconds } from '@/lib/platform/clock';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';

type Props = {
  readonly words: DashboardWords;
  readonly storeId: string;
  readonly name: string;
  readonly changedAt: Date;
};

export function StoreChanged({ words: { t }, storeId, name, changedAt }: Props) {
  return (
    <Note tone="warn" title={t('operatorChangedTitle')}>
      <span className="grid gap-2">
        <span>
          {t('operatorChangedText')} <DateTime at={unixSeconds(changedAt)} isExact />
        </span>
        <span>
          <ConfirmButton
            trigger={t('operatorReviewed')}
            title={t('operatorReviewedTitle', { name })}
            text={t('operatorReviewedText')}
            submit={t('operatorReviewed')}
            done={t('operatorReviewedDone')}
            path={`/operator/stores/${storeId}/seen`}
            body={{ changed_at: changedAt.getTime() }}
          />
        </span>
      </span>
    </Note>
  );
}
