// What stands on the endpoint's page below its address and secret: its health and trying it out. Drawn by the server.

import { Card } from '@/components/ui/card';
import { Stat, Stats } from '@/components/ui/stat';
import { unixSeconds } from '@/lib/platform/clock';
import type { StorePage } from '@/lib/dashboard/store-page';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { CONTRACT_TYPES, EVENT_TYPES, type EventType, type OptionalEventType } from '@/lib/webhooks/events/events';
import type { EndpointHealth } from '@/lib/webhooks/endpoint/health';
import { PauseEndpoint, TestEvent } from './controls';
import { HealthChart, Pauses } from './health';
import { MoreEvents } from './more-events';

type Props = Pick<StorePage, 'api' | 'base' | 'can'> & {
  readonly health: EndpointHealth;
  readonly optional: readonly OptionalEventType[];
  readonly words: DashboardWords;
};

export function EndpointConsole({ api, base, can, health, optional, words }: Props) {
  const { t, format } = words;
  const hours = health.hours.map(({ hour, succeeded, failed }) => ({
    at: unixSeconds(hour),
    answered: succeeded,
    failed,
  }));
  const answered = hours.reduce((sum, one) => sum + one.answered, 0);
  const all = answered + hours.reduce((sum, one) => sum + one.failed, 0);
  const pauses = health.pauses.map((one) => ({
    from: unixSeconds(one.pausedAt),
    until: one.resumedAt && unixSeconds(one.resumedAt),
    reason: one.reason,
    replayed: one.replayed,
  }));
  const canChange = can('webhook.change');
  return (
    <>
      <Card
        title={t('hookHealth')}
        text={t('hookHealthText')}
        actions={canChange && health.pausedAt === null ? <PauseEndpoint api={api} /> : null}
      >
        <div className="grid gap-4">
          <Stats>
            <Stat label={t('hookShare')} value={all === 0 ? '–' : format.percent(answered / all)} />
            <Stat label={t('hookFailed')} value={format.number(all - answered)} />
            <Stat label={t('hookWaiting')} value={format.number(health.waiting)} />
          </Stats>
          {health.failedInARow > 0 && <p className="text-warn">{t('hookInARow', { count: health.failedInARow })}</p>}
          {all > 0 && <HealthChart hours={hours} />}
        </div>
      </Card>
      <Card title={t('hookMore')} text={t('hookMoreText')}>
        <div className="grid gap-3">
          <EventsOfEndpoint optional={optional} words={words} />
          <MoreEvents api={api} chosen={optional} canChange={canChange} />
        </div>
      </Card>
      {can('webhook.resend') && (
        <Card title={t('hookTry')} text={t('hookTryText')}>
          <TestEvent api={api} base={base} types={EVENT_TYPES} />
        </Card>
      )}
      {pauses.length > 0 && (
        <Card title={t('hookPauses')} isFlush>
          <Pauses pauses={pauses} />
        </Card>
      )}
    </>
  );
}

/** Every type of event that the endpoint gets. */
export function EventsOfEndpoint({ optional, words: { t } }: Pick<Props, 'optional' | 'words'>) {
  const types: readonly EventType[] = [...CONTRACT_TYPES, ...optional];
  return (
    <p className="text-muted">
      {t('hookGets')} <code className="break-words">{types.join(', ')}</code>
    </p>
  );
}

/** What the note says of a pause that lasts; null while nothing is paused. */
export function pauseOf({ pausedAt, pauses, waiting }: EndpointHealth) {
  const open = pauses.find(({ resumedAt }) => resumedAt === null);
  if (pausedAt === null) return null;
  return { reason: open?.reason ?? ('asked' as const), pausedAt: unixSeconds(pausedAt), waiting };
}
