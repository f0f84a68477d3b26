'use client';
// The currencies that a price may be in, chosen by code or name: the tokens first, then every active currency.

import { useMemo } from 'react';
import { Combobox } from '@/components/ui/combobox';
import { useWords } from '@/components/ui/words';
import { CURRENCY_CODES } from '@/lib/money/currencies';
import { STABLECOINS } from '@/lib/money/amounts';

/** Every currency code that a session accepts. */
export const PRICE_CURRENCIES: readonly string[] = [...STABLECOINS, ...CURRENCY_CODES];

type Props = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly defaultValue: string;
  readonly onChange?: (currency: string) => void;
};

export function CurrencyChoice({ name, label, hint, defaultValue, onChange }: Props) {
  const { locale } = useWords();
  const options = useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: 'currency', fallback: 'none' });
    return PRICE_CURRENCIES.map((code) => {
      const text = code.length === 3 ? names.of(code) : undefined;
      return { value: code, label: text === undefined ? code : `${code} – ${text}` };
    });
  }, [locale]);
  return (
    <Combobox
      name={name}
      label={label}
      options={options}
      defaultValue={defaultValue}
      {...(hint === undefined ? {} : { hint })}
      {...(onChange ? { onChange } : {})}
    />
  );
}
