'use client';
// States of payments, refunds, deliveries and stores in words and colour, and the names of networks.

import { Badge, type Tone } from '@/components/ui/badge';
import { useWords, type MessageKey } from '@/components/ui/words';
import type { EventRow } from '@/lib/dashboard/lists/events';
import type { PaymentRow, RefundShare } from '@/lib/dashboard/lists/payments';
import type { RefundRow } from '@/lib/dashboard/lists/refunds';
import type { StoreRow } from '@/lib/merchants/stores/read';

type DeliveryStatus = NonNullable<EventRow['delivery']>;
type RefundStatus = RefundRow['status'];
type SessionException = PaymentRow['exception'];
type SessionStatus = PaymentRow['status'];
type StoreStatus = StoreRow['status'];

const PAYMENT: Readonly<Record<SessionStatus, Tone>> = {
  pending: 'info',
  completed: 'good',
  expired: 'plain',
  canceled: 'plain',
  failed: 'bad',
};
const REFUND: Readonly<Record<RefundStatus, Tone>> = {
  pending: 'info',
  processing: 'info',
  completed: 'good',
  failed: 'bad',
  canceled: 'plain',
};
const DELIVERY: Readonly<Record<DeliveryStatus, Tone>> = { pending: 'info', delivered: 'good', failed: 'bad' };
const STORE: Readonly<Record<StoreStatus, Tone>> = {
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  suspended: 'bad',
};

type PaymentStatusProps = {
  readonly status: SessionStatus;
  readonly exception?: SessionException;
  readonly refundShare?: RefundShare;
};

/** A fully refunded payment is shown as refunded, no longer as paid. */
export function PaymentStatus({ status, exception = 'none', refundShare = 'none' }: PaymentStatusProps) {
  const { t } = useWords();
  return (
    <span className="inline-flex flex-wrap gap-1 align-middle">
      {refundShare !== 'whole' && <Badge tone={PAYMENT[status]}>{t(`payStatus_${status}`)}</Badge>}
      {refundShare !== 'none' && <Badge>{t(`payRefund_${refundShare}`)}</Badge>}
      {exception !== 'none' && <Badge tone="warn">{t(`payException_${exception}`)}</Badge>}
    </span>
  );
}

/** `isHeld`: the refund is on hold. */
export function RefundState({ status, isHeld = false }: { status: RefundStatus; isHeld?: boolean }) {
  const { t } = useWords();
  return (
    <span className="inline-flex flex-wrap gap-1 align-middle">
      <Badge tone={REFUND[status]}>{t(`refStatus_${status}`)}</Badge>
      {isHeld && <Badge tone="warn">{t('refHeld')}</Badge>}
    </span>
  );
}

/** Null: there was no endpoint to send it to, or its deliveries were removed after their retention. */
export function DeliveryState({ status }: { status: DeliveryStatus | null }) {
  const { t } = useWords();
  return status === null ? (
    <Badge>{t('evtNowhere')}</Badge>
  ) : (
    <Badge tone={DELIVERY[status]}>{t(`evtDelivery_${status}`)}</Badge>
  );
}

export function StoreState({ status }: { status: StoreStatus }) {
  const { t } = useWords();
  return <Badge tone={STORE[status]}>{t(`navStatus_${status}`)}</Badge>;
}

/** A network's display name; its own name if the catalogue has none. */
export function useNetworkName(): (network: string) => string {
  const { t } = useWords();
  return (network) => {
    const key = `net_${network}` as MessageKey;
    return t.has(key) ? t(key as 'net_bsc') : network;
  };
}

export function Network({ name }: { name: string }) {
  return <>{useNetworkName()(name)}</>;
}
