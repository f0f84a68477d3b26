// The entries of a statement, each with its effect on the parts of the store's money. Incoming money is green;
// transfers between parts and outgoing money have the colour of the text.

import { Network } from '@/components/dashboard/payments/status';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { OneLine, Table } from '@/components/ui/table';
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
      cardsBelow="lg"
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
          key: 'network',
          header: t('payNetwork'),
          isExtra: 'wide',
          onPhone: 'hidden',
          cell: ({ lines }) => (
            <span className="text-[0.8125rem]">
              {[...new Set(lines.map(({ network }) => network))].map((network) => (
                <span key={network} className="block leading-5 whitespace-nowrap">
                  <Network name={network} />
                </span>
              ))}
            </span>
          ),
        },
        {
          key: 'part',
          header: t('balPart'),
          isExtra: 'wide',
          onPhone: 'hidden',
          cell: ({ lines }) => <Lines lines={lines}>{({ part }) => <Part name={t(`balPart_${part}`)} />}</Lines>,
        },
        {
          key: 'amount',
          header: t('payAmount'),
          isNumeric: true,
          onPhone: 'side',
          cell: ({ kind, lines }) => (
            <Lines lines={lines} isAtEnd>
              {({ amount, currency, isIn, part }) => (
                <>
                  <bdi
                    dir="ltr"
                    className={`font-semibold whitespace-nowrap ${isIn && kind === RECEIVED ? 'text-good' : ''}`}
                  >
                    {isIn ? '+' : '−'}
                    <Money amount={amount} currency={currency} />
                  </bdi>
                  <span className="block font-normal text-muted xl:hidden">
                    <Part name={t(`balPart_${part}`)} />
                  </span>
                </>
              )}
            </Lines>
          ),
        },
      ]}
      {...others}
    />
  );
}

/** The only kind of entry that brings money into the store. */
const RECEIVED: EntryKind = 'transfer';

const Part = ({ name }: { name: string }) => <span className="text-[0.8125rem] md:whitespace-nowrap">{name}</span>;

/** A kind from a newer version is shown under its own name. */
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
      <Link href={`${base}/${href}`} className="block w-fit py-1">
        <OneLine text={text} />
      </Link>
    )
  );
}

type LinesProps = Pick<StatementEntry, 'lines'> & {
  readonly isAtEnd?: boolean;
  readonly children: (line: StatementLine) => ReactNode;
};

function Lines({ lines, isAtEnd = false, children }: LinesProps) {
  return (
    <ul className={`m-0 grid list-none gap-0.5 p-0 ${isAtEnd ? 'text-end' : ''}`}>
      {lines.map((line) => (
        <li key={`${line.part} ${line.network} ${line.currency}`} className="leading-5">
          {children(line)}
        </li>
      ))}
    </ul>
  );
}
