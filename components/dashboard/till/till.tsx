'use client';
// The till: an amount on the keypad, "Charge", and the sale on the whole screen until it is over. The sale is in the page's
// address, so that a reload shows it again.

import { useRouter } from 'next/navigation';
import { useRef, useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { TextInput } from '@/components/ui/field';
import { useWords } from '@/components/ui/words';
import { amountText } from '@/lib/links/amount';
import { CurrencyChoice, PRICE_CURRENCIES } from '../currency-choice';
import { newName } from '../new-name';
import { useAction } from '../use-action';
import { useChime } from './chime';
import { Keypad, pressed } from './keypad';
import { useIsInBrowser, useRemembered } from './remembered';
import { Sale } from './sale';
import type { ShownSale } from './sale-head';

type Props = {
  /** The paths of the store's requests and pages. */
  readonly api: string;
  readonly base: string;
  /** A sale that the page's address names; null for a new one. */
  readonly shown: ShownSale | null;
  /** Whether the store may take payments. */
  readonly isOpen: boolean;
  /** The latest sales. */
  readonly children: ReactNode;
};

const FIRST_CURRENCY = 'USD';

type Charge = { readonly name: string; readonly amount: number; readonly currency: string; readonly note?: string };

export function Till({ api, base, shown, isOpen, children }: Props) {
  const { t, format } = useWords();
  const router = useRouter();
  const chime = useChime();
  const isInBrowser = useIsInBrowser();
  const [remembered, remember] = useRemembered('currency', FIRST_CURRENCY);
  const currency = PRICE_CURRENCIES.includes(remembered) ? remembered : FIRST_CURRENCY;
  const [digits, setDigits] = useState('');
  const [note, setNote] = useState('');
  const [sale, setSale] = useState(shown);
  // The charge that was last sent and not answered: pressed again, it has the same name and is the same sale.
  const sent = useRef<{ wish: string; name: string }>(null);
  const price = amountText(BigInt(digits || '0'), currency);
  const priceText = `${format.amount(price)} ${currency}`;

  const { run, isPending } = useAction<Charge, { id: string }>(
    (call, charge) => call.post(`${api}/till/sales`, charge),
    {
      isQuiet: true,
      onDone: ({ id }) => {
        sent.current = null;
        setSale({ id, amount: price, currency, note: note.trim() || null });
        window.history.replaceState(null, '', `${base}/till?sale=${id}`);
      },
    },
  );
  const charge = () => {
    if (digits === '' || !isOpen) return;
    chime.unlock();
    const text = note.trim();
    const wish = { amount: Number(digits), currency, ...(text === '' ? {} : { note: text }) };
    const said = JSON.stringify(wish);
    if (sent.current?.wish !== said) sent.current = { wish: said, name: newName() };
    void run({ ...wish, name: sent.current.name });
  };
  const finish = () => {
    setSale(null);
    setDigits('');
    setNote('');
    router.replace(`${base}/till`);
    router.refresh();
  };
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <section className="grid gap-4">
        <output
          aria-label={t('tillAmount')}
          className="flex min-h-20 items-baseline justify-end gap-2 overflow-x-auto rounded-xl border border-line bg-surface px-5 py-4 shadow-card"
        >
          <bdi className={`font-bold tracking-tight tabular-nums ${price.length > 11 ? 'text-2xl' : 'text-4xl'}`}>
            {format.amount(price)}
          </bdi>{' '}
          <span className="text-lg text-muted">{currency}</span>
        </output>
        <Keypad onKey={(key) => setDigits((last) => pressed(last, key))} onCharge={charge} />
        <Button kind="primary" isWide isPending={isPending} disabled={digits === '' || !isOpen} onClick={charge}>
          <span className="py-1.5 text-base">{t('tillCharge', { amount: priceText })}</span>
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
      {/* Drawn by the browser alone: what stands in for a dialog in the server's HTML has a style that the policy forbids. */}
      {sale && isInBrowser && <Sale key={sale.id} api={api} base={base} sale={sale} chime={chime} onClose={finish} />}
    </div>
  );
}
