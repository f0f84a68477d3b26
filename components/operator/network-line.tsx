// A network as one line: state, time since the last scan, endpoints and refund wallet. Opening it shows the details.

import type { ReactNode } from 'react';
import { Badge, type Tone } from '@/components/ui/badge';
import { Fact, Facts, Note } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Icon } from '@/components/ui/icon';
import { Link } from '@/components/ui/link';
import { NetworkMark } from '@/components/ui/marks';
import { Table } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { NetworkHealth } from '@/lib/dashboard/operator/health';
import type { NetworkWallet, WalletWarning } from '@/lib/dashboard/operator/wallets';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { endpointColumns } from './endpoint-columns';
import { networkIn, WALLET_TONES } from './names';

const NETWORK_TONES: Readonly<Record<NetworkHealth['state'], Tone>> = {
  ok: 'good',
  delayed: 'warn',
  down: 'bad',
  starting: 'info',
};

/** The worst first. */
const WARNINGS: readonly WalletWarning[] = ['fee_empty', 'short', 'fee_low', 'empty', 'stale', 'unread'];

const COLUMNS = 'md:grid-cols-[minmax(0,1fr)_7rem_8rem_6rem_13rem_1rem] md:items-center md:gap-x-3';

type Props = {
  readonly words: DashboardWords;
  readonly one: NetworkHealth;
  readonly wallet: NetworkWallet | undefined;
  /** Unix seconds. */
  readonly now: number;
};

/** The names of the columns, which each value repeats for phones and screen readers. */
export function NetworkHead({ words: { t } }: Pick<Props, 'words'>) {
  return (
    <div
      aria-hidden="true"
      className={`grid border-b border-line px-5 py-2.5 text-xs font-semibold text-muted max-md:hidden ${COLUMNS}`}
    >
      <span>{t('operatorNetwork')}</span>
      <span>{t('operatorState')}</span>
      <span>{t('operatorLag')}</span>
      <span>{t('setupEndpoints')}</span>
      <span>{t('operatorQuarantine_wallet')}</span>
    </div>
  );
}

export function NetworkLine({ words, one, wallet, now }: Props) {
  const { t, format } = words;
  const { endpoints } = one;
  const lag = one.lag_seconds === null ? '—' : format.relative(now - one.lag_seconds, now);
  const warning = WARNINGS.find((each) => wallet?.assets.some((asset) => asset.warning === each)) ?? null;
  const isShort = endpoints.ok < endpoints.configured;
  return (
    <details className="group border-b border-line last:border-b-0" open={one.state === 'down'}>
      <summary
        className={`grid min-h-16 cursor-pointer grid-cols-[minmax(0,1fr)_auto_1rem] content-center gap-x-3 gap-y-0.5 px-4 py-2.5 hover:bg-hover sm:px-5 md:min-h-12 md:py-2 ${COLUMNS}`}
      >
        <span className="flex min-w-0 items-center gap-2 font-semibold">
          <NetworkMark network={one.network} />
          <span className="truncate">{networkIn(t, one)}</span>
        </span>
        <span>
          <Badge tone={NETWORK_TONES[one.state]}>{t(`operatorNetworkState_${one.state}`)}</Badge>
        </span>
        <Icon
          name="down"
          className="self-center text-muted transition-transform group-open:rotate-180 max-md:col-start-3 max-md:row-span-2 max-md:row-start-1 md:order-last"
        />
        <span className="col-span-2 flex flex-wrap gap-x-3 text-[0.8125rem] text-muted md:contents">
          <Part name={t('operatorLag')}>{lag}</Part>
          <Part name={t('setupEndpoints')}>
            <span className={`tabular-nums ${isShort ? 'font-semibold text-warn' : ''}`}>
              {format.number(endpoints.ok)}/{format.number(endpoints.configured)}
            </span>
          </Part>
          <Part name={t('operatorQuarantine_wallet')} isQuiet={warning === null}>
            <Badge tone={warning ? WALLET_TONES[warning] : 'good'}>{t(`operatorWarning_${warning ?? 'none'}`)}</Badge>
          </Part>
        </span>
      </summary>
      <Details {...{ words, one }} />
    </details>
  );
}

type PartProps = {
  readonly name: string;
  /** It needs no attention: a phone's row leaves it to screen readers. */
  readonly isQuiet?: boolean;
  readonly children: ReactNode;
};

/** A value with its name. Where columns have heads, only screen readers get the name. */
const Part = ({ name, isQuiet = false, children }: PartProps) => (
  <span className={`min-w-0 md:text-sm md:text-ink ${isQuiet ? 'max-md:sr-only' : ''}`}>
    <span className="md:sr-only">{name} </span>
    {children}
  </span>
);

function Details({ words, one }: Pick<Props, 'words' | 'one'>) {
  const { t, format } = words;
  const block = (value: number | null): string => (value === null ? '—' : format.number(value));
  return (
    <div className="grid gap-4 border-t border-line bg-ground/60 px-4 py-4 sm:px-5">
      {one.words && <Note tone={one.state === 'down' ? 'bad' : 'warn'}>{one.words}</Note>}
      {one.reconcileTrouble && (
        <Note tone="warn" title={t('operatorReconcileTrouble')}>
          {one.reconcileTrouble}
        </Note>
      )}
      <Facts>
        <Fact name={t('operatorTip')}>{block(one.tip_block)}</Fact>
        <Fact name={t('operatorFinal')}>{block(one.final_block)}</Fact>
        <Fact name={t('operatorReconciled')}>
          {one.reconciledAt ? <DateTime at={unixSeconds(one.reconciledAt)} /> : t('operatorNever')}
        </Fact>
        <Fact name={t('operatorQuarantine_wallet')}>
          <Link href="/operator/wallets" className="inline-block py-0.5 text-accent">
            {t('navWallets')}
          </Link>
        </Fact>
      </Facts>
      <Table
        label={t('operatorEndpointsOf', { network: networkIn(t, one) })}
        columns={endpointColumns(words)}
        rows={one.endpointRows}
        rowKey={({ position }) => String(position)}
        empty={<p className="px-5 py-4 text-muted">{t('operatorNoEndpoints')}</p>}
      />
    </div>
  );
}
