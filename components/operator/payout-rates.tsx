// The decisions about what payouts cost, the newest first, with the form for the next one.

import { ConfirmButton } from '@/components/operator/confirm-button';
import { Card } from '@/components/ui/card';
import type { RateDecisionView } from '@/lib/dashboard/payouts/rates';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { rateText } from '@/lib/payouts/rates/text';
import { PayoutRateForm } from './payout-rate-form';

type Props = {
  readonly words: DashboardWords;
  /** Null: for every store without fees of its own. */
  readonly storeId: string | null;
  readonly networks: readonly string[];
  readonly decisions: readonly RateDecisionView[];
  /** What the last payouts cost each, by network. */
  readonly costs: Readonly<Partial<Record<string, string>>>;
  readonly noticeHours: number;
};

export function PayoutRates({ words, storeId, networks, decisions, costs, noticeHours }: Props) {
  const { t, format } = words;
  const hasOwn = storeId !== null && (decisions[0]?.costs ?? null) !== null;
  const end = hasOwn && (
    <ConfirmButton
      isSmall
      trigger={t('rateEnd')}
      title={t('rateEndTitle')}
      text={t('rateEndText')}
      done={t('rateEnded')}
      path="/operator/payout-rates"
      body={{ store_id: storeId, terms: null, starts_at: null }}
    />
  );
  return (
    <Card
      id="payout-fees"
      title={t('rateTitle')}
      text={t(storeId === null ? 'rateText' : 'rateStoreText')}
      actions={end}
    >
      <div className="grid gap-5">
        <PayoutRateForm
          key={decisions[0]?.id ?? ''}
          {...{ storeId, networks, costs, noticeHours }}
          current={decisions[0]?.costs ?? null}
        />
        {decisions.length > 0 && (
          <div className="grid gap-2">
            <h3 className="font-semibold">{t('rateHistory')}</h3>
            <ul className="grid gap-2" data-payout-rates={decisions.length}>
              {decisions.map((one) => (
                <li key={one.id} className="grid gap-0.5 border-t border-line pt-2 first:border-0 first:pt-0">
                  <span>{one.costs ? rateText(words, one.costs) : t('rateOfAll')}</span>
                  <span className="text-[0.8125rem] text-muted">
                    {t('rateFrom', { time: format.minute(one.startsAt) })}
                  </span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Card>
  );
}
