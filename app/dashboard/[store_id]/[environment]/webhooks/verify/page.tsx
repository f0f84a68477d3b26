// "Paste and verify": why a merchant's server refuses our signature.

import type { Metadata } from 'next';
import { WebhookTabs } from '@/components/dashboard/webhooks/tabs';
import { VerifyForm } from '@/components/dashboard/webhooks/verify-form';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, PageHead } from '@/components/ui/card';
import type { Parameters } from '@/lib/dashboard/lists/filters';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { readEndpoint } from '@/lib/merchants/api-keys/read-access';
import { readDelivery } from '@/lib/webhooks/console/read-delivery';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getDashboardWords()).t('hookTabVerify') };
}

type Props = {
  readonly params: Promise<{ store_id: string; environment: string }>;
  readonly searchParams: Promise<Parameters>;
};

export default async function VerifyPage({ params, searchParams }: Props) {
  const { context, of, base, api } = await requireStorePage(params, 'webhook.read');
  const { t } = await getDashboardWords();
  const { delivery: deliveryId } = await searchParams;
  const [endpoint, delivery] = await Promise.all([
    readEndpoint(context.pool, of),
    typeof deliveryId === 'string' ? readDelivery(context, { ...of, deliveryId }) : null,
  ]);
  return (
    <>
      <PageHead title={t('navWebhooks')} text={t('vfyText')} />
      <WebhookTabs base={base} />
      <div className="max-w-3xl">
        {endpoint === null ? (
          <Card isFlush>
            <Empty icon="webhooks" title={t('hookNoneTitle')} text={t('hookNoneText')}>
              <ButtonLink href={`${base}/webhooks`} icon="webhooks">
                {t('hookTabEndpoint')}
              </ButtonLink>
            </Empty>
          </Card>
        ) : (
          <Card title={t('hookTabVerify')}>
            <VerifyForm api={api} body={delivery?.body ?? ''} />
          </Card>
        )}
      </div>
    </>
  );
}
