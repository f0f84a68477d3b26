// An alarm in the console's list: what it is, what to do, and who handles it.

import { Badge } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import type { Column } from '@/components/ui/table';
import { ALARM_KINDS } from '@/lib/installation/alarms/kinds';
import { alarmText, alarmTitle, type Words } from '@/lib/installation/alarms/alarm-text';
import { unixSeconds } from '@/lib/platform/clock';
import type { AlarmRow } from '@/lib/dashboard/operator/alarms';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';
import { SEVERITY_TONES } from './names';

export const alarmColumns = ({ t }: DashboardWords): readonly Column<AlarmRow>[] => [
  {
    key: 'what',
    header: t('alarmWhat'),
    onPhone: 'title',
    cell: (row) => (
      <span className="grid max-w-xl gap-0.5">
        <span className="font-semibold wrap-anywhere">{alarmTitle(t as Words, row)}</span>
        <span className="text-[0.8125rem] font-normal text-muted">{alarmText(t as Words, row.kind)}</span>
        {row.closedAt === null && (
          <Link href={ALARM_KINDS[row.kind].path} className="w-fit py-0.5 text-[0.8125rem] font-normal text-accent">
            {t('alarmGo')}
          </Link>
        )}
      </span>
    ),
  },
  {
    key: 'severity',
    header: t('alarmSeverity'),
    onPhone: 'side',
    cell: ({ severity, closedAt }) =>
      closedAt === null ? (
        <Badge tone={SEVERITY_TONES[severity]}>{t(`alarmSeverity_${severity}`)}</Badge>
      ) : (
        <Badge tone="plain">{t('alarmResolved')}</Badge>
      ),
  },
  {
    key: 'state',
    header: t('alarmState'),
    isExtra: true,
    onPhone: 'under',
    cell: ({ acknowledgedAt, acknowledgedBy }) => (
      <span className="text-muted wrap-anywhere">
        {acknowledgedAt === null ? t('alarmUnacknowledged') : t('alarmAcknowledgedBy', { name: acknowledgedBy ?? '–' })}
      </span>
    ),
  },
  {
    key: 'since',
    header: t('alarmSince'),
    onPhone: 'end',
    cell: ({ openedAt }) => <DateTime at={unixSeconds(openedAt)} inList />,
  },
  {
    key: 'actions',
    header: t('alarmAcknowledge'),
    isHeaderHidden: true,
    isNumeric: true,
    cell: ({ id, closedAt, acknowledgedAt }) => (
      <ConfirmButton
        isSmall
        isOffered={closedAt === null && acknowledgedAt === null}
        trigger={t('alarmAcknowledge')}
        title={t('alarmAcknowledgeTitle')}
        text={t('alarmAcknowledgeText')}
        done={t('alarmAcknowledged')}
        path={`/operator/alarms/${id}/acknowledge`}
      />
    ),
  },
];
