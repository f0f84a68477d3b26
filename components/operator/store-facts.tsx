// A store's details from its merchant and its public appearance, for the operator's decision.

import { Fact, Facts } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { StoreMark } from '@/components/ui/store-mark';
import { unixSeconds } from '@/lib/platform/clock';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { MemberRow } from '@/lib/merchants/members/change';
import type { StoreBranding } from '@/lib/merchants/branding/branding';
import type { StoreRow } from '@/lib/merchants/stores/read';
import type { EndpointRow } from '@/lib/merchants/api-keys/read-access';
import { networkName } from './names';

type Props = {
  readonly words: DashboardWords;
  readonly store: StoreRow;
  readonly owners: readonly MemberRow[];
  readonly branding: StoreBranding;
  readonly live: EndpointRow | null;
  readonly test: EndpointRow | null;
};

export function StoreFacts({ words: { t, format }, store, owners, branding, live, test }: Props) {
  const networks =
    store.networks.length === 0
      ? t('operatorAllNetworks')
      : format.list(store.networks.map((one) => networkName(t, one)));
  const shownAs = branding.displayName ?? store.name;
  const texts = [
    ['operatorSells', store.description],
    ['operatorSupportContact', branding.supportContact],
    ['operatorEmbedOrigins', branding.embedOrigins.length === 0 ? null : format.list([...branding.embedOrigins])],
    ['operatorWebhookLive', live?.url ?? null],
    ['operatorWebhookTest', test?.url ?? null],
  ] as const;
  const legal = [
    ['setLegalName', store.legalName],
    ['setLegalAddress', store.legalAddress?.replaceAll('\n', ', ') ?? null],
    ['setVatNumber', store.vatNumber],
  ] as const;
  const missing = [['operatorWebsite', store.website] as const, ...texts].flatMap(([name, text]) =>
    text === null ? [t(name)] : [],
  );
  return (
    <Facts>
      <Fact name={t('operatorStoreId')}>
        <CopyText text={store.id} label={t('operatorStoreId')} />
      </Fact>
      <Fact name={t('operatorOwners')}>
        {owners.map(({ userId, email, isProtected }) => (
          <span key={userId} className="block break-all">
            {t(isProtected ? 'operatorOwnerFactor' : 'operatorOwnerNoFactor', { email })}
          </span>
        ))}
      </Fact>
      <Fact name={t('storeChannel')}>{t(`storeChannel_${store.channelType}`)}</Fact>
      <Fact name={t('operatorShownAs')}>
        <span className="flex flex-wrap items-center gap-2">
          <StoreMark name={shownAs} logo={branding.logo} />
          <span className="min-w-0 break-words">{shownAs}</span>
        </span>
      </Fact>
      {store.website !== null && (
        <Fact name={t('operatorWebsite')}>
          <a href={store.website} target="_blank" rel="noopener noreferrer nofollow" className="break-all text-accent">
            {store.website}
          </a>
        </Fact>
      )}
      {[...texts, ...legal].map(
        ([name, text]) =>
          text !== null && (
            <Fact key={name} name={t(name)}>
              {text}
            </Fact>
          ),
      )}
      <Fact name={t('operatorSettlement')}>{store.settlementCurrency}</Fact>
      <Fact name={t('operatorTokens')}>{format.list([...store.usdCurrencies])}</Fact>
      <Fact name={t('operatorNetworks')}>{networks}</Fact>
      <Fact name={t('operatorCreated')}>
        <DateTime at={unixSeconds(store.createdAt)} isExact />
      </Fact>
      {store.decidedAt && (
        <Fact name={t('operatorDecided')}>
          <DateTime at={unixSeconds(store.decidedAt)} isExact />
        </Fact>
      )}
      {missing.length > 0 && (
        <Fact name={t('operatorNotGiven')}>
          <span className="text-muted">{format.list(missing)}</span>
        </Fact>
      )}
    </Facts>
  );
}
