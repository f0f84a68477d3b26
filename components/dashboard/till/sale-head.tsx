'use client';
// The seller, the amount, the remaining time, and the sound switch.

import { IconButton } from '@/components/ui/button';
import { StoreMark } from '@/components/ui/store-mark';
import { useWords } from '@/components/ui/words';
import type { ReactNode } from 'react';
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
  /** Omitted if another part of the screen shows the amount larger. */
  readonly hasAmount: boolean;
  /** The remaining time. */
  readonly children?: ReactNode;
};

export function SaleHead({ storeName, sale, chime, isLoud, onSound, hasAmount, children }: Props) {
  const { t, format } = useWords();
  return (
    <header className="grid gap-2">
      <div className="flex items-center justify-between gap-3">
        {/* The screen is turned to the customer. */}
        <p className="flex min-w-0 items-center gap-2 font-semibold">
          <StoreMark name={storeName} logo={null} />
          <bdi className="truncate">{storeName}</bdi>
        </p>
        <div className="flex flex-none items-center gap-1.5">
          {children}
          <IconButton
            icon={isLoud ? 'sound' : 'soundOff'}
            label={t('tillSound')}
            aria-pressed={isLoud}
            onClick={() => {
              chime.unlock();
              onSound(isLoud ? 'off' : 'on');
            }}
          />
        </div>
      </div>
      {hasAmount && (
        <p className="text-3xl leading-tight font-bold tracking-tight tabular-nums sm:text-4xl">
          <bdi dir="ltr">
            {format.amount(sale.amount)} <span className="text-xl text-muted">{sale.currency}</span>
          </bdi>
        </p>
      )}
      {sale.note !== null && (
        <p className="text-muted">
          <bdi>{sale.note}</bdi>
        </p>
      )}
    </header>
  );
}
