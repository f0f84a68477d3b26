'use client';
// An amount with its currency, kept together in right-to-left text too.

import { useWords } from './words';

/** `amount` is exact decimal text in whole units of the currency. */
export function Money({ amount, currency, isMuted = false }: { amount: string; currency: string; isMuted?: boolean }) {
  const { format } = useWords();
  return (
    <bdi dir="ltr" className={`whitespace-nowrap tabular-nums ${isMuted ? 'text-muted' : ''}`}>
      {format.amount(amount)} <span className="text-[0.92em] text-muted">{currency}</span>
    </bdi>
  );
}
