// The payouts of a store, those that are requested automatically, and the addresses that they go to.

import { PayoutAddresses } from '@/components/dashboard/payouts/addresses';
import { DirectSettlement } from '@/components/dashboard/payouts/direct-settlement';
import { Payouts } from '@/components/dashboard/payouts/payouts';
import { RefundReserve } from '@/components/dashboard/payouts/refund-reserve';
import { PayoutSchedules } from '@/components/dashboard/payouts/schedules';
import { PageHead } from '@/components/ui/card';
import { RefreshWhile } from '@/components/ui/refresh-while';
import { networkChoices } from '@/lib/dashboard/lists/choices';
import { payoutAddressesOf } from '@/lib/dashboard/payouts/addresses';
import { directSettlementOf } from '@/lib/dashboard/payouts/direct';
import { storeRateOf } from '@/lib/dashboard/payouts/rates';
import { payoutSchedulesOf } from '@/lib/dashboard/payouts/schedules';
import { payoutsOf } from '@/lib/dashboard/payouts/payouts';
import { readListQuery, requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navPayouts');

export default async function PayoutsPage({ params, searchParams }: StorePageProps) {
  const { context, of, base, api, can, store } = await requireStorePage(params, 'payouts.read');
  const words = await getDashboardWords();
  const { t } = words;
  const { pageRequest } = readListQuery(await searchParams);
  const [
    { addresses, delaySeconds },
    { page, balances, held, isChecking, kept },
    { schedules, assets, reserves, isDue, canRun },
    costs,
    direct,
  ] = await Promise.all([
    payoutAddressesOf(context, of),
    payoutsOf(context, { ...of, holdHours: store.payoutHoldHours }, pageRequest),
    payoutSchedulesOf(context, of),
    storeRateOf(context, of),
    directSettlementOf(context, of),
  ]);
  const canManage = can('payouts.manage') && direct === null;
  return (
    <>
      <PageHead title={t('navPayouts')} text={t('payoutsText')} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {direct && <DirectSettlement {...{ words }} networks={direct} />}
        {(!direct || page.rows.length > 0) && (
          <Payouts
            words={words}
            api={api}
            base={base}
            page={page}
            balances={balances}
            costs={costs}
            hold={{ hours: store.payoutHoldHours, held, isChecking }}
            kept={kept}
            addresses={addresses}
            canManage={canManage}
          />
        )}
        {!direct && (
          <>
            <RefundReserve {...{ api, reserves, assets, canManage }} />
            <PayoutSchedules {...{ words, api, schedules, assets, canManage, canRun }} />
            <PayoutAddresses
              words={words}
              api={api}
              addresses={addresses}
              delaySeconds={delaySeconds}
              networks={networkChoices(t, context.config)}
              canManage={canManage}
            />
          </>
        )}
      </div>
      <RefreshWhile
        isGoingOn={isDue || page.rows.some(({ status }) => status === 'pending' || status === 'processing')}
      />
    </>
  );
}
