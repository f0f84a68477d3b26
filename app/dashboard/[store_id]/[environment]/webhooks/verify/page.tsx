// Tests the endpoint: a test event, and "paste and verify", which finds out why a server refuses our signature.

import { TestEvent } from '@/components/dashboard/webhooks/controls';
import { WebhookTabs } from '@/components/dashboard/webhooks/tabs';
import { VerifyForm } from '@/components/dashboard/webhooks/verify-form';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { readEndpoint } from '@/lib/merchants/api-keys/read-access';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { readDelivery } from '@/lib/webhooks/console/read-delivery';

export const generateMetadata = titled('hookTry');

export default async function VerifyPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, can } = await requireStorePage(params, 'webhook.read');
  const { t } = await getDashboardWords();
  const { delivery: deliveryId } = await searchParams;
  const [endpoint, delivery] = await Promise.all([
    readEndpoint(context.pool, of),
    typeof deliveryId === 'string' ? readDelivery(context, { ...of, deliveryId }) : null,
  ]);
  return (
    <>
      <PageHead title={t('navWebhooks')} text={t('hookText')} />
      <WebhookTabs base={base} />
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-5">
        {endpoint === null ? (
          <Card isFlush>
            <Empty icon="webhooks" title={t('hookNoneTitle')} text={t('hookNoneText')}>
              <ButtonLink href={`${base}/webhooks`} icon="webhooks">
                {t('hookTabEndpoint')}
              </ButtonLink>
            </Empty>
          </Card>
        ) : (
          <>
            {can('webhook.resend') && (
              <Card title={t('hookTryGo')} text={t('hookTryText')}>
                <TestEvent api={api} base={base} types={EVENT_TYPES} />
              </Card>
            )}
            <Card id="verify" title={t('hookTabVerify')} text={t('vfyText')}>
              <VerifyForm api={api} body={delivery?.body ?? ''} />
            </Card>
          </>
        )}
      </div>
    </>
  );
}
