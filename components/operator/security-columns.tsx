// Security events as rows: the kinds, and the subjects, with links to accounts and stores.

import { Badge } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { AccountCount, KeyCount, KindCount, StoreCount, SubjectCount } from '@/lib/dashboard/operator/security';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { OTHERS } from '@/lib/platform/security/kinds';
import { EnvironmentBadge } from './names';

export const kindColumns = ({ t, format }: DashboardWords): readonly Column<KindCount>[] => [
  {
    key: 'kind',
    header: t('operatorSecurityKind'),
    onPhone: 'title',
    cell: ({ kind, day, week }) => (
      // A kind without events is less prominent than the others.
      <span className={`grid ${week === 0 ? 'font-normal text-muted' : 'font-semibold'}`}>
        {t(`operatorSecurityKind_${kind}`)}
        <span className="text-xs font-normal text-muted tabular-nums md:hidden">
          {t('operatorSecurity_day')}: {format.number(day)} · {t('operatorSecurity_week')}: {format.number(week)}
        </span>
      </span>
    ),
  },
  {
    key: 'alarm',
    header: t('operatorState'),
    onPhone: 'side',
    cell: ({ day, alarmedAt }) => {
      if (alarmedAt) return <Badge tone="warn">{t('operatorSecurityAlarm')}</Badge>;
      return day > 0 ? <Badge tone="plain">{t('operatorSecuritySome')}</Badge> : null;
    },
  },
  {
    key: 'day',
    header: t('operatorSecurity_day'),
    isNumeric: true,
    onPhone: 'hidden',
    cell: ({ day }) => format.number(day),
  },
  {
    key: 'week',
    header: t('operatorSecurity_week'),
    isNumeric: true,
    onPhone: 'hidden',
    cell: ({ week }) => format.number(week),
  },
  {
    key: 'last',
    header: t('operatorSecurityLast'),
    isNumeric: true,
    isExtra: true,
    onPhone: 'hidden',
    cell: ({ lastAt }) => lastAt && <DateTime at={unixSeconds(lastAt)} inList />,
  },
];

export const addressColumns = (words: DashboardWords) => codeColumns(words, words.t('operatorSecurityAddress'));

export const policyColumns = (words: DashboardWords) => codeColumns(words, words.t('operatorSecurityPolicy'));

const codeColumns = (words: DashboardWords, header: string): readonly Column<SubjectCount>[] => [
  {
    key: 'subject',
    header,
    onPhone: 'title',
    cell: ({ subject }) =>
      subject === OTHERS ? (
        others(words)
      ) : (
        <code className="text-[0.8125rem] wrap-anywhere md:inline-block md:min-w-28">{subject}</code>
      ),
  },
  ...countColumns(words),
];

export const accountColumns = (words: DashboardWords): readonly Column<AccountCount>[] => [
  {
    key: 'subject',
    header: words.t('operatorUser'),
    onPhone: 'title',
    cell: ({ subject, email }) => {
      if (subject === OTHERS) return others(words);
      if (email === null) return <code className="text-[0.8125rem] break-all">{subject}</code>;
      return (
        <Link
          href={`/operator/users?q=${encodeURIComponent(email)}`}
          className="inline-block py-0.5 break-all text-ink"
        >
          {email}
        </Link>
      );
    },
  },
  ...countColumns(words),
];

export const keyColumns = (words: DashboardWords): readonly Column<KeyCount>[] => [
  {
    key: 'subject',
    header: words.t('operatorSecurityKey'),
    onPhone: 'title',
    cell: ({ subject, name, storeId, storeName, environment }) => {
      if (subject === OTHERS) return others(words);
      return (
        <span className="grid justify-items-start gap-0.5">
          <span className="inline-flex flex-wrap items-center gap-2">
            {name ?? subject}
            {environment && <EnvironmentBadge t={words.t} environment={environment} />}
          </span>
          {storeId && <StoreLink id={storeId} name={storeName} />}
        </span>
      );
    },
  },
  ...countColumns(words),
];

export const storeColumns = (words: DashboardWords): readonly Column<StoreCount>[] => [
  {
    key: 'subject',
    header: words.t('operatorStore'),
    onPhone: 'title',
    cell: ({ subject, storeName }) =>
      subject === OTHERS ? others(words) : <StoreLink id={subject} name={storeName} />,
  },
  ...countColumns(words),
];

const countColumns = ({ t, format }: DashboardWords): readonly Column<SubjectCount>[] => [
  {
    key: 'kinds',
    header: t('operatorSecurityKind'),
    cell: ({ kinds }) => (
      <span className="text-[0.8125rem] text-muted">
        {kinds.map((kind) => t(`operatorSecurityKind_${kind}`)).join(' · ')}
      </span>
    ),
  },
  {
    key: 'count',
    header: t('operatorSecurityCount'),
    onPhone: 'side',
    isNumeric: true,
    cell: ({ count }) => format.number(count),
  },
  {
    key: 'last',
    header: t('operatorSecurityLast'),
    isNumeric: true,
    isExtra: true,
    cell: ({ lastAt }) => <DateTime at={unixSeconds(lastAt)} inList />,
  },
];

const others = ({ t }: DashboardWords) => <span className="text-muted">{t('operatorSecurityOthers')}</span>;

const StoreLink = ({ id, name }: { id: string; name: string | null }) => (
  <Link href={`/operator/stores/${encodeURIComponent(id)}`} className="inline-block py-0.5 text-ink">
    {name ?? id}
  </Link>
);
