// Where the money of all networks is, in dollars.

import { Money } from '@/components/ui/money';
import { Stat, Stats } from '@/components/ui/stat';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { TreasuryTotals } from '@/lib/dashboard/operator/treasury/totals';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

const dollars = (text: string) => <Money amount={shortText(text)} currency="USD" />;

export function Totals({ words: { t, format }, totals }: { words: DashboardWords; totals: TreasuryTotals }) {
  const { unswept, addresses, dust, inFlight, swept, cost } = totals;
  return (
    <Stats>
      <Stat
        label={t('treasuryUnswept')}
        value={dollars(unswept)}
        hint={addresses > 0 && t('treasuryAddresses', { count: addresses })}
      />
      <Stat label={t('treasuryDust')} value={dollars(dust)} />
      <Stat label={t('treasuryInFlight')} value={dollars(inFlight)} />
      <Stat
        label={t('treasurySwept')}
        value={dollars(swept)}
        hint={cost !== null && t('treasuryTotalCost', { amount: format.money(shortText(cost), 'USD') })}
      />
    </Stats>
  );
}
