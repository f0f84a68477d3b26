'use client';
// Payment exceptions, each with its possible decisions, and ticks for deciding several at once.

import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Empty } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { Pager } from '@/components/ui/pager';
import { OneLine, Table, type Column } from '@/components/ui/table';
import { TickAll, TickBar, tickColumn, useTicks } from '@/components/ui/ticks';
import { useWords } from '@/components/ui/words';
import type { PaymentException } from '@/lib/payments/exceptions/read';
import type { ExceptionAction } from '@/lib/payments/exceptions/states';
import { unixSeconds } from '@/lib/platform/clock';
import { shortAmount } from '@/lib/dashboard/operator/amounts';
import { ConfirmMenu } from './confirm-button';
import { ExceptionBulk } from './exception-bulk';
import { networkIn } from './names';

type Props = {
  readonly exceptions: readonly PaymentException[];
  readonly newerHref: string | null;
  readonly olderHref: string | null;
};

export function ExceptionList({ exceptions, newerHref, olderHref }: Props) {
  const { t } = useWords();
  const nameOf = useExceptionName();
  const open = exceptions.filter(({ actions }) => actions.length > 0);
  const ticks = useTicks(open.map(({ id }) => id));
  const [chosen, setChosen] = useState<ExceptionAction | null>(null);
  const ticked = open.filter(({ id }) => ticks.chosen.includes(id));
  const [first, ...others] = ticked;
  const shared = (first?.actions ?? []).filter((action) => others.every(({ actions }) => actions.includes(action)));
  // Open exceptions have no note yet: the column would only take space from the others.
  const columns = useColumns().filter(({ key }) => key !== 'note' || exceptions.some(({ note }) => note));
  const tick = tickColumn<PaymentException>(t('dlvSelectAll'), ticks, (row) =>
    row.actions.length > 0 ? t('dlvSelect', { event: nameOf(row) }) : null,
  );
  return (
    <>
      {open.length > 0 && <TickAll label={t('dlvSelectAll')} ticks={ticks} />}
      <Table
        isBare
        label={t('operatorPaymentsTitle')}
        columns={open.length > 0 ? [tick, ...columns] : columns}
        rows={exceptions}
        rowKey={({ id }) => id}
        empty={<Empty icon="payments" title={t('operatorNoExceptions')} text={t('operatorNoExceptionsText')} />}
        foot={<Pager newerHref={newerHref} olderHref={olderHref} shown={exceptions.length} />}
      />
      <TickBar ticks={ticks}>
        {shared.map((action) => (
          <Button key={action} size="small" onClick={() => setChosen(action)}>
            {t(`operatorExceptionDo_${action}`)}
          </Button>
        ))}
      </TickBar>
      <ExceptionBulk
        action={chosen}
        exceptions={ticked.map((row) => ({ id: row.id, name: nameOf(row) }))}
        onClose={() => setChosen(null)}
        onDone={ticks.clear}
      />
    </>
  );
}

/** The name of a payment in sentences: its amount, its store and its order. */
function useExceptionName() {
  const { format } = useWords();
  return ({ amount, decimals, currency, storeName, orderId }: PaymentException): string =>
    `${format.money(shortAmount(amount, decimals), currency)} · ${storeName} · ${orderId}`;
}

function useColumns(): readonly Column<PaymentException>[] {
  const { t } = useWords();
  return [
    {
      key: 'amount',
      header: t('operatorAmount'),
      onPhone: 'title',
      cell: ({ amount, decimals, currency, explorerUrl }) => (
        <span className="grid">
          <span className="font-semibold">
            <Money amount={shortAmount(amount, decimals)} currency={currency} />
          </span>
          {explorerUrl && (
            <a href={explorerUrl} target="_blank" rel="noopener noreferrer" className="py-1 text-xs text-accent">
              {t('operatorTransaction')}
            </a>
          )}
        </span>
      ),
    },
    {
      key: 'kind',
      header: t('operatorKind'),
      onPhone: 'side',
      cell: ({ kind, state }) => (
        <Badge tone={state === 'open' ? 'warn' : 'plain'}>{t(`operatorExceptionKind_${kind}`)}</Badge>
      ),
    },
    {
      key: 'store',
      header: t('operatorStore'),
      onPhone: 'under',
      cell: ({ storeId, storeName }) => (
        <Link href={`/operator/stores/${storeId}`} className="block w-fit py-0.5 text-ink no-underline">
          <OneLine text={storeName} />
        </Link>
      ),
    },
    {
      key: 'order',
      header: t('operatorOrder'),
      onPhone: 'wide',
      cell: (row) => (
        <span className="flex min-w-0 gap-x-2 text-muted max-md:text-[0.8125rem]">
          <Link
            href={`/dashboard/${row.storeId}/${row.environment}/payments/${row.sessionId}`}
            className="py-0.5 text-accent"
          >
            <OneLine text={row.orderId} />
          </Link>
          {/* A phone's row has no column for the network. */}
          <span className="truncate py-0.5 md:hidden">{networkIn(t, row)}</span>
        </span>
      ),
    },
    {
      key: 'network',
      header: t('operatorNetwork'),
      isExtra: true,
      onPhone: 'hidden',
      cell: (row) => <span className="whitespace-nowrap">{networkIn(t, row)}</span>,
    },
    {
      key: 'when',
      header: t('operatorArrived'),
      onPhone: 'end',
      cell: ({ blockTime }) => <DateTime at={unixSeconds(blockTime)} inList />,
    },
    {
      key: 'note',
      header: t('operatorNote'),
      onPhone: 'wide',
      cell: ({ actions, note }) =>
        actions.length === 0 && note ? <span className="wrap-anywhere text-muted">{note}</span> : null,
    },
    {
      key: 'actions',
      header: t('operatorDecide'),
      onPhone: 'menu',
      isHeaderHidden: true,
      isNumeric: true,
      cell: (row) => <ExceptionActions row={row} />,
    },
  ];
}

/** Each decision is explained and confirmed first. Accepting and sending back are final. */
function ExceptionActions({ row }: { row: PaymentException }) {
  const { t, format } = useWords();
  const nameOf = useExceptionName();
  const amount = format.money(shortAmount(row.amount, row.decimals), row.currency);
  if (row.actions.length === 0) return null;
  return (
    <ConfirmMenu
      name={nameOf(row)}
      actions={row.actions.map((action) => ({
        trigger: t(`operatorExceptionDo_${action}`),
        title: t(`operatorExceptionTitle_${action}`, { amount }),
        text: t(`operatorExceptionText_${action}`, { payer: row.payer, network: networkIn(t, row) }),
        submit: t(`operatorExceptionDo_${action}`),
        done: t('operatorDecidedDone'),
        path: `/operator/cases/${row.id}/decide`,
        body: { action },
        field: { name: 'note', label: t('operatorNote'), hint: t('operatorNoteHint') },
      }))}
    />
  );
}
