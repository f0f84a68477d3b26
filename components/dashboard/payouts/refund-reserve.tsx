'use client';
// The refund reserve of a store: what payouts leave in the balance of each token, and the form that sets it.

import { useState } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import { Network, useNetworkName } from '@/components/dashboard/payments/status';
import type { Api } from '@/components/dashboard/step-up';
import { centsOf } from '@/components/dashboard/typed-amount';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Money } from '@/components/ui/money';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import type { ReserveView, ScheduledAsset } from '@/lib/dashboard/payouts/schedules';

type Props = {
  /** The path of the store's requests. */
  readonly api: string;
  readonly reserves: readonly ReserveView[];
  /** What a reserve can be set for. */
  readonly assets: readonly ScheduledAsset[];
  readonly canManage: boolean;
};
type Answered = { readonly set: true } | { readonly refused: { readonly code: 'unknown_asset' } };

const keyOf = ({ network, currency }: ScheduledAsset): string => `${currency} ${network}`;

export function RefundReserve({ api, reserves, assets, canManage }: Props) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Card
      title={t('rsvTitle')}
      text={t('rsvText')}
      actions={canManage && assets.length > 0 && <Button onClick={() => setIsOpen(true)}>{t('rsvSet')}</Button>}
    >
      {reserves.length === 0 ? (
        <p className="text-muted">{t('rsvNone')}</p>
      ) : (
        <ul className="grid gap-2">
          {reserves.map(({ amount, ...asset }) => (
            <li key={keyOf(asset)} className="flex flex-wrap items-center gap-2" data-refund-reserve={keyOf(asset)}>
              <span className="font-semibold">
                <Money amount={amount} currency={asset.currency} />
              </span>
              <span className="text-muted">
                <Network name={asset.network} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t('rsvTitle')} text={t('rsvText')}>
        <Form {...{ api, reserves, assets }} onSet={() => setIsOpen(false)} />
      </Dialog>
    </Card>
  );
}

type FormProps = Omit<Props, 'canManage'> & { readonly onSet: () => void };

function Form({ api, reserves, assets, onSet }: FormProps) {
  const { t } = useWords();
  const networkName = useNetworkName();
  const [chosen, setChosen] = useState(assets[0] ? keyOf(assets[0]) : '');
  const asset = assets.find((one) => keyOf(one) === chosen) ?? assets[0];
  if (!asset) return null;
  const { network, currency } = asset;

  const send = async (call: Api, form: FormData): Promise<Answer<Answered>> => {
    const amount = centsOf(formText(form, 'amount'));
    if (amount === null) return fault('amount', t('refAmountFault'));
    const answer = await call.post<Answered>(`${api}/refund-reserve`, { network, currency, amount });
    if ('fault' in answer || 'set' in answer.value) return answer;
    return fault('asset', t('pouFault_unknown_asset', { network: networkName(network) }));
  };
  return (
    <ActionForm<Answered> send={send} submit={t('rsvSubmit')} done={t('rsvDone')} onDone={onSet} isWide>
      <Select
        name="asset"
        label={t('pscAsset')}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        options={assets.map((one) => ({ value: keyOf(one), label: `${one.currency} · ${networkName(one.network)}` }))}
      />
      <TextInput
        key={chosen}
        name="amount"
        label={t('pscKeep', { currency })}
        hint={t('pscKeepHint')}
        defaultValue={reserves.find((one) => keyOf(one) === chosen)?.amount ?? '0.00'}
        inputMode="decimal"
        autoComplete="off"
        required
      />
    </ActionForm>
  );
}

const fault = (param: string, message: string) => ({ fault: { code: 'INVALID_AMOUNT', message, param } });
