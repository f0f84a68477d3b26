// The state of a payout: its status, whether a schedule requested it, and why it is on hold.

import { Badge, type Tone } from '@/components/ui/badge';
import type { MessageKey } from '@/components/ui/words';
import type { PayoutView } from '@/lib/dashboard/payouts/payouts';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

const TONES: Readonly<Record<PayoutView['status'], Tone>> = {
  pending: 'info',
  processing: 'info',
  completed: 'good',
  failed: 'bad',
  canceled: 'plain',
};

type Props = Pick<DashboardWords, 't'> & { readonly payout: Pick<PayoutView, 'status' | 'isScheduled' | 'hold'> };

export function PayoutState({ t, payout: { status, isScheduled, hold } }: Props) {
  return (
    <span className="inline-flex flex-wrap gap-2 align-middle">
      <Badge tone={TONES[status]}>{t(`pouStatus_${status}`)}</Badge>
      {isScheduled && <Badge>{t('pouAutomatic')}</Badge>}
      {hold !== null && <Badge tone="warn">{t('refHeld')}</Badge>}
    </span>
  );
}

/** Payouts have their own words for what concerns their address and limits; the rest is the same as for refunds. */
export function holdText(t: DashboardWords['t'], hold: string): string {
  for (const key of [`pouHold_${hold}`, `hold_${hold}`])
    if (t.has(key as MessageKey)) return t(key as 'pouHold_frozen');
  return hold;
}
