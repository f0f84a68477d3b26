// The headline of the page: the payment's state in one sentence and a hint. It is a live region, so screen readers
// announce each new stage.

import { Fragment, type ReactNode } from 'react';
import { getWords, type MessageKey, type Words } from '@/lib/i18n/translate';
import { centsToText } from '@/lib/money/amounts';
import type { SeenPayment, Verdict } from '@/lib/payments/checkout/payments';
import { isFullyRefunded } from '@/lib/payments/checkout/refunds';
import type { Stage } from '@/lib/payments/checkout/stage';
import type { CheckoutView } from '@/lib/payments/checkout/view';
import { Mark, type MarkKind } from './mark';
import { Part, Steps } from './steps';
import { orderPrice } from './summary';

type Props = { readonly view: CheckoutView; readonly stage: Stage };

const MARKS: Readonly<Record<Stage, MarkKind>> = {
  pay: 'wait',
  confirming: 'wait',
  checking: 'time',
  unavailable: 'part',
  paid: 'good',
  expired: 'time',
  canceled: 'canceled',
  failed: 'decision',
};

export async function Outcome({ view, stage }: Props) {
  const words = await getWords();
  const { headline, sum, hint } = sentences(view, stage, words);
  const mark = markOf(view, stage);
  return (
    <div className={`outcome outcome-${mark}`} role="status" data-stage={stage}>
      <Mark kind={mark} />
      <div>
        <p className="headline">{headline}</p>
        {sum && (
          <p className="outcome-sum">
            <bdi>{sum}</bdi>
          </p>
        )}
        {hint && <p className="hint">{hint}</p>}
      </div>
      {isPart(view, stage) && <Part {...arrived(view)} label={headline} />}
      {stage === 'confirming' && <Steps seen={view.seen} />}
    </div>
  );
}

function markOf(view: CheckoutView, stage: Stage): MarkKind {
  if (misplaced(view, stage)) return 'decision';
  if (isPart(view, stage)) return 'part';
  return stage === 'paid' && isFullyRefunded(view.facts) ? 'back' : MARKS[stage];
}

/** Whether the customer has to send the remaining amount, so that there is nothing to wait for. */
const isPart = (view: CheckoutView, stage: Stage): boolean => stage === 'pay' && !isUntouched(view);

type Sentences = { readonly headline: string; readonly sum?: string; readonly hint?: ReactNode };

function sentences(view: CheckoutView, stage: Stage, words: Words): Sentences {
  const { t } = words;
  const payment = misplaced(view, stage);
  if (payment) {
    const { amount, currency } = payment;
    const headline = t(NOT_COUNTED_HEADLINES[payment.verdict], { amount, currency });
    return { headline, hint: `${t('findNotLost')} ${t('doNotPayAgain')}` };
  }
  switch (stage) {
    case 'pay':
      return awaiting(view, words);
    case 'confirming':
      return { headline: t('statusConfirming'), sum: amountSeen(view), hint: t('statusConfirmingHint') };
    case 'checking':
      return { headline: t('statusChecking'), hint: t('statusCheckingHint') };
    case 'unavailable':
      return { headline: t('statusUnavailable'), hint: t('statusUnavailableHint') };
    case 'paid':
      return isFullyRefunded(view.facts)
        ? { headline: t('statusRefunded', refunded(view)) }
        : { headline: t('statusPaid'), hint: paid(view, words) };
    case 'expired':
      return { headline: t('statusExpired'), hint: t('statusExpiredHint') };
    case 'canceled':
      return { headline: t('statusCanceled'), hint: t('statusCanceledHint') };
    case 'failed':
      return { headline: t('statusFailed'), hint: t('statusFailedHint', arrived(view)) };
  }
}

function awaiting(view: CheckoutView, { t }: Words): { headline: string; hint?: string } {
  const { missing } = view;
  if (isUntouched(view)) return { headline: t('statusWaiting') };
  const cents = arrivedCents(view);
  const values = { received: centsToText(cents), missing, currency: currencyOf(view) };
  return { headline: t('statusPartial', values), hint: t('statusPartialHint') };
}

/** What paid the order and what it was for, as on the bill. Any excess is shown separately (notices.tsx). */
function paid(view: CheckoutView, words: Words): ReactNode {
  const { facts } = view;
  const [due, arrivedInAll] = [BigInt(facts.amount_due), BigInt(facts.amount_received)];
  const cents = arrivedInAll > due ? due : arrivedInAll;
  const tokens = `${centsToText(cents)} ${currencyOf(view)}`;
  const price = orderPrice(facts, words);
  return [...new Set([tokens, price])].map((text, at) => (
    <Fragment key={text}>
      {at > 0 && ' · '}
      <bdi>{text}</bdi>
    </Fragment>
  ));
}

/** What the customer sent, confirmed or not. It is not capped at the price, so it matches the customer's wallet. */
const amountSeen = (view: CheckoutView): string =>
  `${centsToText(BigInt(view.facts.amount_received) + BigInt(view.underway.replace('.', '')))} ${currencyOf(view)}`;

/** Whether nothing has arrived, so that the page only says that it waits. */
export const isUntouched = (view: CheckoutView): boolean => arrivedCents(view) <= 0n;

const NOT_COUNTED_HEADLINES = {
  late: 'arrivedLate',
  wrong_token: 'arrivedWrongToken',
  wrong_network: 'arrivedWrongNetwork',
} as const satisfies Partial<Record<Verdict, MessageKey>>;

type NotCounted = SeenPayment & { readonly verdict: keyof typeof NOT_COUNTED_HEADLINES };

const isNotCounted = (payment: SeenPayment): payment is NotCounted => payment.verdict in NOT_COUNTED_HEADLINES;

/** The last transfer that does not count, if nothing else arrived. The page shows it before anything else. */
export function misplaced(view: CheckoutView, stage: Stage): NotCounted | null {
  const isToldFirst = ['pay', 'checking', 'expired', 'unavailable'].includes(stage) && isUntouched(view);
  return (isToldFirst && view.seen.findLast(isNotCounted)) || null;
}

/** The refunded part of the price, in the tokens that were sent. */
function refunded({ facts, refunds }: CheckoutView) {
  const sent = refunds.filter(({ state }) => state === 'sent');
  return {
    amount: centsToText(BigInt(facts.amount_due)),
    currency: [...new Set(sent.map((one) => one.currency))].join('/'),
  };
}

/** As `received`, with the amounts received and refunded. */
const arrived = (view: CheckoutView) => ({
  ...received(view),
  received: centsToText(arrivedCents(view)),
});

const arrivedCents = ({ facts, missing }: CheckoutView): bigint =>
  BigInt(facts.amount_due) - BigInt(missing.replace('.', ''));

/** The words for the amount that counts, shown beside the amount due. */
export function received(view: CheckoutView) {
  const { facts } = view;
  return {
    received: centsToText(BigInt(facts.amount_received)),
    due: centsToText(BigInt(facts.amount_due)),
    currency: currencyOf(view),
  };
}

/** The tokens in which this session's amounts are shown: those used to pay, or else those offered. */
function currencyOf({ facts, seen }: CheckoutView): string {
  const paidWith = new Set(seen.filter(({ verdict }) => verdict === 'counts').map(({ currency }) => currency));
  return [...(paidWith.size > 0 ? paidWith : facts.currencies)].join('/');
}
