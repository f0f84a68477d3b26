// Items in quarantine as rows: what failed, why, since when, when it is retried, and a button to retry it now.

import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/clock';
import type { QuarantinedItem } from '@/lib/dashboard/operator-quarantine';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { AskButton } from './ask-button';
import { EnvironmentBadge } from './names';

export const quarantineColumns = ({ t, format }: DashboardWords): readonly Column<QuarantinedItem>[] => [
  {
    key: 'item',
    header: t('operatorQuarantineItem'),
    onPhone: 'title',
    cell: ({ kind, subjectId }) => (
      <span className="grid">
        <span className="font-semibold">{t(`operatorQuarantine_${kind}`)}</span>
        <code className="text-xs break-all text-muted">{subjectId}</code>
      </span>
    ),
  },
  {
    key: 'store',
    header: t('operatorStore'),
    cell: ({ storeId, storeName, environment }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        {storeId === null ? (
          '—'
        ) : (
          <Link href={`/operator/stores/${storeId}`} className="text-ink">
            {storeName ?? storeId}
          </Link>
        )}
        {environment && <EnvironmentBadge {...{ t, environment }} />}
      </span>
    ),
  },
  {
    key: 'error',
    header: t('operatorMessage'),
    cell: ({ step, error }) => (
      <span className="grid">
        <span className="text-[0.8125rem]">{step}</span>
        <span className="break-words text-muted">{error}</span>
      </span>
    ),
  },
  {
    key: 'attempts',
    header: t('operatorTries'),
    isNumeric: true,
    isExtra: true,
    cell: ({ attempts }) => format.number(attempts),
  },
  {
    key: 'since',
    header: t('operatorSince'),
    isNumeric: true,
    cell: ({ firstAt }) => <DateTime at={unixSeconds(firstAt)} inList />,
  },
  {
    key: 'next',
    header: t('operatorNextRetry'),
    isNumeric: true,
    isExtra: true,
    cell: ({ nextRunAt }) => <DateTime at={unixSeconds(nextRunAt)} inList />,
  },
  {
    key: 'retry',
    header: t('operatorRetry'),
    isHeaderHidden: true,
    isNumeric: true,
    cell: ({ id }) => (
      <AskButton
        isSmall
        icon="retry"
        trigger={t('operatorRetry')}
        title={t('operatorRetryItemAsk')}
        text={t('operatorRetryItemText')}
        submit={t('operatorRetry')}
        done={t('operatorRetryItemDone')}
        path={`/operator/quarantine/${id}/retry`}
      />
    ),
  },
];
