// The endpoint of a store's events, and the secret that signs them.

import { EndpointForm, EndpointSecret } from '@/components/dashboard/webhooks/endpoint';
import { OptionalEvents, PastPauses, pauseOf } from '@/components/dashboard/webhooks/console';
import { PauseEndpoint } from '@/components/dashboard/webhooks/controls';
import { PauseNote } from '@/components/dashboard/webhooks/pause-note';
import { WebhookTabs } from '@/components/dashboard/webhooks/tabs';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, Fact, Facts, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { unixSeconds } from '@/lib/platform/clock';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { readEndpoint } from '@/lib/merchants/api-keys/read-access';
import { readEndpointHealth } from '@/lib/webhooks/endpoint/health';
import { readOptionalEvents } from '@/lib/webhooks/events/optional';

export const generateMetadata = titled('navWebhooks');

type Props = { readonly params: Promise<{ store_id: string; environment: string }> };

export default async function WebhooksPage({ params }: Props) {
  const { context, of, base, api, can } = await requireStorePage(params, 'webhook.read');
  const words = await getDashboardWords();
  const { t } = words;
  const [endpoint, health, optional] = await Promise.all([
    readEndpoint(context.pool, of),
    readEndpointHealth(context, of),
    readOptionalEvents(context.pool, of),
  ]);
  const pause = health && pauseOf(health);
  const canChange = can('webhook.change');
  const isRotating =
    endpoint?.rotatingUntil && endpoint.rotatingUntil > context.clock.now() ? endpoint.rotatingUntil : null;
  return (
    <>
      <PageHead
        title={t('navWebhooks')}
        text={t('hookText')}
        actions={
          <ButtonLink href={`${base}/events`} icon="events">
            {t('navEvents')}
          </ButtonLink>
        }
      />
      <WebhookTabs base={base} />
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-5">
        {pause && <PauseNote pause={pause} api={api} base={base} canChange={canChange} />}
        {endpoint === null && (
          <Card isFlush>
            <Empty icon="webhooks" title={t('hookNoneTitle')} text={t('hookNoneText')}>
              <ButtonLink href="/docs/webhooks" icon="external">
                {t('navDocs')}
              </ButtonLink>
            </Empty>
          </Card>
        )}
        {(canChange || endpoint) && (
          <Card
            id="endpoint"
            title={t('hookEndpoint')}
            actions={canChange && health?.pausedAt === null ? <PauseEndpoint api={api} /> : null}
          >
            {canChange ? (
              <EndpointForm
                storeId={of.storeId}
                environment={of.environment}
                url={endpoint?.url ?? null}
                isSlowLane={health?.slowLane ?? false}
                isSandbox={context.config.SANDBOX_ORIGIN !== undefined}
              />
            ) : (
              endpoint && (
                <Facts>
                  <Fact name={t('hookUrl')}>
                    <code className="break-all">{endpoint.url}</code>
                  </Fact>
                  <Fact name={t('hookSlow')}>{t(health?.slowLane ? 'hookSlowOn' : 'hookSlowOff')}</Fact>
                </Facts>
              )
            )}
          </Card>
        )}
        {endpoint && (
          <Card title={t('hookSecret')} text={t('hookSecretText')}>
            <div className="grid gap-3">
              {isRotating && (
                <p className="text-warn">
                  {t('hookRotating')} <DateTime at={unixSeconds(isRotating)} isExact />
                </p>
              )}
              {canChange && <EndpointSecret storeId={of.storeId} environment={of.environment} />}
            </div>
          </Card>
        )}
        {optional && <OptionalEvents {...{ api, can, optional, words }} />}
        {health && <PastPauses health={health} words={words} />}
      </div>
    </>
  );
}
