'use client';
// The till: an amount on the keypad, "Charge", and the sale on the whole screen until it is closed. The sale is in the
// page's address, so that a reload shows it again.

import { useRouter } from 'next/navigation';
import { useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { TextInput } from '@/components/ui/field';
import { useIsInBrowser } from '@/components/ui/is-in-browser';
import { useWords } from '@/components/ui/words';
import { amountText } from '@/lib/payments/links/amount';
import { CurrencyChoice, PRICE_CURRENCIES } from '@/components/dashboard/currency-choice';
import { useCharge } from './charge';
import { useChime } from './chime';
import { Keypad, pressed } from './keypad';
import { useStoredSetting } from './stored-setting';
import { Sale } from './sale';
import type { ShownSale } from './sale-head';

type Props = {
  /** The paths of the store's requests and pages. */
  readonly api: string;
  readonly base: string;
  readonly storeName: string;
  /** A sale that the page's address names; null for a new one. */
  readonly shown: ShownSale | null;
  /** Whether the store may take payments. */
  readonly isOpen: boolean;
  /** Whether sales can be paid with test money. */
  readonly hasTestMoney: boolean;
  /** The latest sales. */
  readonly children: ReactNode;
};

const FIRST_CURRENCY = 'USD';

export function Till({ api, base, storeName, shown, isOpen, hasTestMoney, children }: Props) {
  const { t, format } = useWords();
  const router = useRouter();
  const chime = useChime();
  const isInBrowser = useIsInBrowser();
  const [remembered, remember] = useStoredSetting('currency', FIRST_CURRENCY);
  const currency = PRICE_CURRENCIES.includes(remembered) ? remembered : FIRST_CURRENCY;
  const [digits, setDigits] = useState('');
  const [note, setNote] = useState('');
  const [sale, setSale] = useState(shown);
  // Show a sale that is new in the address. If one left it, close nothing: the next may already be shown.
  const [named, setNamed] = useState(shown?.id);
  if (named !== shown?.id) {
    setNamed(shown?.id);
    if (shown) setSale(shown);
  }
  const price = format.amount(amountText(BigInt(digits || '0'), currency));
  const { run, isPending } = useCharge(api, (id, made) => {
    setSale({
      id,
      amount: amountText(BigInt(made.amount), made.currency),
      currency: made.currency,
      note: made.note ?? null,
    });
    window.history.replaceState(null, '', `${base}/till?sale=${id}`);
  });
  const charge = () => {
    if (digits === '' || !isOpen) return;
    chime.unlock();
    const text = note.trim();
    void run({ amount: Number(digits), currency, ...(text === '' ? {} : { note: text }) });
  };
  const finish = () => {
    setSale(null);
    setDigits('');
    setNote('');
    // Not through the router: it would render the page again and, until then, remove what was typed or charged.
    window.history.replaceState(null, '', `${base}/till`);
    router.refresh();
  };
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <section className="grid gap-4">
        <Display label={t('tillAmount')} price={price} currency={currency} />
        <Keypad onKey={(key) => setDigits((last) => pressed(last, key))} onCharge={charge} />
        <Button kind="primary" isWide isPending={isPending} disabled={digits === '' || !isOpen} onClick={charge}>
          <span className="py-1.5 text-base">{t('tillCharge', { amount: `${price} ${currency}` })}</span>
        </Button>
        <div className="grid gap-4 sm:grid-cols-2">
          <CurrencyChoice
            key={isInBrowser ? 'remembered' : 'first'}
            name="currency"
            label={t('lnkCurrency')}
            defaultValue={currency}
            onChange={remember}
          />
          <TextInput
            name="note"
            label={t('tillNote')}
            hint={t('tillNoteHint')}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={140}
            isOptional
            autoComplete="off"
          />
        </div>
      </section>
      {children}
      {/* Browser only: the server's placeholder for a dialog has an inline style, which the policy forbids. */}
      {sale && isInBrowser && (
        <Sale key={sale.id} {...{ api, base, storeName, sale, chime, hasTestMoney }} onClose={finish} />
      )}
    </div>
  );
}

/** Longer amounts need smaller digits. */
const WIDE = 11;

function Display({ label, price, currency }: { label: string; price: string; currency: string }) {
  return (
    <output
      aria-label={label}
      className="flex min-h-20 items-baseline justify-end gap-2 overflow-x-auto rounded-xl border border-line bg-surface px-5 py-4 shadow-card"
    >
      <bdi className={`font-bold tracking-tight tabular-nums ${price.length > WIDE ? 'text-2xl' : 'text-4xl'}`}>
        {price}
      </bdi>{' '}
      <span className="text-lg text-muted">{currency}</span>
    </output>
  );
}
