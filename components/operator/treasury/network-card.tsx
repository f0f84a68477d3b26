// One network on the page Treasury: whether it is swept, what is where, what it costs, and the button that pauses it.

import type { ReactNode } from 'react';
import { Badge, type Tone } from '@/components/ui/badge';
import { Card, Note } from '@/components/ui/card';
import { Table } from '@/components/ui/table';
import { networkIn } from '@/components/operator/names';
import type { NetworkTreasury, TreasuryStatus } from '@/lib/dashboard/operator/treasury/read';
import type { NetworkPlaces } from '@/lib/dashboard/operator/treasury/places';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';
import { NetworkFacts } from './network-facts';
import { Outgoing } from './outgoing';
import { PauseButton } from './pause-button';
import { placeColumns } from './place-columns';
import { WalletWarnings } from './wallet-warnings';
import { skippedColumns } from './skipped-columns';
import { tokenColumns } from './token-columns';

type Props = { readonly words: DashboardWords; readonly one: NetworkTreasury };
type CardProps = Props & { readonly places: NetworkPlaces | undefined };

const TONES: Readonly<Record<TreasuryStatus, Tone>> = {
  sweeping: 'good',
  paused: 'warn',
  waiting: 'warn',
  silent: 'warn',
  off: 'plain',
};

export function NetworkCard({ words, one, places }: CardProps) {
  const { t } = words;
  const { status, wallets } = one;
  const name = networkIn(t, one);
  return (
    <section aria-label={name}>
      <Card
        title={name}
        actions={
          <>
            <Badge tone={TONES[status]}>{t(`treasuryStatus_${status}`)}</Badge>
            {wallets && <PauseButton {...{ words, one, name }} treasury={wallets.treasury} />}
          </>
        }
        isFlush
      >
        <StatusNote {...{ words, one }} />
        <WalletWarnings {...{ words }} warnings={one.warnings} />
        <Table
          isBare
          cardsBelow="lg"
          label={name}
          columns={tokenColumns(words)}
          rows={one.tokens}
          rowKey={({ currency }) => currency}
          empty={null}
        />
        {places && (
          <div className="border-t border-line pt-4">
            <h3 className="px-4 font-bold sm:px-5">{t('navWallets')}</h3>
            <Table
              isBare
              cardsBelow="lg"
              label={`${t('navWallets')}: ${name}`}
              columns={placeColumns(words, places.tokens)}
              rows={places.tokens}
              rowKey={({ currency }) => currency}
              empty={null}
            />
          </div>
        )}
        <NetworkFacts {...{ words, one }} quarantined={places?.quarantined ?? 0} />
        <Outgoing {...{ words, one, name }} />
        {one.skippedCount > 0 && <Skipped {...{ words, one }} />}
      </Card>
    </section>
  );
}

const note = (title: string, text: string, tone: 'warn' | 'info' = 'warn') => (
  <div className="px-4 pb-4 sm:px-5">
    <Note {...{ tone, title }}>{text}</Note>
  </div>
);

/** Why nothing is swept now, and what to do. */
function StatusNote({ words: { t, format }, one }: Props) {
  const { status, hold, pausedBy, wallets, coin } = one;
  if (status === 'paused') {
    const title = pausedBy === null ? t('treasuryPaused') : t('treasuryPausedBy', { name: pausedBy });
    return note(title, t('treasuryPausedText'));
  }
  if (status === 'silent' && wallets)
    return note(t('treasurySilent', { time: format.minute(unixSeconds(wallets.readAt)) }), t('treasurySilentText'));
  if (status === 'off') return note(t('treasuryOff'), t('treasuryOffText'), 'info');
  if (hold === null) return null;
  const key = `treasuryHold_${hold}` as 'treasuryHold_budget';
  if (!t.has(key)) return note(t('treasuryStatus_waiting'), hold);
  const explanation = t(`treasuryHoldText_${hold}` as 'treasuryHoldText_sponsor_low', { coin });
  return note(t(key), explanation);
}

function Skipped({ words, one }: Props): ReactNode {
  const { t, format } = words;
  const { skipped, skippedCount } = one;
  const isPart = skipped.length < skippedCount;
  return (
    <div className="border-t border-line pt-4">
      <div className="px-4 pb-2 sm:px-5">
        <h3 className="font-bold">
          {t('treasurySkipped')} ({format.number(skippedCount)})
        </h3>
        <p className="max-w-prose text-muted">
          {t('treasurySkippedText')} {isPart && t('treasurySkippedPart', { shown: format.number(skipped.length) })}
        </p>
      </div>
      <Table
        isBare
        label={`${t('treasurySkipped')}: ${networkIn(t, one)}`}
        columns={skippedColumns(words, one.environment)}
        rows={skipped}
        rowKey={({ address, currency }) => `${address} ${currency}`}
        empty={null}
      />
    </div>
  );
}
