// What leaves the refund wallet of a network: refunds, payouts and transfers to the cold wallet. Each can be paused alone.

import { ConfirmButton } from '@/components/operator/confirm-button';
import { Badge } from '@/components/ui/badge';
import { PAUSED_KINDS, type PausedKind } from '@/lib/dashboard/operator/treasury/pause-payments';
import type { NetworkTreasury } from '@/lib/dashboard/operator/treasury/read';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';

type Props = {
  readonly words: DashboardWords;
  readonly one: Pick<NetworkTreasury, 'environment' | 'network' | 'pauses'>;
  /** Of the network. */
  readonly name: string;
};

export function Outgoing({ words, one, name }: Props) {
  const { t } = words;
  return (
    <div className="grid gap-2 border-t border-line px-4 py-4 sm:px-5">
      <h3 className="font-bold">{t('treasuryOutgoing')}</h3>
      <ul className="grid gap-2">
        {PAUSED_KINDS.map((kind) => (
          <Kind key={kind} {...{ words, one, name, kind }} />
        ))}
      </ul>
    </div>
  );
}

function Kind({ words: { t, format }, one, name, kind }: Props & { readonly kind: PausedKind }) {
  const pause = one.pauses.find((each) => each.kind === kind);
  const path = `/operator/payments/${one.environment}/${one.network}/${kind}`;
  return (
    <li className="flex flex-wrap items-center gap-2" data-outgoing={kind}>
      <span className="flex flex-wrap items-center gap-2">
        <span>{t(`treasuryOutgoing_${kind}`)}</span>
        <Badge tone={pause ? 'warn' : 'good'}>{t(pause ? 'treasuryStatus_paused' : 'treasuryOutgoingOn')}</Badge>
        {pause && (
          <span className="text-muted">
            {[
              ...(pause.pausedBy === null ? [] : [t('treasuryPausedBy', { name: pause.pausedBy })]),
              format.minute(unixSeconds(pause.pausedAt)),
            ].join(' · ')}
          </span>
        )}
      </span>
      <span className="ms-auto">
        {pause ? (
          <ConfirmButton
            isSmall
            triggerKind="primary"
            trigger={t(`treasuryResume_${kind}`)}
            title={`${t(`treasuryResume_${kind}`)} · ${name}`}
            text={t('treasuryResumeOutgoing')}
            submit={t(`treasuryResume_${kind}`)}
            done={t('treasuryOutgoingResumed')}
            path={`${path}/resume`}
          />
        ) : (
          <ConfirmButton
            isSmall
            trigger={t(`treasuryPause_${kind}`)}
            title={`${t(`treasuryPause_${kind}`)} · ${name}`}
            text={t(`treasuryPauseText_${kind}`)}
            submitKind={kind === 'refunds' ? 'danger' : 'primary'}
            done={t('treasuryStatus_paused')}
            path={`${path}/pause`}
          />
        )}
      </span>
    </li>
  );
}
