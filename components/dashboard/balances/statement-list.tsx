'use client';
// The entries of a statement under the day that they are of, each with what it put in or took out.

import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { useWords, type MessageKey } from '@/components/ui/words';
import type { StatementEntry } from '@/lib/dashboard/statement';
import { useNetworkName } from '../payments/status';

type Entry = Omit<StatementEntry, 'createdAt'> & { readonly at: number };

export function StatementList({ entries, base }: { entries: readonly Entry[]; base: string }) {
  const { t, format } = useWords();
  const days = [...new Set(entries.map(({ at }) => format.day(at)))];
  return (
    <div className="grid gap-5">
      {days.map((day) => (
        <section key={day} aria-label={day}>
          <h3 className="mb-2 text-[0.8125rem] font-semibold text-muted">{day}</h3>
          <ul className="m-0 grid list-none gap-3 p-0">
            {entries
              .filter(({ at }) => format.day(at) === day)
              .map((entry) => (
                <li
                  key={entry.id}
                  className="grid gap-x-4 gap-y-1 border-b border-line pb-3 last:border-b-0 sm:grid-cols-[minmax(0,1fr)_auto]"
                >
                  <div className="min-w-0">
                    <p className="font-semibold">
                      {t.has(`balKind_${entry.kind}` as MessageKey)
                        ? t(`balKind_${entry.kind}` as 'balKind_transfer')
                        : entry.kind}
                    </p>
                    <p className="text-[0.8125rem] text-muted">
                      <time dateTime={new Date(entry.at * 1000).toISOString()}>{format.minute(entry.at)}</time>
                    </p>
                    <p className="flex flex-wrap gap-x-3 text-[0.8125rem]">
                      {entry.sessionId !== null && (
                        <Link href={`${base}/payments/${entry.sessionId}`} className="wrap-anywhere">
                          {entry.orderId ?? entry.sessionId}
                        </Link>
                      )}
                      {entry.refund && (
                        <Link href={`${base}/refunds/${entry.refund.id}`} className="wrap-anywhere">
                          {entry.refund.refundId}
                        </Link>
                      )}
                    </p>
                  </div>
                  <Lines lines={entry.lines} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Lines({ lines }: { lines: Entry['lines'] }) {
  const { t } = useWords();
  const network = useNetworkName();
  return (
    <ul className="m-0 grid list-none content-start gap-0.5 p-0 sm:text-end">
      {lines.map((line) => (
        <li key={`${line.part} ${line.network} ${line.currency}`} className="text-[0.8125rem]">
          <span className="text-muted">
            {t(`balPart_${line.part}`)} · {network(line.network)}
          </span>{' '}
          <span className={`font-semibold ${line.isIn ? 'text-good' : ''}`}>
            {line.isIn ? '+' : '−'}
            <Money amount={line.amount} currency={line.currency} />
          </span>
        </li>
      ))}
    </ul>
  );
}
