'use client';
// Sets the payout schedule of a token, or changes it.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import { useNetworkName } from '@/components/dashboard/payments/status';
import type { Api } from '@/components/dashboard/step-up';
import { centsOf } from '@/components/dashboard/typed-amount';
import type { PayoutScheduleView, ScheduledAsset } from '@/lib/dashboard/payouts/schedules';

type Props = {
  readonly api: string;
  readonly assets: readonly ScheduledAsset[];
  /** The schedule to change; without it a new one is set. */
  readonly current?: PayoutScheduleView;
};
type Answered = { readonly set: true } | { readonly refused: { readonly code: 'unknown_asset' | 'too_small' } };

const INTERVALS = ['daily', 'weekly', 'monthly', 'threshold'] as const;
const keyOf = ({ network, currency }: ScheduledAsset): string => `${currency} ${network}`;

export function SetSchedule({ api, assets, current }: Props) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        {...(current ? { size: 'small' as const } : { kind: 'primary' as const, icon: 'plus' as const })}
        onClick={() => setIsOpen(true)}
      >
        {t(current ? 'pscChange' : 'pscAdd')}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t('pscTitle')} text={t('pscAddText')}>
        <Form api={api} assets={assets} {...(current && { current })} onSet={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function Form({ api, assets, current, onSet }: Props & { readonly onSet: () => void }) {
  const { t } = useWords();
  const networkName = useNetworkName();
  const [chosen, setChosen] = useState(assets[0] ? keyOf(assets[0]) : '');
  const [interval, setInterval] = useState<string>(current?.interval ?? 'daily');
  const asset = assets.find((one) => keyOf(one) === chosen) ?? assets[0];
  if (!asset) return null;
  const { network, currency } = asset;

  const send = async (call: Api, form: FormData): Promise<Answer<Answered>> => {
    const least = centsOf(formText(form, 'least'));
    if (least === null || least === 0) return fault('least', t('refAmountFault'));
    const answer = await call.post<Answered>(`${api}/payout-schedules`, { network, currency, interval, least });
    if ('fault' in answer || 'set' in answer.value) return answer;
    const { code } = answer.value.refused;
    if (code === 'too_small') return fault('least', t('pouFault_too_small'));
    return fault('asset', t('pouFault_unknown_asset', { network: networkName(network) }));
  };
  return (
    <ActionForm<Answered> send={send} submit={t('pscSubmit')} done={t('pscDone')} onDone={onSet} isWide>
      <Select
        name="asset"
        label={t('pscAsset')}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        options={assets.map((one) => ({ value: keyOf(one), label: `${one.currency} · ${networkName(one.network)}` }))}
      />
      <Select
        name="interval"
        label={t('pscInterval')}
        value={interval}
        onChange={(event) => setInterval(event.currentTarget.value)}
        options={INTERVALS.map((one) => ({ value: one, label: t(`pscInterval_${one}`) }))}
      />
      <TextInput
        name="least"
        label={t('pscLeast', { currency })}
        hint={t(interval === 'threshold' ? 'pscLeastThresholdHint' : 'pscLeastHint')}
        defaultValue={current?.least ?? '10.00'}
        inputMode="decimal"
        autoComplete="off"
        required
      />
    </ActionForm>
  );
}

const fault = (param: string, message: string) => ({ fault: { code: 'INVALID_AMOUNT', message, param } });
