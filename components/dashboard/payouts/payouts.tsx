// The payouts of a store, page by page: each with its state, where it went or why it waits, and the action that requests one.

import { Network } from '@/components/dashboard/payments/status';
import { Hash } from '@/components/dashboard/payments/hash';
import { ListPager } from '@/components/dashboard/payments/list-pager';
import { Address } from '@/components/ui/address';
import { Card, Empty } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { dashboardNetwork } from '@/lib/i18n/dashboard-network';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { Page } from '@/lib/dashboard/lists/keyset';
import type { PayoutAddressView } from '@/lib/dashboard/payouts/addresses';
import type { AssetText, PayableBalance, PayoutView } from '@/lib/dashboard/payouts/payouts';
import type { StoreRate } from '@/lib/dashboard/payouts/rates';
import { rateText } from '@/lib/payouts/rates/text';
import { CancelPayout } from './cancel-payout';
import { holdText, PayoutState } from './payout-state';
import { RequestPayout, type PayableTo } from './request-payout';

type Props = {
  readonly words: DashboardWords;
  /** The path of the store's requests. */
  readonly api: string;
  /** The path of the store's pages in this environment. */
  readonly base: string;
  readonly page: Page<PayoutView>;
  readonly balances: readonly PayableBalance[];
  readonly costs: StoreRate;
  /** How long payments wait until they can be paid out, and what waits now; `isChecking`: partly for the screening. */
  readonly hold: { readonly hours: number; readonly held: readonly AssetText[]; readonly isChecking: boolean };
  /** What stays for refunds. */
  readonly kept: readonly AssetText[];
  readonly addresses: readonly PayoutAddressView[];
  readonly canManage: boolean;
};

export function Payouts({ words, api, base, page, balances, costs, hold, kept, addresses, canManage }: Props) {
  const { t, format } = words;
  const { rows: payouts, older, newer } = page;
  const payable = balances.flatMap((balance): PayableTo[] => {
    const goesTo = addressOn(addresses, balance.network);
    if (!goesTo) return [];
    const { address, state, payAfter } = goesTo;
    const when =
      state === 'waiting' ? t('padNow_waiting', { time: format.second(payAfter ?? 0) }) : t(`padNow_${state}`);
    return [{ ...balance, goesTo: { address, when } }];
  });
  const request = canManage && payable.length > 0 && <RequestPayout api={api} balances={payable} rate={costs.rate} />;
  return (
    <Card title={t('pouTitle')} text={t('pouText')} actions={payouts.length > 0 && request}>
      {payouts.length > 0 ? (
        <>
          <ul className="grid gap-4">
            {payouts.map((one) => (
              <Item key={one.id} {...{ words, api, base, one, canManage }} />
            ))}
          </ul>
          {(older !== null || newer !== null) && (
            <div className="mt-4 -mb-4">
              <ListPager {...{ older, newer }} shown={payouts.length} />
            </div>
          )}
        </>
      ) : (
        <Empty icon="wallet" title={t('pouNoneTitle')} text={t(emptyText(payable, addresses))}>
          {request}
        </Empty>
      )}
      <p className="mt-4 border-t border-line pt-4 text-muted" data-payout-costs>
        <span className="font-semibold">{t('pouCosts')}</span>: {rateText(words, costs.now)}
        {costs.next && (
          <span className="block">
            {t('pouCostsNext', {
              time: format.minute(costs.next.startsAt),
              costs: rateText(words, costs.next.costs),
            })}
          </span>
        )}
        {(hold.hours > 0 || hold.held.length > 0) && (
          <span className="block" data-payout-hold={hold.hours}>
            {[
              ...(hold.hours > 0 ? [t('pouHold', { hours: t('pouHours', { count: hold.hours }) })] : []),
              ...(hold.isChecking ? [t('balCheckText')] : []),
              ...(hold.held.length > 0
                ? [t('pouHeld', { amounts: format.list(hold.held.map((one) => heldText(words, one))) })]
                : []),
            ].join(' ')}
          </span>
        )}
        {kept.length > 0 && (
          <span className="block" data-payout-kept>
            {t('pouKept', { amounts: format.list(kept.map((one) => heldText(words, one))) })}
          </span>
        )}
      </p>
    </Card>
  );
}

/** The address in use on a network, or else the one that will be first. */
function addressOn(addresses: Props['addresses'], network: string) {
  const own = addresses.filter((one) => one.network === network);
  for (const wanted of ['current', 'waiting', 'announcing'] as const) {
    const found = own.find(({ state }) => state === wanted);
    if (found) return { ...found, state: wanted };
  }
  return null;
}

function emptyText(payable: readonly PayableTo[], addresses: Props['addresses']) {
  if (!addresses.some(({ state }) => state !== 'stopped')) return 'pouNoneAddress';
  return payable.length > 0 ? 'pouNoneText' : 'pouNoneBalance';
}

const heldText = ({ t, format }: DashboardWords, { network, currency, amount }: AssetText): string =>
  `${format.money(amount, currency)} (${dashboardNetwork(t, network)})`;

type ItemProps = Pick<Props, 'words' | 'api' | 'base' | 'canManage'> & { readonly one: PayoutView };

function Item({ words, api, base, one, canManage }: ItemProps) {
  const { t, format } = words;
  return (
    <li className="grid gap-2 border-t border-line pt-4 first:border-0 first:pt-0" data-payout={one.status}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2">
          <Link href={`${base}/payouts/${one.id}`} className="font-semibold">
            <Money amount={one.amount} currency={one.currency} />
          </Link>
          <span className="text-muted">
            <Network name={one.network} />
          </span>
          <PayoutState t={t} payout={one} />
        </span>
        {canManage && one.isCancelable && <CancelPayout api={api} id={one.id} />}
      </div>
      {one.hold !== null && <p className="text-muted">{holdText(t, one.hold)}</p>}
      {one.failureReason !== null && <p className="text-muted">{one.failureReason}</p>}
      {one.destination !== null && (
        <div className="flex">
          <Address text={one.destination} />
        </div>
      )}
      {one.transaction !== null && <Hash {...one.transaction} />}
      {one.description !== null && <p className="wrap-anywhere">{one.description}</p>}
      <p className="text-[0.8125rem] text-muted">
        {[
          t('pouRequestedAt', { time: format.minute(one.createdAt) }),
          ...(one.status === 'completed' && one.processedAt !== null
            ? [t('pouPaidAt', { time: format.minute(one.processedAt) })]
            : []),
          ...costTexts(words, one),
        ].join(' · ')}
      </p>
    </li>
  );
}

const costTexts = ({ t, format }: DashboardWords, { fee, networkCost, currency }: PayoutView): string[] => [
  ...(fee === null ? [] : [t('pouFee', { amount: format.money(fee, currency) })]),
  ...(networkCost === null ? [] : [t('pouNetworkCost', { amount: format.money(networkCost, currency) })]),
];
