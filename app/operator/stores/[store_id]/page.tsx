// One store as the operator decides about it: everything that the merchant said of it, its limits, and what happened to it.

import { notFound } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { Card, Fact, Facts, Note, PageHead } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { AuditTable } from '@/components/operator/audit-table';
import { networkName, StoreBadge } from '@/components/operator/names';
import { StoreDecisions } from '@/components/operator/store-decisions';
import { StoreChanged } from '@/components/operator/store-changed';
import { StoreLimits } from '@/components/operator/store-limits';
import { unixSeconds } from '@/lib/clock';
import { listAuditShown } from '@/lib/dashboard/operator-audit';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { centsToText } from '@/lib/money';
import { readStore, type StoreRow } from '@/lib/stores/read';
import { readEndpoint, type EndpointRow } from '@/lib/stores/read-access';

const AUDIT_SHOWN = 10;

type Props = { params: Promise<{ store_id: string }> };

export async function generateMetadata() {
  const { t } = await getDashboardWords();
  return { title: t('operatorStore') };
}

export default async function StorePage({ params }: Props) {
  const { context } = await requirePage('stores.decide');
  const { store_id: storeId } = await params;
  const [words, store, live, test, audit] = await Promise.all([
    getDashboardWords(),
    readStore(context.pool, storeId),
    readEndpoint(context.pool, { storeId, environment: 'live' }),
    readEndpoint(context.pool, { storeId, environment: 'test' }),
    listAuditShown(context, { storeId, limit: AUDIT_SHOWN }),
  ]);
  if (!store) return notFound();
  const { t } = words;
  return (
    <>
      <PageHead
        title={store.name}
        back={{ href: '/operator/stores', label: t('navStores') }}
        badge={<StoreBadge t={t} status={store.status} />}
        actions={<StoreDecisions {...{ words, store }} />}
      />
      <div className="grid gap-5">
        {store.identityChangedAt && (
          <StoreChanged {...{ words, storeId, name: store.name, changedAt: store.identityChangedAt }} />
        )}
        {store.statusReason !== null && (
          <Note tone={store.status === 'approved' ? 'info' : 'warn'} title={t('operatorReasonGiven')}>
            {store.statusReason}
          </Note>
        )}
        <Card
          title={t('operatorStoreFacts')}
          actions={
            <ButtonLink size="small" href={`/dashboard/${store.id}/live/overview`} icon="eye">
              {t('operatorAsMerchant')}
            </ButtonLink>
          }
        >
          <StoreFacts {...{ words, store, live, test }} />
        </Card>
        <Card title={t('operatorLimits')} text={t('operatorLimitsText')}>
          <StoreLimits
            key={store.version}
            storeId={store.id}
            version={store.version}
            sessionLimit={limitText(store.sessionLimit)}
            dayLimit={limitText(store.dayLimit)}
            refundDayLimit={limitText(store.refundDayLimit)}
            refundWindowDays={store.refundWindowDays}
          />
        </Card>
        <Card title={t('operatorStoreHistory')} isFlush>
          <AuditTable words={words} entries={audit.entries} isBare />
        </Card>
      </div>
    </>
  );
}

/** Empty without a limit. */
const limitText = (cents: bigint | null): string => (cents === null ? '' : centsToText(cents));

type FactsProps = {
  readonly words: DashboardWords;
  readonly store: StoreRow;
  readonly live: EndpointRow | null;
  readonly test: EndpointRow | null;
};

function StoreFacts({ words: { t, format }, store, live, test }: FactsProps) {
  const networks =
    store.networks.length === 0
      ? t('operatorAllNetworks')
      : format.list(store.networks.map((one) => networkName(t, one)));
  return (
    <Facts>
      <Fact name={t('operatorStoreId')}>
        <CopyText text={store.id} label={t('operatorStoreId')} />
      </Fact>
      <Fact name={t('operatorOwner')}>{store.ownerEmail}</Fact>
      <Fact name={t('operatorWebsite')}>
        {store.website === null ? (
          '—'
        ) : (
          <a href={store.website} target="_blank" rel="noopener noreferrer nofollow" className="break-all text-accent">
            {store.website}
          </a>
        )}
      </Fact>
      <Fact name={t('operatorSells')}>{store.description ?? '—'}</Fact>
      <Fact name={t('operatorSupportContact')}>{store.supportContact ?? '—'}</Fact>
      <Fact name={t('operatorSettlement')}>{store.settlementCurrency}</Fact>
      <Fact name={t('operatorTokens')}>{format.list([...store.usdCurrencies])}</Fact>
      <Fact name={t('operatorNetworks')}>{networks}</Fact>
      <Fact name={t('operatorWebhookLive')}>
        <span className="break-all">{live?.url ?? '—'}</span>
      </Fact>
      <Fact name={t('operatorWebhookTest')}>
        <span className="break-all">{test?.url ?? '—'}</span>
      </Fact>
      <Fact name={t('operatorCreated')}>
        <DateTime at={unixSeconds(store.createdAt)} isExact />
      </Fact>
      {store.decidedAt && (
        <Fact name={t('operatorDecided')}>
          <DateTime at={unixSeconds(store.decidedAt)} isExact />
        </Fact>
      )}
    </Facts>
  );
}
