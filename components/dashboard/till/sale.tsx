'use client';
// One sale on the whole screen: its state, how to pay it, and the result as a word for across the counter and a sound.
// The screen shows the server's status; it never decides anything about money.

import * as Ariakit from '@ariakit/react';
import { useEffect, useRef, useState } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';
import type { Chime } from './chime';
import { useStoredSetting } from './stored-setting';
import { SaleView, TimeLeft } from './sale-view';
import { SaleHead, type ShownSale } from './sale-head';
import { useSaleStatus } from './sale-status';
import { isAwaited, isEnded, hasException, saleStage, type SaleStage } from './stage';

type Props = {
  readonly api: string;
  readonly base: string;
  readonly storeName: string;
  readonly sale: ShownSale;
  readonly chime: Chime;
  readonly onClose: () => void;
  /** Whether it can be paid with test money. */
  readonly hasTestMoney: boolean;
};

export function Sale({ api, base, storeName, sale, chime, onClose, hasTestMoney }: Props) {
  const { t, format } = useWords();
  const { status, isOffline } = useSaleStatus(sale.id);
  const [sound, setSound] = useStoredSetting('sound', 'on');
  const isLoud = sound === 'on';
  const stage = status && saleStage(status);
  useSoundWhenPaid(stage, chime, isLoud);
  const isOver = stage !== null && isEnded(stage);
  const nextIn = useNextSale(stage, onClose);
  const isPayable = stage !== null && isAwaited(stage);
  const screen = useRef<HTMLDivElement>(null);
  return (
    <Ariakit.Dialog
      open
      hideOnEscape={false}
      hideOnInteractOutside={false}
      onClose={onClose}
      // Not the sound switch, because the space bar would turn the sound off.
      initialFocus={screen}
      aria-label={t('tillSale', { amount: `${format.amount(sale.amount)} ${sale.currency}` })}
      className={`dash fixed inset-0 z-50 flex flex-col overflow-y-auto text-ink outline-none ${stage === 'paid' ? 'bg-good-soft' : 'bg-ground'}`}
    >
      {/* This dialog covers the band above the pages. */}
      {sale.id.startsWith('cs_test_') && (
        <p className="flex-none bg-test px-2 text-center text-2xs leading-5 font-semibold text-test-ink sm:text-xs">
          {t('navTestBand')}
        </p>
      )}
      <div
        ref={screen}
        tabIndex={-1}
        className="mx-auto grid w-full max-w-5xl shrink-0 grow grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr_auto] gap-4 p-4 outline-none sm:p-6"
      >
        <SaleHead
          {...{ storeName, sale, chime, isLoud }}
          onSound={setSound}
          hasAmount={stage !== 'paid' && !(isPayable && status && status.methods.length > 0)}
        >
          {isPayable && status && <TimeLeft status={status} />}
        </SaleHead>
        {status && stage ? (
          <SaleView status={status} stage={stage} sale={sale} testApi={hasTestMoney ? api : null} />
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
          {status && hasException(status) && <Note tone="warn">{t('tillException')}</Note>}
          <div className="grid gap-2 sm:flex sm:flex-wrap">
            {isOver ? (
              <Button kind="primary" onClick={onClose}>
                <span className="px-4 py-1.5 text-base">
                  {nextIn === null ? t('tillNew') : `${t('tillNew')} · ${nextIn}`}
                </span>
              </Button>
            ) : (
              <Cancel api={api} saleId={sale.id} onCanceled={onClose} />
            )}
            {!isOver && <Button onClick={onClose}>{t('tillBack')}</Button>}
            <ButtonLink href={`${base}/payments/${sale.id}`} kind="quiet">
              {t('tillOpenPayment')}
            </ButtonLink>
          </div>
        </footer>
      </div>
    </Ariakit.Dialog>
  );
}

/** Once, when a sale becomes paid while it is shown; not when a paid sale is opened again. */
function useSoundWhenPaid(stage: SaleStage | null, chime: Chime, isOn: boolean): void {
  const last = useRef<SaleStage>(null);
  useEffect(() => {
    const before = last.current;
    last.current = stage;
    if (stage === 'paid' && before !== null && before !== 'paid' && isOn) chime.play();
  }, [stage, chime, isOn]);
}

/** Seconds for which a paid sale is shown before the till is ready for the next. */
const NEXT_SALE_SECONDS = 8;

/** Seconds until the next sale, after one became paid on this screen. Null without a countdown, as after a touch. */
function useNextSale(stage: SaleStage | null, onNext: () => void): number | null {
  const last = useRef<SaleStage>(null);
  const next = useRef(onNext);
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    next.current = onNext;
  });
  useEffect(() => {
    const before = last.current;
    last.current = stage;
    if (stage !== 'paid' || before === null || before === 'paid') return;
    let seconds = NEXT_SALE_SECONDS;
    const stay = new AbortController();
    const end = (): void => {
      clearInterval(timer);
      stay.abort();
      setLeft(null);
    };
    const timer = setInterval(() => {
      seconds -= 1;
      if (seconds > 0) return setLeft(seconds);
      end();
      next.current();
    }, 1000);
    for (const touch of ['pointerdown', 'keydown'] as const)
      window.addEventListener(touch, end, { signal: stay.signal });
    return end;
  }, [stage]);
  return left;
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
