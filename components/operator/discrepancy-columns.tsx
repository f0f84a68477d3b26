// A discrepancy between ledger and chain as a row: where, expected and found amount, and the operator's explanation.

import { Address } from '@/components/ui/address';
import { Note } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { ShownDiscrepancy } from '@/lib/dashboard/operator/wallets';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';
import { networkIn } from './names';

export const discrepancyColumns = (words: DashboardWords): readonly Column<ShownDiscrepancy>[] => {
  const { t } = words;
  return [
    {
      key: 'where',
      header: t('operatorWhere'),
      onPhone: 'title',
      cell: (row) => (
        <span className="grid gap-0.5">
          <span className="font-semibold">
            {networkIn(t, row)} · {row.currency}
          </span>
          <Address text={row.address} />
        </span>
      ),
    },
    {
      key: 'expected',
      header: t('operatorExpected'),
      isNumeric: true,
      cell: ({ expected, currency }) => <Money amount={shortText(expected)} currency={currency} />,
    },
    {
      key: 'found',
      header: t('operatorFound'),
      isNumeric: true,
      cell: ({ found, currency, endedAt, note }) => (
        <>
          <Money amount={shortText(found)} currency={currency} />
          {!endedAt && note && <div className="text-[0.8125rem] text-muted">{note}</div>}
        </>
      ),
    },
    {
      key: 'at',
      header: t('operatorSince'),
      isExtra: true,
      cell: ({ foundAt }) => <DateTime at={unixSeconds(foundAt)} inList />,
    },
    {
      key: 'actions',
      header: t('operatorDecide'),
      isHeaderHidden: true,
      isNumeric: true,
      cell: (row) =>
        row.endedAt ? (
          <span className="text-[0.8125rem] text-muted">
            {row.note === 'gone' ? t('operatorDiscrepancyResolved') : row.note}
          </span>
        ) : (
          <ConfirmButton
            isSmall
            trigger={t('operatorExplain')}
            title={t('operatorExplainTitle')}
            text={t('operatorExplainText')}
            submitKind="danger"
            done={t('operatorExplained')}
            path={`/operator/differences/${row.id}/explain`}
            field={{
              name: 'note',
              label: t('operatorExplainNote'),
              hint: t('operatorExplainHint'),
              isRequired: true,
            }}
          >
            <Note tone="warn">{t('operatorExplainWarning')}</Note>
          </ConfirmButton>
        ),
    },
  ];
};
