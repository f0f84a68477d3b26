// The freeze switch and the signer's state. One press stops all signing. Resuming happens at the signer's own terminal,
// and the card says how.

import { Badge } from '@/components/ui/badge';
import { Card, Note } from '@/components/ui/card';
import { CodeBlock } from '@/components/ui/code-block';
import { DateTime } from '@/components/ui/date-time';
import { unixSeconds } from '@/lib/platform/clock';
import type { FreezeState } from '@/lib/installation/freeze/request';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';

const UNFREEZE = 'stabletill signer unfreeze';
const LONGEST_REASON = 150;

export function FreezeCard({ words: { t }, freeze }: { words: DashboardWords; freeze: FreezeState }) {
  const isStopped = freeze.isFrozen === true || freeze.waiting !== null;
  return (
    <Card
      id="freeze"
      title={t('operatorFreezeTitle')}
      text={t('operatorFreezeText')}
      actions={
        <>
          <SignerBadge {...{ t, freeze }} />
          {!isStopped && (
            <ConfirmButton
              trigger={t('operatorFreeze')}
              icon="lock"
              title={t('operatorFreezeConfirm')}
              text={t('operatorFreezeConfirmText')}
              submit={t('operatorFreezeDo')}
              submitKind="danger"
              done={t('operatorFreezeDone')}
              path="/operator/freeze"
              field={{
                name: 'reason',
                label: t('operatorReason'),
                hint: t('operatorFreezeReasonHint'),
                isRequired: true,
                longest: LONGEST_REASON,
              }}
            />
          )}
        </>
      }
    >
      <div className="grid gap-3">
        {freeze.waiting && (
          <Note tone="bad" title={t('operatorFreezeWaiting')}>
            {freeze.waiting.trouble ?? t('operatorFreezeWaitingText')}
          </Note>
        )}
        {freeze.isFrozen && (
          <Note tone="warn" title={t('operatorFrozen')}>
            <p>{freeze.reason ?? t('operatorFrozenNoReason')}</p>
            {freeze.last && (
              <p>{t('operatorFreezeLast', { name: freeze.last.requestedBy, reason: freeze.last.reason })}</p>
            )}
          </Note>
        )}
        {freeze.trouble && !freeze.waiting && (
          <Note tone="warn" title={t('operatorSignerSilent')}>
            {freeze.trouble}
          </Note>
        )}
        {isStopped && (
          <div className="grid gap-2">
            <p className="max-w-prose text-muted">{t('operatorUnfreezeText')}</p>
            <CodeBlock text={UNFREEZE} label={t('operatorUnfreezeCommand')} />
          </div>
        )}
        {freeze.readAt && (
          <p className="text-[0.8125rem] text-muted">
            {t('operatorSignerRead')} <DateTime at={unixSeconds(freeze.readAt)} />
          </p>
        )}
      </div>
    </Card>
  );
}

function SignerBadge({ t, freeze }: { t: DashboardWords['t']; freeze: FreezeState }) {
  if (freeze.waiting) return <Badge tone="bad">{t('operatorSigner_freezing')}</Badge>;
  if (freeze.isFrozen) return <Badge tone="bad">{t('operatorSigner_frozen')}</Badge>;
  if (freeze.trouble !== null || freeze.isFrozen === null)
    return <Badge tone="warn">{t('operatorSigner_silent')}</Badge>;
  return <Badge tone="good">{t('operatorSigner_ready')}</Badge>;
}
