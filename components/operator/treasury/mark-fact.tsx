// What a treasury wallet or a sponsor holds, between which marks it should be, and whether it is outside of them.

import { Badge } from '@/components/ui/badge';
import { Fact } from '@/components/ui/card';
import { Money } from '@/components/ui/money';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { MarkRow } from '@/lib/dashboard/operator/treasury/read';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

type Props = { readonly words: DashboardWords; readonly mark: MarkRow };

const SHOWN_DECIMALS = { treasury: 2, sponsor: 6 } as const;
const OUTSIDE = { low: 'marksLow', high: 'marksHigh' } as const;

/** The complete amount is in the hover text. */
export function MarkFact({ words: { t, format }, mark }: Props) {
  const { wallet, asset, amount, low, high, outside } = mark;
  const short = (text: string): string => shortText(text, SHOWN_DECIMALS[wallet]);
  return (
    <Fact name={`${t(`ownWallet_${wallet}`)} · ${asset}`}>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {amount === null ? (
          t('operatorWarning_unread')
        ) : (
          <span title={amount}>
            <Money amount={short(amount)} currency={asset} />
          </span>
        )}
        {outside !== null && <Badge tone="warn">{t(OUTSIDE[outside])}</Badge>}
        <span className="text-muted">
          {t('marksBetween', { low: format.money(short(low), asset), high: format.money(short(high), asset) })}
        </span>
      </span>
    </Fact>
  );
}
