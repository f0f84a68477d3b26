'use client';
// Creates a payment link for a fixed amount, or for one that the customer enters. Then shows the link to share.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { More } from '@/components/ui/more';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { amountText, readTypedAmount } from '@/lib/payments/links/amount';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import { CurrencyChoice } from '@/components/dashboard/currency-choice';
import type { Api } from '@/components/dashboard/step-up';
import { LinkCode } from './link-code';

type Made = { readonly id: string; readonly url: string };
type Shown = { readonly url: string; readonly title: string };

/** The currency of most prices on our networks. */
const FIRST_CURRENCY = 'USD';

/** `isOpenAtFirst`: the visitor followed a link to create one. */
export function NewLink({ api, isOpenAtFirst }: { api: string; isOpenAtFirst: boolean }) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const [shown, setShown] = useState<Shown | null>(null);
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        {t('lnkNew')}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t('lnkNew')} text={t('lnkNewText')}>
        <Form
          api={api}
          onMade={(made) => {
            setIsOpen(false);
            setShown(made);
          }}
        />
      </Dialog>
      <LinkCode
        isOpen={shown !== null}
        onClose={() => setShown(null)}
        url={shown?.url ?? ''}
        title={shown?.title ?? ''}
      />
    </>
  );
}

function Form({ api, onMade }: { api: string; onMade: (shown: Shown) => void }) {
  const { t, format, locale } = useWords();
  const [kind, setKind] = useState('fixed');
  const [currency, setCurrency] = useState(FIRST_CURRENCY);
  const [title, setTitle] = useState('');

  const send = async (call: Api, form: FormData): Promise<Answer<Made>> => {
    const amounts: Record<string, number | null> = {};
    for (const name of ['amount', 'least_amount', 'most_amount']) {
      const typed = formText(form, name).trim();
      if (typed === '') continue;
      const read = readTypedAmount(typed, { currency, least: null, most: null, locale });
      if ('fault' in read) {
        const message =
          read.fault === 'ambiguous'
            ? t('lnkAmountAmbiguous', {
                amount: `${read.readings[0]} ${currency}`,
                other: `${read.readings[1]} ${currency}`,
              })
            : t('lnkAmountFault', { amount: format.amount(amountText(EXAMPLE, currency)) });
        return { fault: { code: 'amount', message, param: name } };
      }
      amounts[name] = Number(read.units);
    }
    const most = formText(form, 'most_paid').trim();
    return call.post<Made>(`${api}/links`, {
      title,
      description: formText(form, 'description').trim() || null,
      currency,
      ...amounts,
      most_paid: most === '' ? null : Number(most),
    });
  };
  return (
    <ActionForm<Made>
      send={send}
      submit={t('lnkMake')}
      done={t('lnkMade')}
      onDone={({ url }) => onMade({ url, title })}
      isWide
    >
      <TextInput
        name="title"
        label={t('lnkTitle')}
        hint={t('lnkTitleHint')}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        maxLength={120}
        required
        autoComplete="off"
      />
      <CurrencyChoice
        name="currency"
        label={t('lnkCurrency')}
        hint={t('lnkCurrencyHint')}
        defaultValue={currency}
        onChange={setCurrency}
      />
      <Select
        name="kind"
        label={t('lnkPrice')}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value)}
        options={[
          { value: 'fixed', label: t('lnkPrice_fixed') },
          { value: 'open', label: t('lnkPrice_open') },
        ]}
      />
      {kind === 'fixed' ? (
        <Amount name="amount" label={t('lnkAmount', { currency })} required />
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Amount name="least_amount" label={t('lnkLeast')} />
          <Amount name="most_amount" label={t('lnkMost')} />
        </div>
      )}
      <More>
        <TextArea name="description" label={t('lnkDescription')} isOptional maxLength={1000} rows={2} />
        <TextInput
          name="most_paid"
          label={t('lnkMostPaid')}
          hint={t('lnkMostPaidHint')}
          isOptional
          type="number"
          min={1}
          max={10000}
          step={1}
          inputMode="numeric"
          autoComplete="off"
        />
      </More>
    </ActionForm>
  );
}

/** A sample amount in minor units that shows how many digits a currency has. */
const EXAMPLE = 1250n;

function Amount({ name, label, required = false }: { name: string; label: string; required?: boolean }) {
  return (
    <TextInput
      name={name}
      label={label}
      inputMode="decimal"
      autoComplete="off"
      maxLength={24}
      {...(required ? { required } : { isOptional: true })}
    />
  );
}
