// The stores of the signed-in user, each with its approval status.

import { redirect } from 'next/navigation';
import { homeOf, keysOf } from '@/components/dashboard/places';
import { StoreState } from '@/components/dashboard/payments/status';
import { CreateStore } from '@/components/dashboard/stores/create-store';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { AboveRow, OneLine, Table } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import { presentedNetworks } from '@/lib/networks/registry';
import type { Parameters } from '@/lib/dashboard/lists/filters';
import { requirePage } from '@/lib/dashboard/page';
import { takesLive } from '@/lib/dashboard/viewer';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { may } from '@/lib/merchants/members/roles';
import { listStoresOf } from '@/lib/merchants/stores/read';

export const generateMetadata = titled('navStores');

export default async function StoresPage({ searchParams }: { readonly searchParams: Promise<Parameters> }) {
  const { actor, context } = await requirePage('account');
  // An operator has no stores of their own.
  if (actor.isOperator) redirect('/operator');
  const { t } = await getDashboardWords();
  const rows = await listStoresOf(context.pool, actor.userId);
  const stores = rows.map((store) => ({ ...store, takesLive: takesLive(context.config, store) }));
  const networks = presentedNetworks(context.config);
  const isNew = (await searchParams).new !== undefined;
  return (
    <>
      <PageHead
        title={t('navStores')}
        actions={stores.length > 0 ? <CreateStore networks={networks} isOpenAtFirst={isNew} /> : null}
      />
      <Table
        label={t('navStores')}
        rows={stores}
        rowKey={(store) => store.id}
        rowHref={homeOf}
        columns={[
          {
            key: 'name',
            header: t('storeName'),
            onPhone: 'title',
            cell: (store) => <OneLine text={store.name} />,
          },
          {
            key: 'status',
            header: t('payStatus'),
            onPhone: 'side',
            cell: (store) => (
              <span className="grid justify-items-start gap-0.5">
                <StoreState status={store.status} />
                {store.statusReason && (
                  <span className="max-w-64 text-[0.8125rem] wrap-break-word text-muted max-md:hidden">
                    {store.statusReason}
                  </span>
                )}
              </span>
            ),
          },
          {
            key: 'channel',
            header: t('storeChannel'),
            isExtra: true,
            onPhone: 'hidden',
            cell: (store) => t(`storeChannel_${store.channelType}`),
          },
          { key: 'role', header: t('memRole'), onPhone: 'under', cell: (store) => t(`role_${store.role}`) },
          {
            key: 'website',
            header: t('storeWebsite'),
            isExtra: true,
            onPhone: 'hidden',
            cell: (store) =>
              store.website && <OneLine text={store.website.replace(/^https?:\/\//, '').replace(/\/$/, '')} isMuted />,
          },
          {
            key: 'created',
            header: t('payCreated'),
            isNumeric: true,
            onPhone: 'end',
            cell: (store) => <DateTime at={unixSeconds(store.createdAt)} inList />,
          },
          {
            key: 'keys',
            header: t('navKeys'),
            isHeaderHidden: true,
            isNumeric: true,
            cell: (store) =>
              may({ isOperator: false, storeRole: store.role }, 'keys.read') && (
                <AboveRow>
                  <ButtonLink size="small" icon="keys" href={keysOf(store)}>
                    {t('storeKeys')}
                    <span className="only-read"> {store.name}</span>
                  </ButtonLink>
                </AboveRow>
              ),
          },
        ]}
        empty={
          <Empty icon="stores" title={t('storeNoneTitle')} text={t('storeNoneText')}>
            <CreateStore networks={networks} isOpenAtFirst={isNew} />
            <ButtonLink href="/docs" icon="external">
              {t('navDocs')}
            </ButtonLink>
          </Empty>
        }
      />
    </>
  );
}
