'use client';
// The history of a payment or a refund, in order.

import type { ReactNode } from 'react';
import { Icon, type IconName } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import type { Moment } from '@/lib/dashboard/payment/timeline';
import { shortened } from '@/components/ui/shortened';
import { useNetworkName } from './status';

type Tone = 'good' | 'warn' | 'bad' | 'plain';
export type Step = {
  readonly at: number;
  readonly icon: IconName;
  readonly tone: Tone;
  readonly text: ReactNode;
  readonly note?: ReactNode;
};

const TONES: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  plain: 'bg-hover text-muted',
};

export function Steps({ steps, label }: { steps: readonly Step[]; label: string }) {
  return (
    <ol aria-label={label} className="m-0 grid list-none p-0">
      {steps.map((step, index) => (
        // Entries are appended and never move.
        <li key={index} className="group relative flex gap-3 pb-4 last:pb-0">
          <span aria-hidden="true" className="absolute start-3.5 top-7 bottom-0 w-px bg-line group-last:hidden" />
          <span className={`z-1 grid size-7 flex-none place-items-center rounded-full ${TONES[step.tone]}`}>
            <Icon name={step.icon} size={14} />
          </span>
          <div className="min-w-0 flex-1 pt-0.5">
            <p>{step.text}</p>
            <p className="flex flex-wrap gap-x-2 text-[0.8125rem] text-muted">
              {step.note && <span className="min-w-0 wrap-break-word">{step.note}</span>}
              <StepTime at={Math.floor(step.at)} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** To the second, on one line; the page above shows the relative time. */
function StepTime({ at }: { at: number }) {
  const { format, now } = useWords();
  return (
    <time
      dateTime={new Date(at * 1000).toISOString()}
      title={format.relative(at, now)}
      className="whitespace-nowrap tabular-nums"
    >
      {format.second(at)}
    </time>
  );
}

export function Timeline({ moments, base }: { moments: readonly Moment[]; base: string }) {
  const { t } = useWords();
  const stepOf = useStep(base);
  return <Steps label={t('payTimeline')} steps={moments.map(stepOf)} />;
}

function useStep(base: string): (moment: Moment) => Step {
  const { t, format } = useWords();
  const network = useNetworkName();
  const money = (of: { amount: string; currency: string }): string => format.money(of.amount, of.currency);
  return (moment) => {
    const { at } = moment;
    switch (moment.kind) {
      case 'created':
        return { at, icon: 'plus', tone: 'plain', text: t('tlCreated') };
      case 'seen':
        return {
          at,
          icon: 'eye',
          tone: 'plain',
          text: t('tlSeen', { amount: money(moment), network: network(moment.network) }),
          note: (
            <>
              {link(moment)}
              {!moment.isFinal && ` · ${t('tlConfirmations', { count: moment.confirmations, of: moment.required })}`}
            </>
          ),
        };
      case 'confirmed':
        return {
          at,
          icon: 'check',
          tone: 'good',
          text: t('tlConfirmed', { amount: money(moment), network: network(moment.network) }),
          note: link(moment),
        };
      case 'orphaned':
        return { at, icon: 'warn', tone: 'warn', text: t('tlOrphaned', { amount: money(moment) }), note: link(moment) };
      case 'status':
        return {
          at,
          icon: moment.to === 'completed' ? 'check' : moment.to === 'failed' ? 'warn' : 'info',
          tone: moment.to === 'completed' ? 'good' : moment.to === 'failed' ? 'bad' : 'plain',
          text: moment.move === 'accept' ? t('tlAccepted') : t('tlStatus', { status: t(`payStatus_${moment.to}`) }),
        };
      case 'exception':
        return {
          at,
          icon: 'warn',
          tone: 'warn',
          text: t('tlException', { amount: money(moment), kind: t(`exceptionKind_${moment.exceptionKind as 'late'}`) }),
        };
      case 'decided':
        return { at, icon: 'user', tone: 'plain', text: t(`exceptionState_${moment.state}`), note: moment.note };
      case 'refund':
        return {
          at,
          icon: 'refunds',
          tone: 'plain',
          text: <a href={`${base}/refunds/${moment.id}`}>{t('tlRefund', { amount: money(moment) })}</a>,
        };
      case 'refundEnded':
        return {
          at,
          icon: moment.status === 'completed' ? 'check' : 'warn',
          tone: moment.status === 'completed' ? 'good' : 'warn',
          text: (
            <a href={`${base}/refunds/${moment.id}`}>
              {t('tlRefundEnded', { amount: money(moment), status: t(`refStatus_${moment.status}`) })}
            </a>
          ),
        };
      case 'event':
        return {
          at,
          icon: 'events',
          tone: moment.delivery === 'failed' ? 'warn' : 'plain',
          text: t('tlEvent', { type: moment.type }),
          note: moment.delivery === null ? t('evtNowhere') : t(`evtDelivery_${moment.delivery as 'pending'}`),
        };
    }
  };
}

const link = (of: { transaction_hash: string; explorerUrl: string | null }): ReactNode =>
  of.explorerUrl === null ? (
    <code>{shortened(of.transaction_hash)}</code>
  ) : (
    <a href={of.explorerUrl} target="_blank" rel="noreferrer" className="text-accent">
      <code>{shortened(of.transaction_hash)}</code>
    </a>
  );
