// What is where of one token: at deposit addresses, how much of that is not worth its fee yet, in open sweeps, and swept within a day.

import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { TokenRow } from '@/lib/dashboard/operator/treasury/read';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

/** The complete amount is in the hover text. */
const SHOWN_DECIMALS = 2;

export function tokenColumns({ t }: DashboardWords): readonly Column<TokenRow>[] {
  const amount = (text: string, currency: string, addresses: number | null = null) => (
    <span className="inline-grid justify-items-end" title={text}>
      <Money amount={shortText(text, SHOWN_DECIMALS)} currency={currency} />
      {addresses !== null && addresses > 0 && (
        <span className="text-[0.8125rem] text-muted">{t('treasuryAddresses', { count: addresses })}</span>
      )}
    </span>
  );
  return [
    {
      key: 'asset',
      header: t('operatorAsset'),
      onPhone: 'title',
      cell: ({ currency }) => <span className="font-semibold">{currency}</span>,
    },
    {
      key: 'unswept',
      header: t('treasuryUnswept'),
      isNumeric: true,
      cell: ({ unswept, currency, addresses }) => amount(unswept, currency, addresses),
    },
    {
      key: 'dust',
      header: t('treasuryDust'),
      isNumeric: true,
      cell: ({ dust, currency, dustAddresses }) => dustAddresses > 0 && amount(dust, currency, dustAddresses),
    },
    {
      key: 'moving',
      header: t('treasuryInFlight'),
      isNumeric: true,
      cell: ({ inFlight, currency, inFlightAddresses }) =>
        inFlightAddresses > 0 && amount(inFlight, currency, inFlightAddresses),
    },
    {
      key: 'swept',
      header: t('treasurySwept'),
      isNumeric: true,
      cell: ({ swept, currency }) => amount(swept, currency),
    },
  ];
}
