// One store for the operator's decision: everything that the merchant entered, its limits, and its history.

import { notFound } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { Card, Note, PageHead } from '@/components/ui/card';
import { AuditTable } from '@/components/operator/audit-table';
import { StoreBadge } from '@/components/operator/names';
import { PayoutRates } from '@/components/operator/payout-rates';
import { StoreDecisions } from '@/components/operator/store-decisions';
import { StoreChanged } from '@/components/operator/store-changed';
import { StoreFacts } from '@/components/operator/store-facts';
import { StoreLimits } from '@/components/operator/store-limits';
import { StorePairs } from '@/components/operator/store-pairs';
import { listAuditShown } from '@/lib/dashboard/operator/audit';
import { presentedPairs } from '@/lib/dashboard/operator/pairs';
import { requirePage } from '@/lib/dashboard/page';
import { payoutCostsOf, rateDecisionsOf } from '@/lib/dashboard/payouts/rates';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { listMembers } from '@/lib/merchants/members/change';
import { centsToText } from '@/lib/money/amounts';
import { presentedNetworks } from '@/lib/networks/registry';
import { readStoreBranding } from '@/lib/merchants/branding/branding';
import { ownersWithoutFactor } from '@/lib/merchants/stores/owners';
import { readStore } from '@/lib/merchants/stores/read';
import { readEndpoint } from '@/lib/merchants/api-keys/read-access';

const AUDIT_SHOWN = 10;

type Props = { params: Promise<{ store_id: string }> };

export const generateMetadata = titled('operatorStore');

export default async function StorePage({ params }: Props) {
  const { context } = await requirePage('stores.decide');
  const { store_id: storeId } = await params;
  // Read the version first: after a change during the other reads, the server refuses the decision as outdated.
  const store = await readStore(context.pool, storeId);
  if (!store) return notFound();
  const [words, members, unprotected, branding, live, test, audit, rateDecisions, payoutCosts] = await Promise.all([
    getDashboardWords(),
    listMembers(context.pool, storeId),
    ownersWithoutFactor(context.pool, storeId),
    readStoreBranding(context.pool, storeId),
    readEndpoint(context.pool, { storeId, environment: 'live' }),
    readEndpoint(context.pool, { storeId, environment: 'test' }),
    listAuditShown(context, { storeId, limit: AUDIT_SHOWN }),
    rateDecisionsOf(context, storeId),
    payoutCostsOf(context, 'live'),
  ]);
  const { t, format } = words;
  const owners = members.filter(({ role }) => role === 'owner');
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
        {unprotected.length > 0 && store.status === 'pending' && (
          <Note tone="warn" title={t('operatorOwnerFactorTitle')}>
            {t('operatorOwnerFactorText', { emails: format.list([...unprotected]) })}
          </Note>
        )}
        {branding.supportContact === null && store.status === 'pending' && (
          <Note tone="warn" title={t('operatorNoContactTitle')}>
            {t('operatorNoContactText')}
          </Note>
        )}
        {store.statusReason !== null && (
          <Note tone={store.status === 'approved' ? 'info' : 'warn'} title={t('operatorReasonGiven')}>
            {store.statusReason}
          </Note>
        )}
        <Card
          title={t('operatorStoreFacts')}
          actions={
            <span className="flex flex-wrap gap-2">
              <ButtonLink size="small" href={`/operator/all-payments?store=${store.id}`} icon="payments">
                {t('navPayments')}
              </ButtonLink>
              <ButtonLink size="small" href={`/dashboard/${store.id}/live/overview`} icon="eye">
                {t('operatorAsMerchant')}
              </ButtonLink>
            </span>
          }
        >
          <StoreFacts {...{ words, store, owners, branding, live, test }} />
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
            payoutHoldHours={store.payoutHoldHours}
          />
        </Card>
        <PayoutRates
          {...{ words, storeId }}
          networks={presentedNetworks(context.config)}
          decisions={rateDecisions}
          costs={payoutCosts}
          noticeHours={context.config.PAYOUT_RATE_NOTICE_HOURS}
        />
        <Card title={t('operatorPairs')} text={t('operatorPairsText')}>
          <StorePairs
            key={store.version}
            storeId={store.id}
            version={store.version}
            pairs={presentedPairs(context.config)}
            allowed={store.allowedPairs}
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
