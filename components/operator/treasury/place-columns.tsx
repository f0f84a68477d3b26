// What is where of one token beside its deposit addresses: in the refund, treasury and cold wallet as read from the chain, and frozen.

import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { PlaceRow } from '@/lib/dashboard/operator/treasury/places';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { heldCell } from './reserve-columns';

/** The complete amount is in the hover text. */
const SHOWN_DECIMALS = 2;

/** Of the rows of one network. A wallet that it does not have has no column. */
export function placeColumns(
  words: Pick<DashboardWords, 't' | 'format'>,
  rows: readonly PlaceRow[],
): readonly Column<PlaceRow>[] {
  const { t } = words;
  const held = heldCell(words);
  const wallet = (key: 'treasury' | 'cold', header: string): readonly Column<PlaceRow>[] =>
    rows.every((row) => row[key] === 'none')
      ? []
      : [{ key, header, isNumeric: true, cell: (row) => held(row[key], row.currency) }];
  return [
    {
      key: 'asset',
      header: t('operatorAsset'),
      onPhone: 'title',
      cell: ({ currency }) => <span className="font-semibold">{currency}</span>,
    },
    {
      key: 'refunds',
      header: t('reservesRefunds'),
      isNumeric: true,
      cell: ({ refundWallet, currency }) => held(refundWallet, currency),
    },
    ...wallet('treasury', t('treasuryWallet')),
    ...wallet('cold', t('coldWallet')),
    {
      key: 'frozen',
      header: t('treasuryFrozen'),
      isNumeric: true,
      cell: ({ frozen, frozenAddresses, currency }) => (
        <span className="inline-grid justify-items-end" title={frozen}>
          <Money amount={shortText(frozen, SHOWN_DECIMALS)} currency={currency} />
          {frozenAddresses > 0 && (
            <span className="text-[0.8125rem] text-muted">{t('treasuryAddresses', { count: frozenAddresses })}</span>
          )}
        </span>
      ),
    },
  ];
}
