// The banner of the console while a reset of an operator's sign-in waits. Every operator may cancel it.

import { Note } from '@/components/ui/card';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { OpenReset } from '@/lib/merchants/accounts/operator-reset/open-resets';
import { unixSeconds } from '@/lib/platform/clock';
import { ConfirmButton } from './confirm-button';

type Props = {
  readonly words: DashboardWords;
  readonly resets: readonly Omit<OpenReset, 'requestedAt' | 'lapsesAt'>[];
};

export function ResetNotice({ words: { t, format }, resets }: Props) {
  return resets.map(({ id, email, readyAt }) => (
    <div key={id} className="no-print mb-5">
      <Note tone="bad" isAlert title={t('operatorResetTitle', { email })}>
        <p>{t('operatorResetText', { time: format.minute(unixSeconds(readyAt)) })}</p>
        <div className="mt-2">
          <ConfirmButton
            isSmall
            trigger={t('operatorResetCancel')}
            title={t('operatorResetConfirm', { email })}
            submitKind="danger"
            done={t('operatorResetCanceled')}
            path={`/operator/resets/${id}/cancel`}
          />
        </div>
      </Note>
    </div>
  ));
}
