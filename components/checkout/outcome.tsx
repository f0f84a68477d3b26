// The headline of the page: how the payment stands, in one sentence and a hint. It is a live region: when the server draws
// another stage, screen readers say it.

import type { ReactNode } from 'react';
import { getWords, type MessageKey, type Words } from '@/lib/i18n/translate';
import { centsToText } from '@/lib/money';
import type { SeenPayment, Verdict } from '@/lib/sessions/checkout-payments';
import { isFullyRefunded } from '@/lib/sessions/checkout-refunds';
import type { Stage } from '@/lib/sessions/checkout-stage';
import type { CheckoutView } from '@/lib/sessions/checkout-view';

type Props = { readonly view: CheckoutView; readonly stage: Stage };

/** `asks`: money waits for a decision. `ended`: nothing is left to do, and nothing went wrong. */
const MARKS: Readonly<Record<Stage, 'wait' | 'good' | 'asks' | 'ended'>> = {
  pay: 'wait',
  confirming: 'wait',
  checking: 'wait',
  unavailable: 'ended',
  paid: 'good',
  expired: 'ended',
  canceled: 'ended',
  failed: 'asks',
};

export async function Outcome({ view, stage }: Props) {
  const words = await getWords();
  const { headline, hint } = sentences(view, stage, words);
  return (
    <div
      className={`outcome outcome-${misplaced(view, stage) ? 'asks' : MARKS[stage]}`}
      role="status"
      data-stage={stage}
    >
      <span className="mark" aria-hidden="true" />
      <div>
        <p className="headline">{headline}</p>
        {hint && <p className="hint">{hint}</p>}
      </div>
    </div>
  );
}

function sentences(view: CheckoutView, stage: Stage, words: Words): { headline: string; hint?: ReactNode } {
  const { t } = words;
  const payment = misplaced(view, stage);
  if (payment) {
    const { amount, currency, network } = payment;
    const headline = t(MISPLACED[payment.verdict], { amount, currency, network: words.network(network).name });
    return { headline, hint: `${t('findNotLost')} ${t('doNotPayAgain')}` };
  }
  switch (stage) {
    case 'pay':
      return awaiting(view, words);
    case 'confirming':
      return { headline: t('statusConfirming'), hint: t('statusConfirmingHint') };
    case 'checking':
      return { headline: t('statusChecking'), hint: t('statusCheckingHint') };
    case 'unavailable':
      return { headline: t('statusUnavailable'), hint: t('statusUnavailableHint') };
    case 'paid':
      return isFullyRefunded(view.facts)
        ? { headline: t('statusRefunded', refunded(view)) }
        : { headline: t('statusPaid'), hint: thanks(view, words) };
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

function thanks(view: CheckoutView, { t }: Words): ReactNode {
  const { facts } = view;
  const values = {
    store: () => <bdi>{facts.store_name}</bdi>,
    amount: centsToText(BigInt(facts.amount_received)),
    currency: currencyOf(view),
  };
  return t.rich('statusPaidHint', values);
}

/** Whether nothing has arrived, so that only the waiting itself has to be told. */
export const isUntouched = (view: CheckoutView): boolean => arrivedCents(view) <= 0n;

const MISPLACED = {
  late: 'findTooLate',
  wrong_token: 'findWrongToken',
  wrong_network: 'findWrongNetwork',
} as const satisfies Partial<Record<Verdict, MessageKey>>;

type Misplaced = SeenPayment & { readonly verdict: keyof typeof MISPLACED };

const isMisplaced = (payment: SeenPayment): payment is Misplaced => payment.verdict in MISPLACED;

/** The last payment that arrived and does not count, where it is all that arrived: the page says that before anything else. */
export function misplaced(view: CheckoutView, stage: Stage): Misplaced | null {
  const isToldFirst = ['pay', 'checking', 'expired', 'unavailable'].includes(stage) && isUntouched(view);
  return (isToldFirst && view.seen.findLast(isMisplaced)) || null;
}

/** What was sent back of the price, in the tokens that it was sent in. */
function refunded({ facts, refunds }: CheckoutView) {
  const sent = refunds.filter(({ state }) => state === 'sent');
  return {
    amount: centsToText(BigInt(facts.amount_due)),
    currency: [...new Set(sent.map((one) => one.currency))].join('/'),
  };
}

/** As `received`, with what arrived and was sent back. */
const arrived = (view: CheckoutView) => ({
  ...received(view),
  received: centsToText(arrivedCents(view)),
});

const arrivedCents = ({ facts, missing }: CheckoutView): bigint =>
  BigInt(facts.amount_due) - BigInt(missing.replace('.', ''));

/** The words of the amount that counts beside the one that was due. */
export function received(view: CheckoutView) {
  const { facts } = view;
  return {
    received: centsToText(BigInt(facts.amount_received)),
    due: centsToText(BigInt(facts.amount_due)),
    currency: currencyOf(view),
  };
}

/** The tokens that amounts of this session are told in: those paid with, else what was offered. */
function currencyOf({ facts, seen }: CheckoutView): string {
  const paidWith = new Set(seen.filter(({ verdict }) => verdict === 'counts').map(({ currency }) => currency));
  return [...(paidWith.size > 0 ? paidWith : facts.currencies)].join('/');
}
