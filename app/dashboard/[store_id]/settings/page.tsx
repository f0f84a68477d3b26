// A store's description, the tokens and networks that it accepts, its rules by country, and its limits.

import { StoreState } from '@/components/dashboard/payments/status';
import { CountryRules } from '@/components/dashboard/stores/country-rules';
import { LegalForm } from '@/components/dashboard/stores/legal-form';
import { StoreNotice } from '@/components/dashboard/stores/notices';
import { StoreForm, type StoreFields } from '@/components/dashboard/stores/store-form';
import { Card, Fact, Facts, PageHead } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { Money } from '@/components/ui/money';
import { presentedNetworks } from '@/lib/networks/registry';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { centsToText } from '@/lib/money/amounts';
import { parseCountryRules } from '@/lib/platform/countries/rules';
import { readStoreBranding } from '@/lib/merchants/branding/branding';
import type { StoreRow } from '@/lib/merchants/stores/read';

export const generateMetadata = titled('navSettings');

type Props = { readonly params: Promise<{ store_id: string }> };

export default async function SettingsPage({ params }: Props) {
  const { context, store, can } = await requireStorePage(params, 'store.read');
  const { supportContact } = await readStoreBranding(context.pool, store.id);
  const { t, format } = await getDashboardWords();
  const limit = (cents: bigint | null) =>
    cents === null ? t('setNoLimit') : <Money amount={centsToText(cents)} currency="USD" />;
  return (
    <>
      <PageHead title={t('navSettings')} badge={<StoreState status={store.status} />} />
      <div className="grid max-w-3xl gap-5">
        <StoreNotice
          status={store.status}
          reason={store.statusReason}
          isLive={false}
          contactPage={supportContact === null ? `/dashboard/${store.id}/branding` : undefined}
        />
        <Card title={t('setStore')} text={can('store.change') ? t('setStoreText') : undefined}>
          <StoreForm
            storeId={store.id}
            store={fieldsOf(store)}
            networks={presentedNetworks(context.config)}
            isReadOnly={!can('store.change')}
          />
        </Card>
        <Card title={t('ctyTitle')} text={t('ctyText')}>
          <CountryRules
            storeId={store.id}
            version={store.version}
            rules={parseCountryRules(store.countryRules) ?? []}
            general={context.config.COUNTRY_RULES}
            isReadOnly={!can('store.change')}
          />
        </Card>
        <Card title={t('setLegal')} text={t('setLegalText')}>
          <LegalForm
            storeId={store.id}
            version={store.version}
            details={{ name: store.legalName, address: store.legalAddress, vatNumber: store.vatNumber }}
            isReadOnly={!can('store.change')}
          />
        </Card>
        <Card title={t('setLimits')} text={t('setLimitsText')}>
          <Facts>
            <Fact name={t('setSessionLimit')}>{limit(store.sessionLimit)}</Fact>
            <Fact name={t('setDayLimit')}>{limit(store.dayLimit)}</Fact>
            <Fact name={t('setRefundLimit')}>{limit(store.refundDayLimit)}</Fact>
            <Fact name={t('setRefundWindow')}>{t('ovwDays', { count: store.refundWindowDays })}</Fact>
            <Fact name={t('setPayoutHold')}>{t('pouHours', { count: store.payoutHoldHours })}</Fact>
            <Fact name={t('setId')}>
              <CopyText text={store.id} label={t('setId')} />
            </Fact>
            <Fact name={t('payCreated')}>{format.minute(store.createdAt.getTime() / 1000)}</Fact>
          </Facts>
        </Card>
      </div>
    </>
  );
}

/** Only the form's fields; the browser gets nothing else. */
const fieldsOf = (store: StoreRow): StoreFields => ({
  name: store.name,
  channelType: store.channelType,
  website: store.website,
  description: store.description,
  settlementCurrency: store.settlementCurrency,
  usdCurrencies: store.usdCurrencies,
  networks: store.networks,
  acceptsOtherToken: store.acceptsOtherToken,
  version: store.version,
});
