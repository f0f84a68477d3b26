// The wallets of a network's sweeps, the age of what waits, the cost of a day, how long the coin for fees lasts, what is left of the energy,
// and what is in quarantine.

import { Badge } from '@/components/ui/badge';
import { Fact, Facts } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { NetworkTreasury } from '@/lib/dashboard/operator/treasury/read';
import type { DayCost } from '@/lib/sweeps/report/cost';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';
import { MarkFact } from './mark-fact';

type Props = {
  readonly words: DashboardWords;
  readonly one: NetworkTreasury;
  /** Rows that a step of the worker failed on. */
  readonly quarantined: number;
};
type Wallets = NonNullable<NetworkTreasury['wallets']>;

const COIN_DECIMALS = 6;
const DOLLAR_DECIMALS = 4;
const YEAR_DAYS = 365;

export function NetworkFacts({ words, one, quarantined }: Props) {
  const { t, format } = words;
  const { wallets, oldestAt, cost, rented, coin, stakes, unexplained, marks } = one;
  return (
    <div className="border-t border-line px-4 py-4 sm:px-5">
      <Facts>
        {wallets && (
          <Fact name={t('treasuryWallet')}>
            <CopyText text={wallets.treasury} label={t('treasuryWallet')} />
          </Fact>
        )}
        <Fact name={t('treasuryOldest')}>{oldestAt ? <DateTime at={unixSeconds(oldestAt)} /> : t('treasuryNone')}</Fact>
        {cost && (
          <Fact name={t('treasuryCost')}>
            <Coins amount={cost.coin} coin={coin} />
            {cost.dollars !== null && (
              <>
                {' · '}
                <Money amount={shortText(cost.dollars, DOLLAR_DECIMALS)} currency="USD" />
              </>
            )}
            <span className="text-muted"> · {perDollarText(words, cost, coin)}</span>
          </Fact>
        )}
        {rented && (
          <Fact name={t('treasuryRented')}>
            <Coins amount={rented.coin} coin={coin} />
            <span className="text-muted"> · {t('treasuryRentals', { count: rented.orders })}</span>
          </Fact>
        )}
        {wallets && <WalletFacts {...{ words, wallets, coin }} />}
        {stakes.map((stake) => (
          <Fact key={stake.address} name={t('treasuryStake')}>
            <CopyText text={stake.address} label={t('treasuryStake')} />
            {stakeTexts(words, stake, coin).map((text) => (
              <span key={text} className="block text-muted">
                {text}
              </span>
            ))}
          </Fact>
        ))}
        {marks.map((mark) => (
          <MarkFact key={`${mark.wallet} ${mark.asset}`} {...{ words, mark }} />
        ))}
        {unexplained.map((found) => (
          <Fact key={found.address} name={t('coinUnexplained')}>
            <CopyText text={found.address} label={t('coinUnexplained')} />
            <span className="block text-muted">{unexplainedText(words, found, coin)}</span>
          </Fact>
        ))}
        <Fact name={t('operatorItemQuarantine')}>
          {quarantined === 0 ? (
            t('treasuryNone')
          ) : (
            <Link href="/operator/jobs?show=quarantine">{format.number(quarantined)}</Link>
          )}
        </Fact>
      </Facts>
    </div>
  );
}

/** Wei are in the hover text only. */
export const Coins = ({ amount, coin }: { amount: string; coin: string }) => (
  <span title={amount}>
    <Money amount={shortText(amount, COIN_DECIMALS)} currency={coin} />
  </span>
);

/** For each dollar that was swept, or why that is not known or is nothing. */
function perDollarText(
  { t, format }: DashboardWords,
  { coin: cost, dollars, perDollar }: DayCost,
  coin: string,
): string {
  if (cost.startsWith('-')) return t('treasuryRentReturned');
  if (perDollar !== null) return t('treasuryPerDollar', { amount: format.money(shortText(perDollar), 'USD') });
  return dollars === null ? t('treasuryNoPrice', { coin }) : t('treasuryNoneSwept');
}

function WalletFacts({ words, wallets, coin }: { words: DashboardWords; wallets: Wallets; coin: string }) {
  const { t, format } = words;
  return (
    <>
      <Fact name={t('treasurySponsor')}>
        <CopyText text={wallets.sponsor} label={t('treasurySponsor')} />
      </Fact>
      <Fact name={t('treasuryCoin')}>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {wallets.coin === null ? t('operatorWarning_unread') : <Coins amount={wallets.coin} coin={coin} />}
          {wallets.isCoinLow && <Badge tone="warn">{t('operatorWarning_fee_low')}</Badge>}
          {wallets.coin !== null && <span className="text-muted">{lastsText(words, wallets.days)}</span>}
        </span>
      </Fact>
      {wallets.energy !== 'none' && (
        <Fact name={t('treasuryEnergy')}>
          {wallets.energy === null ? (
            t('operatorWarning_unread')
          ) : (
            <>
              {format.number(wallets.energy.left)}
              <span className="text-muted">
                {' · '}
                <DateTime at={unixSeconds(wallets.energy.readAt)} />
              </span>
            </>
          )}
        </Fact>
      )}
      <Fact name={t('treasuryBudget')}>
        <Coins amount={wallets.feesLastHour} coin={coin} />
        <span className="text-muted">
          {' / '}
          <Coins amount={wallets.feesPerHour} coin={coin} />
        </span>
      </Fact>
    </>
  );
}

function stakeTexts(
  { t, format }: DashboardWords,
  { staked, unstaking }: NetworkTreasury['stakes'][number],
  coin: string,
): readonly string[] {
  const text = (amount: string): string => `${shortText(amount, COIN_DECIMALS)} ${coin}`;
  const at = unstaking?.withdrawableAt;
  return [
    ...(staked === null ? [] : [t('treasuryStaked', { amount: text(staked) })]),
    ...(unstaking && at
      ? [t('treasuryUnstaking', { amount: text(unstaking.coin), time: format.minute(unixSeconds(at)) })]
      : []),
  ];
}

function unexplainedText(
  { t, format }: DashboardWords,
  { came, went, since }: NetworkTreasury['unexplained'][number],
  coin: string,
): string {
  const text = (amount: string): string => `${shortText(amount, COIN_DECIMALS)} ${coin}`;
  return t('coinUnexplainedText', { came: text(came), went: text(went), time: format.minute(unixSeconds(since)) });
}

function lastsText({ t }: DashboardWords, days: number | null): string {
  if (days === null) return t('treasuryNoUse');
  return days > YEAR_DAYS ? t('treasuryLastsLong') : t('treasuryLasts', { count: days });
}
