// Pauses the sweeps of a network, or lets them go on. Resuming shows the wallet that they go to.

import { ConfirmButton } from '@/components/operator/confirm-button';
import { Address } from '@/components/ui/address';
import type { NetworkTreasury } from '@/lib/dashboard/operator/treasury/read';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

type Props = {
  readonly words: DashboardWords;
  readonly one: Pick<NetworkTreasury, 'environment' | 'network' | 'status'>;
  /** Of the network. */
  readonly name: string;
  readonly treasury: string;
};

export function PauseButton({ words: { t }, one, name, treasury }: Props) {
  const path = `/operator/sweeps/${one.environment}/${one.network}`;
  if (one.status !== 'paused') {
    return (
      <ConfirmButton
        isSmall
        trigger={t('treasuryPause')}
        title={t('treasuryPauseTitle', { network: name })}
        text={t('treasuryPauseText')}
        done={t('treasuryPaused')}
        path={`${path}/pause`}
      />
    );
  }
  return (
    <ConfirmButton
      isSmall
      triggerKind="primary"
      trigger={t('treasuryResume')}
      title={t('treasuryResumeTitle', { network: name })}
      text={t('treasuryResumeText')}
      done={t('treasuryResumed')}
      path={`${path}/resume`}
    >
      <p className="grid gap-1">
        <span className="text-muted">{t('treasuryWallet')}</span>
        <Address text={treasury} />
      </p>
    </ConfirmButton>
  );
}
