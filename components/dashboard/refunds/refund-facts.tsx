'use client';
// The facts of one refund, its transactions, and its history.

import { Badge, type Tone } from '@/components/ui/badge';
import { Card, Fact, Facts } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import type { RefundView } from '@/lib/dashboard/payment/refund';
import { Hash } from '@/components/dashboard/payments/hash';
import { useNetworkName } from '@/components/dashboard/payments/status';
import { Steps, type Step } from '@/components/dashboard/payments/timeline';

type Shown = Omit<RefundView, 'changes'> & { readonly changes: RefundView['changes'] };

export function RefundFactsCard({ refund, base }: { refund: Shown; base: string }) {
  const { t } = useWords();
  const network = useNetworkName();
  return (
    <Card title={t('payFacts')}>
      <Facts>
        <Fact name={t('refName')}>
          <CopyText text={refund.refundId} label={t('refName')} />
        </Fact>
        <Fact name={t('payOne')}>
          <Link href={`${base}/payments/${refund.sessionId}`} className="wrap-anywhere">
            {refund.orderId}
          </Link>
        </Fact>
        <Fact name={t('payNetwork')}>{network(refund.network)}</Fact>
        <Fact name={t('refDestination')}>
          {refund.destination === null ? (
            <span className="text-muted">{t('refNoDestination')}</span>
          ) : (
            <>
              <CopyText text={refund.destination} label={t('payAddress')} />
              <br />
              <span className="text-[0.8125rem] text-muted">
                {t(`refDestination_${destinationKind(refund)}`)}
                {refund.isContract && ` ${t('refContract')}`}
              </span>
            </>
          )}
        </Fact>
        {refund.cost !== null && <Fact name={t('refCost')}>{costText(t, refund.cost)}</Fact>}
        {refund.transaction_hash !== null && (
          <Fact name={t('payHash')}>
            <Hash hash={refund.transaction_hash} explorerUrl={refund.explorerUrl} />
          </Fact>
        )}
        {refund.receiptUrl !== null && (
          <Fact name={t('refReceipt')}>
            <a href={refund.receiptUrl} target="_blank" rel="noreferrer">
              {refund.receipt_number}
            </a>
          </Fact>
        )}
        {refund.reason !== null && (
          <Fact name={t('refReason')}>
            {t.has(`refReason_${refund.reason as 'duplicate'}`)
              ? t(`refReason_${refund.reason as 'duplicate'}`)
              : refund.reason}
          </Fact>
        )}
        {refund.description !== null && <Fact name={t('refDescription')}>{refund.description}</Fact>}
        <Fact name={t('payCreated')}>
          <DateTime at={Math.floor(refund.created_at)} isExact />
        </Fact>
      </Facts>
    </Card>
  );
}

const destinationKind = ({ destination_kind: kind, isAddressSigned }: Shown): 'payer' | 'claim' | 'signed' =>
  kind === 'claim' ? (isAddressSigned ? 'signed' : 'claim') : 'payer';

const COST = { short: 'refCostShort', reserved: 'refCostReserved', charged: 'refCostCharged' } as const;

const costText = (t: ReturnType<typeof useWords>['t'], cost: NonNullable<RefundView['cost']>): string =>
  cost.kind === 'operator' ? t('refCostOperator') : t(COST[cost.kind], { amount: `${cost.amount} USD` });

const ATTEMPT: Readonly<Record<RefundView['attempts'][number]['status'], Tone>> = {
  drafted: 'info',
  refused: 'plain',
  signed: 'info',
  sent: 'info',
  landed: 'good',
  reverted: 'bad',
  lapsed: 'plain',
  replaced: 'plain',
};

export function Attempts({ attempts }: { attempts: RefundView['attempts'] }) {
  const { t } = useWords();
  return (
    <ol className="m-0 grid list-none gap-4 p-0">
      {attempts.map((one) => (
        <li key={one.number} className="grid gap-1.5 border-b border-line pb-4 last:border-b-0 last:pb-0">
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-semibold">{t('refAttempt', { number: one.number })}</span>
            <Badge tone={ATTEMPT[one.status]}>{t(`refAttempt_${one.status}`)}</Badge>
            {one.status === 'sent' && one.confirmations > 0 && (
              <span className="text-[0.8125rem] text-muted">{t('refConfirmations', { count: one.confirmations })}</span>
            )}
          </div>
          {one.hash !== null && <Hash hash={one.hash} explorerUrl={one.explorerUrl} />}
          {/* For the transaction that paid, the badge already says it. */}
          {one.outcome !== null && one.status !== 'landed' && <p className="text-muted">{one.outcome}</p>}
          <p className="text-[0.8125rem] text-muted">
            <DateTime at={Math.floor(one.sent_at ?? one.drafted_at)} isExact />
          </p>
        </li>
      ))}
    </ol>
  );
}

export function RefundTimeline({ refund }: { refund: Shown }) {
  const { t } = useWords();
  const steps: Step[] = [
    ...refund.changes.map(({ to, at }) => ({
      at,
      icon: to === 'completed' ? ('check' as const) : to === 'failed' ? ('warn' as const) : ('refunds' as const),
      tone: to === 'completed' ? ('good' as const) : to === 'failed' ? ('bad' as const) : ('plain' as const),
      text: t('tlStatus', { status: t(`refStatus_${to}`) }),
    })),
    ...refund.attempts.flatMap((one) =>
      one.sent_at === null
        ? []
        : [
            {
              at: one.sent_at,
              icon: 'external' as const,
              tone: 'plain' as const,
              text: t('tlSent', { number: one.number }),
            },
          ],
    ),
    ...(refund.hold !== null && refund.held_at !== null
      ? [{ at: refund.held_at, icon: 'warn' as const, tone: 'warn' as const, text: t('refWaits') }]
      : []),
    ...refund.events.map(({ type, created_at: at }) => ({
      at,
      icon: 'events' as const,
      tone: 'plain' as const,
      text: t('tlEvent', { type }),
    })),
  ];
  return <Steps label={t('payTimeline')} steps={steps.toSorted((a, b) => a.at - b.at)} />;
}
