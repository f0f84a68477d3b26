'use client';
// What is sold and for how much, and the switch of the sound.

import { Badge } from '@/components/ui/badge';
import { IconButton } from '@/components/ui/button';
import { StoreMark } from '@/components/ui/store-mark';
import { useWords } from '@/components/ui/words';
import type { Chime } from './chime';

export type ShownSale = {
  readonly id: string;
  /** Decimal text in whole units of the currency. */
  readonly amount: string;
  readonly currency: string;
  readonly note: string | null;
};

type Props = {
  readonly storeName: string;
  readonly sale: ShownSale;
  readonly chime: Chime;
  readonly isLoud: boolean;
  readonly onSound: (sound: 'on' | 'off') => void;
};

export function SaleHead({ storeName, sale, chime, isLoud, onSound }: Props) {
  const { t, format } = useWords();
  return (
    <header className="flex items-start justify-between gap-3">
      <div className="grid min-w-0 gap-1">
        {/* The screen is turned to the customer. */}
        <p className="flex items-center gap-2 font-semibold">
          <StoreMark name={storeName} logo={null} />
          <bdi className="truncate">{storeName}</bdi>
        </p>
        <p className="text-3xl leading-tight font-bold tracking-tight tabular-nums sm:text-4xl">
          <bdi>{format.amount(sale.amount)}</bdi> <span className="text-xl text-muted">{sale.currency}</span>
        </p>
        {/* The band above the pages is covered here. */}
        {sale.id.startsWith('cs_test_') && (
          <span>
            <Badge tone="warn">{t('navTestBand')}</Badge>
          </span>
        )}
        {sale.note !== null && (
          <p className="text-muted">
            <bdi>{sale.note}</bdi>
          </p>
        )}
      </div>
      <IconButton
        icon={isLoud ? 'sound' : 'soundOff'}
        label={t('tillSound')}
        aria-pressed={isLoud}
        onClick={() => {
          chime.unlock();
          onSound(isLoud ? 'off' : 'on');
        }}
      />
    </header>
  );
}
