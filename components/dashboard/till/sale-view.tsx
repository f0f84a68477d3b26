'use client';
// The state of a sale, readable across the counter: what is pending and how to pay it, or the final state.

import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import { clockText } from '@/lib/payments/checkout/clock-text';
import type { PublicStatus } from '@/lib/payments/checkout/view';
import { SaleCode } from './sale-code';
import type { ShownSale } from './sale-head';
import { useSecondsLeft } from './sale-status';
import { isAwaited, isEnded, shortOf, slowestPayment, type SaleStage } from './stage';

type SaleViewProps = {
  readonly status: PublicStatus;
  readonly stage: SaleStage;
  readonly sale: ShownSale;
  readonly testApi: string | null;
};

export function SaleView({ status, stage, sale, testApi }: SaleViewProps) {
  const { t, format } = useWords();
  const short = shortOf(status);
  const currency = status.methods[0]?.currency ?? sale.currency;
  const text =
    stage === 'short' && short ? t('tillStage_short', { ...short, currency }) : t(`tillStage_${stage}` as const);
  const slowest = stage === 'confirming' || stage === 'short' ? slowestPayment(status) : null;
  const isOver = isEnded(stage);
  return (
    <main
      className={isOver || status.methods.length === 0 ? 'grid place-content-center gap-4' : 'grid content-start gap-4'}
    >
      <div
        role="status"
        data-sale={stage}
        className={isOver ? 'grid justify-items-center gap-3 text-center' : 'flex min-w-0 items-center gap-2.5'}
      >
        <Mark stage={stage} />
        <div className="min-w-0">
          <p className={LOUD.has(stage) ? 'text-3xl font-bold' : 'font-semibold'}>{text}</p>
          {stage === 'paid' && (
            <p className="text-[3.5rem]/16 font-bold tabular-nums">
              <bdi>
                {format.amount(sale.amount)} {sale.currency}
              </bdi>
            </p>
          )}
          {slowest && (
            <p className="text-muted tabular-nums">
              {t('tillConfirmations', { count: slowest.confirmations, required: slowest.confirmations_required })}
            </p>
          )}
        </div>
      </div>
      {isAwaited(stage) && <SaleCode methods={status.methods} seen={status.seen} sale={sale} testApi={testApi} />}
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
      className="size-5 flex-none animate-spin rounded-full border-3 border-line border-t-accent motion-reduce:animate-none"
    />
  );
}

/** A remaining time below this is emphasized. */
const SHORT_SECONDS = 120;

export function TimeLeft({ status }: { status: PublicStatus }) {
  const { t } = useWords();
  const left = useSecondsLeft(status);
  return (
    <p
      className={`rounded-full px-3 py-1 tabular-nums ${left < SHORT_SECONDS ? 'bg-warn-soft text-warn' : 'bg-hover text-muted'}`}
    >
      <span className="max-sm:sr-only">{t('tillTimeLeft')} </span>
      <span role="timer" dir="ltr" className={`font-semibold ${left < SHORT_SECONDS ? '' : 'text-ink'}`}>
        {clockText(left)}
      </span>
    </p>
  );
}
