// The last signed proof of reserves, and the button with which an operator requests another one.

import { ConfirmButton } from '@/components/operator/confirm-button';
import { Card } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';
import type { Environment } from '@/lib/platform/ids';

type Props = { readonly words: DashboardWords; readonly environment: Environment; readonly lastAt: Date | null };

export function SignedProof({ words: { t }, environment, lastAt }: Props) {
  return (
    <Card
      title={t('reservesSigned')}
      text={t('reservesSignedText')}
      actions={
        <ConfirmButton
          isSmall
          trigger={t('reservesMake')}
          title={t('reservesMakeTitle')}
          text={t('reservesMakeText')}
          done={t('reservesMade')}
          path={`/operator/reserves/${environment}`}
        />
      }
    >
      <p>
        <span className="text-muted">{t('reservesNewest')}: </span>
        {lastAt ? <DateTime at={unixSeconds(lastAt)} isExact /> : t('reservesNoProof')}
      </p>
    </Card>
  );
}
