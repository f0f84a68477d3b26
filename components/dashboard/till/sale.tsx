'use client';
// One sale on the whole screen: where it stands, how to pay it, and at the end a word that is seen across the counter and a sound.
// What it says is the server's status; it never concludes anything about money by itself.

import * as Ariakit from '@ariakit/react';
import { useEffect, useRef } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button, ButtonLink, IconButton } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import type { PublicStatus } from '@/lib/sessions/checkout-view';
import { useAction } from '../use-action';
import type { Chime } from './chime';
import { useRemembered } from './remembered';
import { SaleCode } from './sale-code';
import { clockText, useSaleStatus, useSecondsLeft } from './sale-status';
import { isEnded, isOdd, saleStage, shortOf, slowestPayment, type SaleStage } from './stage';

export type ShownSale = {
  readonly id: string;
  /** Decimal text in whole units of the currency. */
  readonly amount: string;
  readonly currency: string;
  readonly note: string | null;
};

type Props = {
  readonly api: string;
  readonly base: string;
  readonly sale: ShownSale;
  readonly chime: Chime;
  readonly onClose: () => void;
};

export function Sale({ api, base, sale, chime, onClose }: Props) {
  const { t, format } = useWords();
  const { status, isOffline } = useSaleStatus(sale.id);
  const [sound, setSound] = useRemembered('sound', 'on');
  const stage = status && saleStage(status);
  useSoundWhenPaid(stage, chime, sound === 'on');
  const isOver = stage !== null && isEnded(stage);
  return (
    <Ariakit.Dialog
      open
      hideOnEscape={false}
      hideOnInteractOutside={false}
      onClose={onClose}
      aria-label={t('tillSale', { amount: `${format.amount(sale.amount)} ${sale.currency}` })}
      className={`dash fixed inset-0 z-50 overflow-y-auto text-ink outline-none ${stage === 'paid' ? 'bg-good-soft' : 'bg-ground'}`}
    >
      <div className="mx-auto grid min-h-dvh max-w-5xl grid-rows-[auto_1fr_auto] gap-4 p-4 sm:p-6">
        <header className="flex items-start justify-between gap-3">
          <div className="grid min-w-0 gap-1">
            <p className="text-3xl leading-tight font-bold tracking-tight tabular-nums sm:text-4xl">
              <bdi>{format.amount(sale.amount)}</bdi> <span className="text-xl text-muted">{sale.currency}</span>
            </p>
            {/* The band above the pages is covered here. */}
            {sale.id.startsWith('cs_test_') && (
              <span>
                <Badge tone="warn">{t('navTestBand')}</Badge>
              </span>
            )}
            {sale.note !== null && (
              <p className="text-muted">
                <bdi>{sale.note}</bdi>
              </p>
            )}
          </div>
          <IconButton
            icon={sound === 'on' ? 'sound' : 'soundOff'}
            label={t('tillSound')}
            aria-pressed={sound === 'on'}
            onClick={() => {
              chime.unlock();
              setSound(sound === 'on' ? 'off' : 'on');
            }}
          />
        </header>
        {status && stage ? (
          <Face status={status} stage={stage} sale={sale} />
        ) : (
          <p role="status" className="grid place-items-center text-muted">
            {isOffline ? t('tillOffline') : t('tillStage_pay')}
          </p>
        )}
        <footer className="grid gap-3">
          {isOffline && status && (
            <Note tone="warn" isAlert>
              {t('tillOffline')}
            </Note>
          )}
          {status && isOdd(status) && <Note tone="warn">{t('tillOdd')}</Note>}
          <div className="flex flex-wrap gap-2">
            {isOver ? (
              <Button kind="primary" onClick={onClose}>
                <span className="px-4 py-1.5 text-base">{t('tillNew')}</span>
              </Button>
            ) : (
              <Cancel api={api} saleId={sale.id} onCanceled={onClose} />
            )}
            {!isOver && <Button onClick={onClose}>{t('tillBack')}</Button>}
            <ButtonLink href={`${base}/payments/${sale.id}`} kind="quiet">
              {t('tillLook')}
            </ButtonLink>
          </div>
        </footer>
      </div>
    </Ariakit.Dialog>
  );
}

/** Once, when a sale becomes paid before somebody's eyes; not for one that is looked at again. */
function useSoundWhenPaid(stage: SaleStage | null, chime: Chime, isOn: boolean): void {
  const last = useRef<SaleStage>(null);
  useEffect(() => {
    const before = last.current;
    last.current = stage;
    if (stage === 'paid' && before !== null && before !== 'paid' && isOn) chime.play();
  }, [stage, chime, isOn]);
}

type FaceProps = { readonly status: PublicStatus; readonly stage: SaleStage; readonly sale: ShownSale };

function Face({ status, stage, sale }: FaceProps) {
  const { t } = useWords();
  const short = shortOf(status);
  const currency = status.methods[0]?.currency ?? sale.currency;
  const text =
    stage === 'short' && short ? t('tillStage_short', { ...short, currency }) : t(`tillStage_${stage}` as const);
  const slowest = stage === 'confirming' || stage === 'short' ? slowestPayment(status) : null;
  const isOver = isEnded(stage);
  const isAwaited = stage === 'pay' || stage === 'short';
  return (
    <main
      className={isOver || status.methods.length === 0 ? 'grid place-content-center gap-4' : 'grid content-start gap-4'}
    >
      <div className={isOver ? '' : 'flex flex-wrap items-center justify-between gap-x-6 gap-y-2'}>
        <div
          role="status"
          data-sale={stage}
          className={isOver ? 'grid justify-items-center gap-3 text-center' : 'flex min-w-0 items-center gap-3'}
        >
          <Mark stage={stage} />
          <div className="min-w-0">
            <p className={LOUD.has(stage) ? 'text-5xl font-bold sm:text-6xl' : 'text-lg font-semibold'}>{text}</p>
            {slowest && (
              <p className="text-muted tabular-nums">
                {t('tillConfirmations', { count: slowest.confirmations, required: slowest.confirmations_required })}
              </p>
            )}
          </div>
        </div>
        {isAwaited && <TimeLeft status={status} />}
      </div>
      {isAwaited && <SaleCode methods={status.methods} seen={status.seen} saleId={sale.id} />}
    </main>
  );
}

const LOUD: ReadonlySet<SaleStage> = new Set(['paid']);

function Mark({ stage }: { stage: SaleStage }) {
  if (stage === 'paid')
    return (
      <span className="grid size-28 place-items-center rounded-full bg-good text-surface">
        <Icon name="check" size={72} />
      </span>
    );
  if (stage === 'expired' || stage === 'canceled' || stage === 'failed')
    return (
      <span className="grid size-16 place-items-center rounded-full bg-bad-soft text-bad">
        <Icon name="close" size={36} />
      </span>
    );
  return (
    <span
      aria-hidden="true"
      className="size-6 flex-none animate-spin rounded-full border-3 border-line border-t-accent motion-reduce:animate-none"
    />
  );
}

function TimeLeft({ status }: { status: PublicStatus }) {
  const { t } = useWords();
  const left = useSecondsLeft(status);
  return (
    <p className="text-muted tabular-nums">
      {t('tillTimeLeft')}{' '}
      <span role="timer" dir="ltr" className="font-semibold text-ink">
        {clockText(left)}
      </span>
    </p>
  );
}

function Cancel({ api, saleId, onCanceled }: { api: string; saleId: string; onCanceled: () => void }) {
  const { t } = useWords();
  const { run, isPending } = useAction<null, { status: string }>(
    (call) => call.post(`${api}/till/sales/${saleId}/cancel`),
    {
      done: t('tillStage_canceled'),
      isQuiet: true,
      onDone: onCanceled,
    },
  );
  return (
    <Button icon="close" isPending={isPending} onClick={() => void run(null)}>
      {t('tillCancel')}
    </Button>
  );
}
