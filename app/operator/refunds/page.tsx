// Refunds of all stores on hold: why, since when and what to do, and those that need approval by two operators.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { Pager } from '@/components/ui/pager';
import { Table, type Column } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { ApprovalActions } from '@/components/operator/approval-actions';
import { ForceFailRefund } from '@/components/operator/force-fail-refund';
import { networkIn } from '@/components/operator/names';
import { Recheck } from '@/components/operator/recheck-refund';
import { choiceOf, hrefWith, pagesOf, textOf, type PageQuery } from '@/components/operator/query';
import { unixSeconds } from '@/lib/platform/clock';
import { countHolds, listHeldRefunds, type HeldRefund } from '@/lib/dashboard/operator/refunds';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { centsToText } from '@/lib/money/amounts';
import { HOLD_CODES } from '@/lib/refunds/holds';
import { payoutsPath, refundPath } from '@/lib/refunds/paths';

const PATH = '/operator/refunds';
const PAGE = 50;

export const generateMetadata = titled('operatorRefundsTitle');

export default async function RefundsPage({ searchParams }: { searchParams: PageQuery }) {
  const { actor, context } = await requirePage('refunds.approve');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t, format } = words;
  const hold = choiceOf(query, 'hold', HOLD_CODES);
  const after = textOf(query, 'after');
  const [{ refunds, next }, holds] = await Promise.all([
    listHeldRefunds(context, { hold, before: after, limit: PAGE }),
    countHolds(context),
  ]);
  const links = [
    { href: PATH, label: t('operatorAll'), isCurrent: hold === null },
    ...holds.map(({ hold: code, count }) => ({
      href: hrefWith(PATH, {}, { hold: code }),
      label: t(`operatorHold_${code}`),
      isCurrent: code === hold,
      count: format.number(count),
    })),
  ];
  return (
    <>
      <PageHead
        title={t('operatorRefundsTitle')}
        text={t('operatorRefundsText', {
          amount: format.amount(centsToText(BigInt(context.config.REFUND_APPROVAL_ABOVE))),
          payouts: format.amount(centsToText(BigInt(context.config.PAYOUT_APPROVAL_ABOVE))),
        })}
      />
      <TabLinks label={t('operatorByReason')} links={links} />
      <Card isFlush>
        <Table
          isBare
          label={t('operatorRefundsTitle')}
          columns={columnsOf(words, actor.userId)}
          rows={refunds}
          rowKey={({ id }) => id}
          empty={<Empty icon="refunds" title={t('operatorNoHolds')} text={t('operatorNoHoldsText')} />}
          foot={<Pager {...pagesOf({ path: PATH, query, name: 'after', at: after, next })} shown={refunds.length} />}
        />
      </Card>
    </>
  );
}

function pathOf(row: HeldRefund): string {
  const { storeId } = row;
  if (storeId === null) return '/operator/treasury';
  return row.isPayout ? payoutsPath({ ...row, storeId }) : refundPath({ ...row, storeId });
}

const columnsOf = (words: DashboardWords, viewerId: string): readonly Column<HeldRefund>[] => {
  const { t } = words;
  return [
    {
      key: 'amount',
      header: t('operatorRefund'),
      onPhone: 'title',
      cell: (row) => (
        <span className="grid">
          <span className="font-semibold">
            <Money amount={row.amount} currency={row.currency} />
          </span>
          <Link
            href={pathOf(row)}
            className="block max-w-[52vw] truncate py-1 text-xs font-normal text-accent md:max-w-44"
          >
            {row.isCold && t('operatorQuarantine_cold_transfer')}
            {row.isPayout && `${t('operatorQuarantine_payout')} ${row.refundId}`}
            {!row.isCold && !row.isPayout && row.refundId}
          </Link>
        </span>
      ),
    },
    {
      key: 'store',
      header: t('operatorStore'),
      onPhone: 'under',
      cell: (row) => (
        <span className="grid">
          {row.storeId !== null && (
            <Link href={`/operator/stores/${row.storeId}`} className="py-0.5 text-ink no-underline">
              {row.storeName}
            </Link>
          )}
          <span className="text-xs text-muted">{networkIn(t, row)}</span>
        </span>
      ),
    },
    {
      key: 'reason',
      header: t('operatorHoldWhy'),
      onPhone: 'wide',
      cell: ({ hold, holdMessage, holdUntil }) => (
        <span className="grid max-w-md gap-0.5">
          <span className="font-semibold">{hold ? t(`operatorHold_${hold}`) : (holdMessage ?? '—')}</span>
          {hold && <span className="text-[0.8125rem] text-muted">{t(`operatorHoldDo_${hold}`)}</span>}
          {holdUntil && (
            <span className="text-[0.8125rem] text-muted">
              {t('refPaidAfter')} <DateTime at={unixSeconds(holdUntil)} />
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'since',
      header: t('operatorSince'),
      onPhone: 'side',
      isExtra: true,
      cell: ({ heldAt }) => (heldAt ? <DateTime at={unixSeconds(heldAt)} inList /> : '—'),
    },
    {
      key: 'actions',
      header: t('operatorDecide'),
      isHeaderHidden: true,
      isNumeric: true,
      cell: (row) => (
        <span className="grid justify-items-end gap-1.5">
          <ApprovalActions words={words} row={row} viewerId={viewerId} />
          <Recheck words={words} row={row} />
          <ForceFailRefund words={words} row={row} viewerId={viewerId} />
        </span>
      ),
    },
  ];
};
