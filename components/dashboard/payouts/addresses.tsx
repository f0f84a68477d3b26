// The payout addresses of a store: per network the one in use and those that wait, below them the earlier ones.

import { Network } from '@/components/dashboard/payments/status';
import { Address } from '@/components/ui/address';
import { Badge, type Tone } from '@/components/ui/badge';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty } from '@/components/ui/card';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { PayoutAddressView } from '@/lib/dashboard/payouts/addresses';
import { AddPayoutAddress } from './add-address';
import { StopPayoutAddress } from './stop-address';

type State = PayoutAddressView['state'];

type Props = {
  readonly words: DashboardWords;
  /** The path of the store's requests. */
  readonly api: string;
  readonly addresses: readonly PayoutAddressView[];
  readonly delaySeconds: number;
  readonly networks: readonly { readonly value: string; readonly label: string }[];
  readonly canManage: boolean;
};

const TONES: Readonly<Record<State, Tone>> = {
  announcing: 'info',
  waiting: 'warn',
  current: 'good',
  former: 'plain',
  stopped: 'plain',
};
const isEarlier = ({ state }: PayoutAddressView): boolean => state === 'former' || state === 'stopped';

export function PayoutAddresses({ words, api, addresses, delaySeconds, networks, canManage }: Props) {
  const { t, format } = words;
  const wait = format.wait(delaySeconds);
  const add = canManage && <AddPayoutAddress {...{ api, networks, wait }} />;
  const used = addresses.filter((one) => !isEarlier(one)).toSorted(byNetwork(networks));
  const earlier = addresses.filter(isEarlier);
  const item = (one: PayoutAddressView) => <Item key={one.id} {...{ words, api, one, canManage }} />;
  return (
    <Card
      title={t('padTitle')}
      text={t('padText', { wait })}
      actions={
        <>
          <ButtonLink href="/docs/payouts" icon="external" size="small" kind="quiet">
            {t('padHelp')}
          </ButtonLink>
          {used.length > 0 && add}
        </>
      }
    >
      {used.length > 0 ? (
        <ul className="grid gap-4">{used.map(item)}</ul>
      ) : (
        <Empty icon="wallet" title={t('padNoneTitle')} text={t('padNoneText')}>
          {add}
        </Empty>
      )}
      {!canManage && <p className="mt-4 text-[0.8125rem] text-muted">{t('padOwnersOnly')}</p>}
      {earlier.length > 0 && (
        <details className="mt-4">
          <summary className="w-fit cursor-pointer py-2 font-semibold text-accent">{t('padEarlier')}</summary>
          <ul className="mt-2 grid gap-4">{earlier.map(item)}</ul>
        </details>
      )}
    </Card>
  );
}

/** In the order of the networks table; on one network the address in use comes last of those that follow it. */
const byNetwork = (networks: Props['networks']) => (one: PayoutAddressView, other: PayoutAddressView) =>
  placeOf(networks, one) - placeOf(networks, other);
const placeOf = (networks: Props['networks'], { network }: PayoutAddressView): number =>
  networks.findIndex(({ value }) => value === network);

type ItemProps = Pick<Props, 'words' | 'api' | 'canManage'> & { readonly one: PayoutAddressView };

function Item({ words, api, one, canManage }: ItemProps) {
  const { t, format } = words;
  const { state } = one;
  return (
    <li className="grid gap-2 border-t border-line pt-4 first:border-0 first:pt-0" data-payout-address={state}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-semibold">
            <Network name={one.network} />
          </span>
          <Badge tone={TONES[state]}>{t(`padState_${state}`)}</Badge>
          {one.isSigned && <Badge tone="good">{t('padProven')}</Badge>}
          {one.isContract && <Badge>{t('padContract')}</Badge>}
        </span>
        {canManage && state !== 'stopped' && <StopPayoutAddress api={api} id={one.id} address={one.address} />}
      </div>
      {/* As wide as its text, so that it begins at the right side in right-to-left languages. */}
      <div className="flex">
        <Address text={one.address} />
      </div>
      <p className="text-muted">
        {whatHappens(words, one)}{' '}
        <span className="text-[0.8125rem]">
          {t('padAddedBy', { time: format.minute(one.createdAt), name: one.creator ?? '—' })}
        </span>
      </p>
    </li>
  );
}

function whatHappens({ t, format }: DashboardWords, { state, payAfter, stoppedAt }: PayoutAddressView): string {
  switch (state) {
    case 'waiting':
      return t('padNow_waiting', { time: format.second(payAfter ?? 0) });
    case 'stopped':
      return t('padNow_stopped', { time: format.minute(stoppedAt ?? 0) });
    case 'announcing':
    case 'current':
    case 'former':
      return t(`padNow_${state}`);
  }
}
