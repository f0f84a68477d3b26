// The entries of a statement, each with what it put into or took out of which part of the store's money.

import { Network } from '@/components/dashboard/payments/status';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { Table } from '@/components/ui/table';
import type { MessageKey } from '@/components/ui/words';
import { unixSeconds } from '@/lib/platform/clock';
import type { EntryKind, StatementEntry, StatementLine } from '@/lib/dashboard/lists/statement';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { ReactNode } from 'react';

type Props = {
  readonly words: DashboardWords;
  readonly base: string;
  readonly rows: readonly StatementEntry[];
  readonly empty: ReactNode;
  readonly foot: ReactNode;
};

export function StatementTable({ words: { t, format }, base, ...others }: Props) {
  return (
    <Table
      isBare
      label={t('balStatement')}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'when',
          header: t('operatorWhen'),
          onPhone: 'end',
          cell: ({ createdAt }) => (
            <time dateTime={createdAt.toISOString()} className="text-[0.8125rem] whitespace-nowrap tabular-nums">
              {format.minute(unixSeconds(createdAt))}
            </time>
          ),
        },
        {
          key: 'what',
          header: t('evtType'),
          onPhone: 'title',
          cell: ({ kind }) => <span className="font-semibold">{nameOf(kind, t)}</span>,
        },
        {
          key: 'order',
          header: t('payOrder'),
          onPhone: 'under',
          cell: (entry) => <About entry={entry} base={base} />,
        },
        {
          key: 'part',
          header: t('payNetwork'),
          isExtra: true,
          cell: ({ lines }) => (
            <Lines lines={lines} isSmall>
              {({ part, network }) => (
                <>
                  {t(`balPart_${part}`)} · <Network name={network} />
                </>
              )}
            </Lines>
          ),
        },
        {
          key: 'amount',
          header: t('payAmount'),
          isNumeric: true,
          onPhone: 'side',
          cell: ({ lines }) => (
            <Lines lines={lines}>
              {({ amount, currency, isIn }) => (
                <bdi dir="ltr" className={`font-semibold whitespace-nowrap ${isIn ? 'text-good' : ''}`}>
                  {isIn ? '+' : '−'}
                  <Money amount={amount} currency={currency} />
                </bdi>
              )}
            </Lines>
          ),
        },
      ]}
      {...others}
    />
  );
}

/** A kind that a newer version wrote goes by its own name. */
const nameOf = (kind: string, t: DashboardWords['t']): string =>
  t.has(`balKind_${kind}` as MessageKey) ? t(`balKind_${kind as EntryKind}`) : kind;

/** The payment, or the refund of it. */
function About({ entry: { sessionId, orderId, refund }, base }: { entry: StatementEntry; base: string }) {
  const [href, text] = refund
    ? [`refunds/${refund.id}`, refund.refundId]
    : sessionId !== null
      ? [`payments/${sessionId}`, orderId ?? sessionId]
      : [null, ''];
  return (
    href && (
      <Link
        href={`${base}/${href}`}
        title={text}
        dir="auto"
        className="block w-fit max-w-[46vw] truncate py-1 md:max-w-44"
      >
        {text}
      </Link>
    )
  );
}

type LinesProps = Pick<StatementEntry, 'lines'> & {
  readonly isSmall?: boolean;
  readonly children: (line: StatementLine) => ReactNode;
};

function Lines({ lines, isSmall, children }: LinesProps) {
  return (
    <ul className="m-0 grid list-none gap-0.5 p-0">
      {lines.map((line) => (
        <li
          key={`${line.part} ${line.network} ${line.currency}`}
          className={`leading-5 ${isSmall ? 'text-[0.8125rem] md:whitespace-nowrap' : ''}`}
        >
          {children(line)}
        </li>
      ))}
    </ul>
  );
}
