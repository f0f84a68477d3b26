// The parts of an endpoint's page besides its address and secret: its health, its optional events and its pauses.
// Rendered by the server.

import { Card } from '@/components/ui/card';
import { Icon } from '@/components/ui/icon';
import { Stat, Stats } from '@/components/ui/stat';
import { unixSeconds } from '@/lib/platform/clock';
import type { StorePage } from '@/lib/dashboard/store-page';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { CONTRACT_TYPES, type EventType, type OptionalEventType } from '@/lib/webhooks/events/events';
import type { EndpointHealth } from '@/lib/webhooks/endpoint/health';
import { HealthChart, Pauses } from './health';
import { MoreEvents } from './more-events';

type HealthProps = { readonly health: EndpointHealth; readonly words: DashboardWords };

/** The attempts of the last 48 hours, in total and per hour. */
export function Health({ health, words: { t, format } }: HealthProps) {
  const hours = health.hours.map(({ hour, succeeded, failed }) => ({
    at: unixSeconds(hour),
    answered: succeeded,
    failed,
  }));
  const answered = hours.reduce((sum, one) => sum + one.answered, 0);
  const all = answered + hours.reduce((sum, one) => sum + one.failed, 0);
  return (
    <section aria-label={t('hookHealth')} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Stats>
        <Stat label={t('hookShare')} value={all === 0 ? '–' : format.percent(answered / all)} />
        <Stat label={t('hookFailed')} value={format.number(all - answered)} />
        <Stat label={t('hookWaiting')} value={format.number(health.waiting)} />
      </Stats>
      {health.failedInARow > 0 && <p className="text-warn">{t('hookInARow', { count: health.failedInARow })}</p>}
      {all > 0 && (
        // Deliveries come first: they list what the chart sums per hour. It is open only after failures.
        <details
          className="group rounded-xl border border-line bg-surface shadow-card max-md:hidden"
          open={answered < all}
        >
          <summary className="flex min-h-12 cursor-pointer flex-wrap items-center gap-x-3 rounded-xl px-5 py-2.5 hover:bg-hover">
            <h2 className="text-base leading-6 font-bold">{t('hookHealth')}</h2>
            <span className="text-muted">{t('hookHealthText')}</span>
            <Icon name="down" className="ms-auto text-muted transition-transform group-open:rotate-180" />
          </summary>
          <div className="px-5 pt-1 pb-4">
            <HealthChart hours={hours} />
          </div>
        </details>
      )}
    </section>
  );
}

type OptionalProps = Pick<StorePage, 'api' | 'can'> & {
  readonly optional: readonly OptionalEventType[];
  readonly words: DashboardWords;
};

/** Every event type of the endpoint, including the optional ones that it receives only when ticked. */
export function OptionalEvents({ api, can, optional, words: { t } }: OptionalProps) {
  const types: readonly EventType[] = [...CONTRACT_TYPES, ...optional];
  return (
    <Card title={t('hookMore')} text={t('hookMoreText')}>
      <div className="grid gap-3">
        <p className="text-muted">
          {t('hookGets')}{' '}
          <code dir="ltr" className="wrap-break-word">
            {types.join(', ')}
          </code>
        </p>
        <MoreEvents api={api} chosen={optional} canChange={can('webhook.change')} />
      </div>
    </Card>
  );
}

export function PastPauses({ health, words: { t } }: HealthProps) {
  if (health.pauses.length === 0) return null;
  const pauses = health.pauses.map((one) => ({
    from: unixSeconds(one.pausedAt),
    until: one.resumedAt && unixSeconds(one.resumedAt),
    reason: one.reason,
    replayed: one.replayed,
  }));
  return (
    <Card title={t('hookPauses')} isFlush>
      <Pauses pauses={pauses} />
    </Card>
  );
}

/** The note's text for a current pause; null if nothing is paused. */
export function pauseOf({ pausedAt, pauses, waiting }: EndpointHealth) {
  const open = pauses.find(({ resumedAt }) => resumedAt === null);
  if (pausedAt === null) return null;
  return { reason: open?.reason ?? ('requested' as const), pausedAt: unixSeconds(pausedAt), waiting };
}
