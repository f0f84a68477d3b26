// Failed work as rows: steps, deliveries and mails, with a retry button where a retry does no harm.

import { Badge } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { FailedDelivery, FailedMail, FailingStep } from '@/lib/dashboard/operator/jobs';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';
import { EnvironmentBadge } from './names';

export const stepColumns = ({ t, format }: DashboardWords): readonly Column<FailingStep>[] => [
  {
    key: 'step',
    header: t('operatorStep'),
    onPhone: 'title',
    cell: ({ step }) => <span className="font-semibold">{step}</span>,
  },
  {
    key: 'state',
    header: t('operatorState'),
    onPhone: 'side',
    cell: ({ endedAt }) =>
      endedAt ? (
        <Badge tone="good">{t('operatorStepWorks')}</Badge>
      ) : (
        <Badge tone="bad">{t('operatorStepFails')}</Badge>
      ),
  },
  {
    key: 'message',
    header: t('operatorMessage'),
    onPhone: 'wide',
    cell: ({ message }) => <span className="wrap-anywhere text-muted">{message}</span>,
  },
  { key: 'failures', header: t('operatorInARow'), isNumeric: true, cell: ({ failures }) => format.number(failures) },
  {
    key: 'since',
    header: t('operatorSince'),
    isNumeric: true,
    isExtra: true,
    cell: ({ since }) => <DateTime at={unixSeconds(since)} inList />,
  },
  {
    key: 'last',
    header: t('operatorLast'),
    isNumeric: true,
    cell: ({ lastAt }) => <DateTime at={unixSeconds(lastAt)} inList />,
  },
];

export const deliveryColumns = ({ t, format }: DashboardWords): readonly Column<FailedDelivery>[] => [
  {
    key: 'event',
    header: t('operatorEvent'),
    onPhone: 'title',
    cell: ({ type, eventId }) => (
      <span className="grid">
        <span className="font-semibold">{type}</span>
        <code className="text-xs break-all text-muted">{eventId}</code>
      </span>
    ),
  },
  {
    key: 'store',
    header: t('operatorStore'),
    cell: ({ storeId, storeName, environment }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Link href={`/operator/stores/${storeId}`} className="inline-block py-0.5 text-ink">
          {storeName}
        </Link>
        <EnvironmentBadge {...{ t, environment }} />
      </span>
    ),
  },
  {
    key: 'ended',
    header: t('operatorEndedWith'),
    onPhone: 'wide',
    cell: ({ statusCode, error }) => (
      <span className="text-muted">{error ?? (statusCode === null ? '—' : `HTTP ${statusCode}`)}</span>
    ),
  },
  {
    key: 'attempts',
    header: t('operatorAttempts'),
    isNumeric: true,
    isExtra: true,
    cell: ({ attempts }) => format.number(attempts),
  },
  {
    key: 'when',
    header: t('operatorWhen'),
    onPhone: 'side',
    isNumeric: true,
    cell: ({ finishedAt }) => (finishedAt ? <DateTime at={unixSeconds(finishedAt)} inList /> : '—'),
  },
  {
    key: 'retry',
    header: t('operatorRetry'),
    isHeaderHidden: true,
    isNumeric: true,
    cell: ({ id }) => (
      <ConfirmButton
        isSmall
        icon="retry"
        trigger={t('operatorRetry')}
        title={t('operatorRetryDeliveryTitle')}
        text={t('operatorRetryDeliveryText')}
        done={t('operatorRetried')}
        path={`/operator/deliveries/${id}/retry`}
      />
    ),
  },
];

export const mailColumns = ({ t, format }: DashboardWords): readonly Column<FailedMail>[] => [
  {
    key: 'mail',
    header: t('operatorMail'),
    onPhone: 'title',
    cell: ({ recipient, subject }) => (
      <span className="grid">
        <span title={recipient} className="block max-w-[52vw] truncate font-semibold md:max-w-64">
          {recipient}
        </span>
        <span className="text-[0.8125rem] text-muted">{subject}</span>
      </span>
    ),
  },
  {
    key: 'trouble',
    header: t('operatorMessage'),
    onPhone: 'wide',
    cell: ({ trouble }) => <span className="wrap-anywhere text-muted">{trouble ?? '—'}</span>,
  },
  {
    key: 'attempts',
    header: t('operatorAttempts'),
    isNumeric: true,
    isExtra: true,
    cell: ({ attempts }) => format.number(attempts),
  },
  {
    key: 'when',
    header: t('operatorWhen'),
    onPhone: 'side',
    isNumeric: true,
    cell: ({ failedAt }) => <DateTime at={unixSeconds(failedAt)} inList />,
  },
  {
    key: 'retry',
    header: t('operatorRetry'),
    isHeaderHidden: true,
    isNumeric: true,
    cell: ({ id }) => (
      <ConfirmButton
        isSmall
        icon="retry"
        trigger={t('operatorRetry')}
        title={t('operatorRetryMailTitle')}
        text={t('operatorRetryMailText')}
        done={t('operatorRetried')}
        path={`/operator/mails/${id}/retry`}
      />
    ),
  },
];
