// One delivery: its event, the sent body, and every attempt with the receiver's response.

import { notFound } from 'next/navigation';
import { Resend } from '@/components/dashboard/events/resend';
import { DeliveryState } from '@/components/dashboard/payments/status';
import { DeliveryAttempts } from '@/components/dashboard/webhooks/delivery-attempts';
import { Badge } from '@/components/ui/badge';
import { Card, Fact, Facts, PageHead } from '@/components/ui/card';
import { CodeBlock } from '@/components/ui/code-block';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { unixSeconds } from '@/lib/platform/clock';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { readDelivery } from '@/lib/webhooks/console/read-delivery';

export const generateMetadata = titled('hookTabDeliveries');

type Props = { readonly params: Promise<{ store_id: string; environment: string; delivery_id: string }> };

export default async function DeliveryPage({ params }: Props) {
  const { context, of, base, api, can } = await requireStorePage(params, 'webhook.read');
  const { t } = await getDashboardWords();
  const { delivery_id: deliveryId } = await params;
  const delivery = await readDelivery(context, { ...of, deliveryId });
  if (!delivery) notFound();
  const { objectId, isTest } = delivery;
  const list = objectId.startsWith('re_') ? 'refunds' : 'payments';
  const tries = delivery.attempts.toReversed().map(({ startedAt, finishedAt: _, ...one }) => ({
    ...one,
    startedAt: unixSeconds(startedAt),
  }));
  return (
    <>
      <PageHead
        title={delivery.type}
        back={{ href: `${base}/webhooks/deliveries`, label: t('hookTabDeliveries') }}
        badge={
          <>
            <DeliveryState status={delivery.status} />
            {isTest && <Badge tone="info">{t('dlvTest')}</Badge>}
          </>
        }
        actions={can('webhook.resend') ? <Resend api={api} id={delivery.eventId} /> : null}
      />
      <div className="grid grid-cols-1 gap-5">
        <Card>
          <Facts>
            <Fact name={t('dlvEvent')}>
              <code className="break-all">{delivery.eventId}</code>
            </Fact>
            <Fact name={t('evtAbout')}>
              {isTest ? (
                <code className="break-all">{objectId}</code>
              ) : (
                <Link href={`${base}/${list}/${objectId}`} className="break-all">
                  {objectId}
                </Link>
              )}
            </Fact>
            <Fact name={t('evtDelivery')}>{t(`dlvLane_${delivery.lane}`)}</Fact>
            <Fact name={t('payCreated')}>
              <DateTime at={unixSeconds(delivery.createdAt)} isExact />
            </Fact>
            {delivery.nextAt && (
              <Fact name={t('dlvNext')}>
                <DateTime at={unixSeconds(delivery.nextAt)} isExact />
              </Fact>
            )}
          </Facts>
        </Card>
        <Card title={t('dlvAttempts')}>
          <DeliveryAttempts tries={tries} verifyHref={`${base}/webhooks/verify?delivery=${delivery.id}`} />
        </Card>
        <Card title={t('dlvBody')} text={t('dlvBodyText')}>
          <CodeBlock label={t('dlvBody')} text={delivery.body} isWrapped />
        </Card>
      </div>
    </>
  );
}
