'use client';
// Events of one payment or refund, with their deliveries.

import { DateTime } from '@/components/ui/date-time';
import { useWords } from '@/components/ui/words';
import type { EventFacts } from '@/lib/dashboard/payment/facts';
import { DeliveryState } from '@/components/dashboard/payments/status';
import { Resend } from './resend';

export function EventList({
  events,
  api,
  canResend,
}: {
  events: readonly EventFacts[];
  api: string;
  canResend: boolean;
}) {
  const { t } = useWords();
  if (events.length === 0) return <p className="text-muted">{t('evtNoneYet')}</p>;
  return (
    <ul className="m-0 grid list-none gap-3 p-0">
      {events.map((event) => (
        <li
          key={event.id}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line pb-3 last:border-b-0 last:pb-0"
        >
          <div className="min-w-0">
            <p className="font-semibold">{event.type}</p>
            <p className="text-[0.8125rem] break-all text-muted">
              <code>{event.id}</code>
            </p>
            <p className="text-[0.8125rem] text-muted">
              <DateTime at={Math.floor(event.created_at)} isExact />
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <DeliveryState status={event.delivery} />
            {event.attempts !== null && (
              <span className="text-[0.8125rem] text-muted">
                {t('evtAttempts', { count: event.attempts })}
                {event.status_code !== null && ` · HTTP ${event.status_code}`}
              </span>
            )}
            {canResend && <Resend api={api} id={event.id} />}
          </div>
        </li>
      ))}
    </ul>
  );
}
