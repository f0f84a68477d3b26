'use client';
// Requests a payout of one balance. The payout has one name however often the dialog is opened: a retry after a lost answer is the same
// payout.

import { useState } from 'react';
import { Address } from '@/components/ui/address';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords, type MessageKey } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { newName } from '@/components/dashboard/new-name';
import { useNetworkName } from '@/components/dashboard/payments/status';
import { amountOf, centsOf } from '@/components/dashboard/typed-amount';
import type { PayableBalance } from '@/lib/dashboard/payouts/payouts';
import { centsToText } from '@/lib/money/amounts';
import { costsOf, mostPayable, type PayoutRate } from '@/lib/payouts/rates/rate';

/** A balance, and where it is paid: the address, and from when it is. */
export type PayableTo = PayableBalance & { readonly goesTo: { readonly address: string; readonly when: string } };
type Props = {
  readonly api: string;
  readonly balances: readonly PayableTo[];
  readonly rate: PayoutRate | null;
};
type Answered =
  | { readonly id: string }
  | { readonly refused: { readonly code: string; readonly missing?: string; readonly reserve?: string } };

const keyOf = ({ network, currency }: PayableBalance): string => `${currency} ${network}`;

export function RequestPayout({ api, balances, rate }: Props) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState(newPayoutName);
  const done = () => {
    setName(newPayoutName());
    setIsOpen(false);
  };
  return (
    <>
      <Button kind="primary" icon="wallet" onClick={() => setIsOpen(true)}>
        {t('pouRequest')}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t('pouRequest')} text={t('pouRequestText')}>
        <Form {...{ api, balances, rate, name }} onDone={done} />
      </Dialog>
    </>
  );
}

function Form({ api, balances, rate, name, onDone }: Props & { readonly name: string; readonly onDone: () => void }) {
  const { t, format } = useWords();
  const networkName = useNetworkName();
  const [chosen, setChosen] = useState(balances[0] ? keyOf(balances[0]) : '');
  const balance = balances.find((one) => keyOf(one) === chosen) ?? balances[0];
  const [typed, setTyped] = useState(balance ? mostOf(balance, rate) : '');
  if (!balance) return null;
  const { network, currency, goesTo } = balance;
  const amount = amountOf(typed);
  const costs = costsOfTyped(typed, { network, rate });
  return (
    <ActionForm<{ id: string }>
      send={async (call, form) => {
        const cents = centsOf(formText(form, 'amount'));
        if (cents === null || cents === 0) return fault('INVALID_AMOUNT', t('refAmountFault'));
        const answer = await call.post<Answered>(`${api}/payouts`, {
          payout_id: name,
          network,
          currency,
          amount: cents,
          costs: Number(costsInCents(BigInt(cents), { network, rate })),
        });
        if ('fault' in answer) return answer;
        if ('id' in answer.value) return { value: answer.value };
        const { code, missing = '', reserve = null } = answer.value.refused;
        const key = `pouFault_${code}${reserve === null ? '' : '_reserve'}` as MessageKey;
        const text = t.has(key)
          ? t(key as 'pouFault_balance_reserve', {
              missing: format.money(missing, currency),
              network: networkName(network),
              reserve: format.money(reserve ?? '0.00', currency),
            })
          : t('fault_internal_error');
        return fault(code, text);
      }}
      submit={amount === null ? t('pouRequest') : t('pouRequestAmount', { amount: format.money(amount, currency) })}
      done={t('pouRequested')}
      onDone={onDone}
      isWide
    >
      <Select
        name="balance"
        label={t('pouFrom')}
        value={chosen}
        onChange={(event) => {
          const next = event.currentTarget.value;
          setChosen(next);
          const other = balances.find((one) => keyOf(one) === next);
          setTyped(other ? mostOf(other, rate) : '');
        }}
        options={balances.map((one) => ({
          value: keyOf(one),
          label: `${format.money(one.available, one.currency)} · ${networkName(one.network)}`,
        }))}
      />
      <Note tone="info" title={goesTo.when}>
        <Address text={goesTo.address} />
      </Note>
      <TextInput
        name="amount"
        label={t('refAmount', { currency })}
        hint={t('pouMost', { amount: format.money(mostOf(balance, rate), currency) })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        inputMode="decimal"
        autoComplete="off"
        required
      />
      {costs && (
        <p aria-live="polite" className="text-muted" data-costs>
          {t('pouTotal', { costs: format.money(costs.costs, currency), total: format.money(costs.total, currency) })}
        </p>
      )}
    </ActionForm>
  );
}

/** The largest amount that the balance covers with its costs, as decimal text. */
function mostOf({ network, available }: PayableBalance, rate: PayoutRate | null): string {
  const most = mostPayable(rate, { network, available: BigInt(centsOf(available) ?? 0) });
  return centsToText(most > 0n ? most : 0n);
}

function costsInCents(amount: bigint, { network, rate }: { network: string; rate: PayoutRate | null }): bigint {
  const { fee, networkCost } = costsOf(rate, { network, amount });
  return fee + networkCost;
}

/** Null when nothing is typed, or the amount costs nothing. */
function costsOfTyped(typed: string, { network, rate }: { network: string; rate: PayoutRate | null }) {
  const cents = BigInt(centsOf(typed) ?? 0);
  const costs = costsInCents(cents, { network, rate });
  return cents === 0n || costs === 0n ? null : { costs: centsToText(costs), total: centsToText(cents + costs) };
}

const fault = (code: string, message: string) => ({ fault: { code, message, param: 'amount' } });

const newPayoutName = (): string => `dash_${newName()}`;
