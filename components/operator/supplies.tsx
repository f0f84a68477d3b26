// The supplies of payments: unused deposit addresses, space for the signer's journal, proven backups, and exchange rate sources.

import { Badge } from '@/components/ui/badge';
import { Card, Fact, Facts, Note } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { JournalHealth, RateHealth } from '@/lib/dashboard/operator/health';
import type { PoolFill } from '@/lib/installation/alarms/address-pool';
import type { RestoreHealth } from '@/lib/installation/restores/proofs';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

export function PoolMeter({
  words: { t, format },
  one: { environment, held, size, isLow },
}: {
  words: DashboardWords;
  one: PoolFill;
}) {
  const name = t(environment === 'live' ? 'navLive' : 'navTest');
  return (
    <div className="grid gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <span className="font-semibold">{name}</span>
        <span className="text-[0.8125rem] text-muted tabular-nums">
          {t('operatorPoolFill', { held: format.number(held), size: format.number(size) })}
        </span>
      </div>
      <meter
        className="pool-meter"
        aria-label={`${t('operatorPool')} · ${name}`}
        min={0}
        max={size}
        low={size / 4}
        optimum={size}
        value={held}
      />
      {isLow && <p className="text-[0.8125rem] font-semibold text-warn">{t('operatorPoolLow')}</p>}
    </div>
  );
}

export function JournalCard({ words: { t, format }, journal }: { words: DashboardWords; journal: JournalHealth }) {
  return (
    <Card title={t('operatorJournal')} text={t('operatorJournalText')}>
      <div className="grid gap-4">
        {journal.isLow && <Note tone="bad">{t('operatorJournalLow')}</Note>}
        {journal.trouble && (
          <Note tone="bad" title={t('operatorJournalTrouble')}>
            {journal.trouble}
          </Note>
        )}
        <Facts>
          <Fact name={t('operatorJournalRecords')}>{format.number(journal.records)}</Fact>
          <Fact name={t('operatorJournalSegments')}>{format.number(journal.segments)}</Fact>
          <Fact name={t('operatorJournalSize')}>{format.bytes(journal.bytes)}</Fact>
          <Fact name={t('operatorJournalFree')}>{format.bytes(journal.freeBytes)}</Fact>
        </Facts>
      </div>
    </Card>
  );
}

export function RestoresCard({
  words: { t, format },
  restores: { last, isOld, failure },
  maxDays,
}: {
  words: DashboardWords;
  restores: RestoreHealth;
  maxDays: number;
}) {
  return (
    <Card title={t('operatorRestores')} text={t('operatorRestoresText')}>
      <div className="grid gap-4">
        {isOld && <Note tone="warn">{t('operatorRestoreOld', { days: format.number(maxDays) })}</Note>}
        {failure && (
          <Note tone="bad" title={t('operatorRestoreFailed')}>
            <DateTime at={unixSeconds(failure.at)} /> · {failure.reason}
          </Note>
        )}
        <Facts>
          <Fact name={t('operatorRestoreLast')}>
            {last ? <DateTime at={unixSeconds(last.checkedAt)} /> : t('operatorNever')}
          </Fact>
          {last && <Fact name={t('operatorRestoreBackup')}>{last.backup}</Fact>}
          {last?.recoveredTo && (
            <Fact name={t('operatorRestoreUntil')}>
              <DateTime at={unixSeconds(last.recoveredTo)} />
            </Fact>
          )}
          {last && (
            <Fact name={t('operatorRestoreTook')}>
              {t('operatorRestoreSeconds', { seconds: format.number(last.seconds) })}
            </Fact>
          )}
        </Facts>
      </div>
    </Card>
  );
}

export const rateColumns = ({ t }: DashboardWords): readonly Column<RateHealth>[] => [
  { key: 'source', header: t('operatorSource'), onPhone: 'title', cell: ({ source }) => source },
  {
    key: 'state',
    header: t('operatorState'),
    onPhone: 'side',
    cell: ({ failures, answeredAt }) =>
      failures === 0 && answeredAt ? (
        <Badge tone="good">{t('operatorEndpoint_ok')}</Badge>
      ) : (
        <Badge tone={failures > 2 ? 'bad' : 'warn'}>{t('operatorEndpoint_failing')}</Badge>
      ),
  },
  {
    key: 'trouble',
    header: t('operatorMessage'),
    onPhone: 'wide',
    cell: ({ trouble }) => trouble && <span className="wrap-anywhere text-muted">{trouble}</span>,
  },
  {
    key: 'answered',
    header: t('operatorAnswered'),
    isNumeric: true,
    cell: ({ answeredAt }) => (answeredAt ? <DateTime at={unixSeconds(answeredAt)} inList /> : t('operatorNever')),
  },
];
