// The payout schedules of a store: how often each token is paid out, when next, and why the last time paid nothing.

import { Network } from '@/components/dashboard/payments/status';
import { Badge } from '@/components/ui/badge';
import { Card, Empty } from '@/components/ui/card';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { PayoutScheduleView, ScheduledAsset } from '@/lib/dashboard/payouts/schedules';
import { RemoveSchedule } from './remove-schedule';
import { RunSchedule } from './run-schedule';
import { SetSchedule } from './set-schedule';

type Props = {
  readonly words: DashboardWords;
  /** The path of the store's requests. */
  readonly api: string;
  readonly schedules: readonly PayoutScheduleView[];
  /** What a schedule can be set for. */
  readonly assets: readonly ScheduledAsset[];
  readonly canManage: boolean;
  /** Whether a schedule may be run before its time, as in a sandbox. */
  readonly canRun: boolean;
};

export function PayoutSchedules({ words, api, schedules, assets, canManage, canRun }: Props) {
  const { t } = words;
  const free = assets.filter((asset) => !schedules.some((one) => isSame(one, asset)));
  const add = canManage && free.length > 0 && <SetSchedule api={api} assets={free} />;
  return (
    <Card title={t('pscTitle')} text={t('pscText')} actions={schedules.length > 0 && add}>
      {schedules.length > 0 ? (
        <ul className="grid gap-4">
          {schedules.map((one) => (
            <Item key={`${one.network} ${one.currency}`} {...{ words, api, one, canManage, canRun }} />
          ))}
        </ul>
      ) : (
        <Empty icon="wallet" title={t('pscNoneTitle')} text={t('pscNoneText')}>
          {add}
        </Empty>
      )}
    </Card>
  );
}

const isSame = (one: ScheduledAsset, other: ScheduledAsset): boolean =>
  one.network === other.network && one.currency === other.currency;

type ItemProps = Pick<Props, 'words' | 'api' | 'canManage' | 'canRun'> & { readonly one: PayoutScheduleView };

function Item({ words, api, one, canManage, canRun }: ItemProps) {
  const { t, format } = words;
  const { network, currency, interval, reason } = one;
  const atLeast = t('pscAtLeast', { least: format.money(one.least, currency) });
  const kept = one.keep === '0.00' ? '' : t('pscKept', { keep: format.money(one.keep, currency) });
  return (
    <li className="grid gap-2 border-t border-line pt-4 first:border-0 first:pt-0" data-payout-schedule={interval}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-semibold">{currency}</span>
          <span className="text-muted">
            <Network name={network} />
          </span>
          <Badge tone="info">{t(`pscInterval_${interval}`)}</Badge>
        </span>
        {canManage && (
          <span className="flex flex-wrap gap-2">
            {canRun && <RunSchedule {...{ api, network, currency }} />}
            <SetSchedule api={api} assets={[one]} current={one} />
            <RemoveSchedule {...{ api, network, currency }} />
          </span>
        )}
      </div>
      <p>{nextText(words, one)}</p>
      {reason !== null && <p className="text-muted">{t(`pscReason_${reason}`)}</p>}
      <p className="text-[0.8125rem] text-muted">{`${atLeast} ${kept}`}</p>
    </li>
  );
}

/** Reasons after which the same payout is tried again before the next period. */
const isTriedAgain = ({ reason }: PayoutScheduleView): boolean => reason !== null && reason !== 'balance';

function nextText({ t, format }: DashboardWords, one: PayoutScheduleView): string {
  if (one.nextAt === null || (one.interval === 'threshold' && !isTriedAgain(one)))
    return t('pscNextThreshold', { amount: format.money(one.least, one.currency) });
  const time = format.minute(one.nextAt);
  return isTriedAgain(one) ? t('pscRetry', { time }) : t('pscNext', { time });
}
