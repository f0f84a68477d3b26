// Items in quarantine as rows: what failed, why, since when, the next retry, and a button to retry now. A transfer that
// endpoints contradict has two more buttons, with which an operator decides about it.

import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import { shortAmount } from '@/lib/dashboard/operator/amounts';
import { OUTCOMES, type Contradiction } from '@/lib/dashboard/operator/contradiction';
import type { QuarantinedItem } from '@/lib/dashboard/operator/quarantine';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';
import { EnvironmentBadge } from './names';

export const quarantineColumns = ({ t, format }: DashboardWords): readonly Column<QuarantinedItem>[] => [
  {
    key: 'item',
    header: t('operatorQuarantineItem'),
    onPhone: 'title',
    cell: ({ kind, subjectId }) => (
      <span className="grid md:min-w-36">
        <span className="font-semibold">{t(`operatorQuarantine_${kind}`)}</span>
        <code className="text-xs break-all text-muted">{subjectId}</code>
      </span>
    ),
  },
  {
    key: 'store',
    header: t('operatorStore'),
    onPhone: 'under',
    cell: ({ storeId, storeName, environment }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        {storeId === null ? (
          '—'
        ) : (
          <Link href={`/operator/stores/${storeId}`} className="inline-block py-0.5 text-ink">
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
    onPhone: 'wide',
    cell: ({ step, error }) => (
      <span className="grid md:min-w-36">
        <span className="text-[0.8125rem]">{step}</span>
        <span className="wrap-anywhere text-muted">{error}</span>
      </span>
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
    key: 'since',
    header: t('operatorSince'),
    isNumeric: true,
    onPhone: 'side',
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
    cell: ({ id, contradiction }) =>
      contradiction ? <Decide {...{ t, id, contradiction }} /> : <Retry {...{ t, id }} />,
  },
];

type Words = Pick<DashboardWords, 't'>;

const Retry = ({ t, id }: Words & { readonly id: string }) => (
  <ConfirmButton
    isSmall
    icon="retry"
    trigger={t('operatorRetry')}
    title={t('operatorRetryItemTitle')}
    text={t('operatorRetryItemText')}
    done={t('operatorRetryItemDone')}
    path={`/operator/quarantine/${id}/retry`}
  />
);

const Decide = ({ t, id, contradiction }: Words & { readonly id: string; readonly contradiction: Contradiction }) => (
  <span className="inline-flex flex-wrap justify-end gap-2">
    {OUTCOMES.map((outcome) => (
      <ConfirmButton
        key={outcome}
        isSmall
        trigger={t(`operatorContradiction_${outcome}`)}
        title={t(`operatorContradictionTitle_${outcome}`)}
        text={t(`operatorContradictionText_${outcome}`)}
        submitKind="danger"
        done={t('operatorContradictionDone')}
        path={`/operator/quarantine/${id}/decide`}
        body={{ outcome }}
        field={{
          name: 'note',
          label: t('operatorExplainNote'),
          hint: t('operatorContradictionHint'),
          isRequired: true,
        }}
      >
        <Facts t={t} title={t('operatorContradictionStored')} facts={contradiction.stored} />
        <Facts t={t} title={t('operatorContradictionReported')} facts={contradiction.reported} />
      </ConfirmButton>
    ))}
  </span>
);

const Facts = ({ t, title, facts }: Words & { readonly title: string; readonly facts: Contradiction['stored'] }) => (
  <div className="grid gap-0.5 text-[0.8125rem]">
    <span className="font-semibold">
      {title}: <Money amount={shortAmount(BigInt(facts.amount), facts.decimals)} currency={facts.currency} />
    </span>
    <code className="text-xs break-all text-muted">
      {t('operatorContradictionPath', { payer: facts.payer, recipient: facts.recipient })}
    </code>
  </div>
);
